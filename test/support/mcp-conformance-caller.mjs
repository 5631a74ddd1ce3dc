// `node mcp-conformance-caller.mjs PORT URL`: what the conformance suite starts for each scenario. The client itself lives where
// the suite was started, so that its modules are loaded once.
import { connect } from 'node:net'

const { MCP_CONFORMANCE_SCENARIO: name = '', MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env
const player = connect({ host: '127.0.0.1', port: Number(process.argv.at(-2)) })
player.end(JSON.stringify({ url: process.argv.at(-1), name, context: JSON.parse(context) }))
let told = ''
for await (const text of player.setEncoding('utf8')) told += text
const { failed, said } = JSON.parse(told)
console.error(said)
process.exitCode = failed ? 1 : 0
