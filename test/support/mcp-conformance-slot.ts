// `node mcp-conformance-slot.ts PORT URL`: the client, as soon as there is a slot for it. The suite starts all its scenarios at once.
import { once } from 'node:events'
import { connect } from 'node:net'

const slot = connect({ host: '127.0.0.1', port: Number(process.argv.at(-2)) })
await once(slot, 'data')
await import('./mcp-conformance-client.ts')
slot.destroy()
