import type { TestProject } from 'vitest/node'
import { startAuthorisationServer } from './authorisation-server.ts'
import { startMcpGates } from './mcp-gates.ts'
import { startMcpServer } from './mcp-server.ts'
import { registerTestTools } from './mcp-tools.ts'
import type { PeerAddresses } from './peers.ts'
import { startPeers } from './peers-server.ts'
import { SUITE_SECRETS, suiteConfig } from './suite-config.ts'

declare module 'vitest' {
  interface ProvidedContext {
    peers: PeerAddresses
    /** JSON text of the server's config. */
    config: string
    /** Addresses of MCP servers, which the config lets be reached. */
    mcp: { modern: string; legacy: string }
    /** Of MCP servers that say their tools when they are told to; see mcp-gates.ts. */
    gates: string
    /** Of an MCP server that wants to be authorised, and of its authorisation server. */
    oauth: { mcp: string; authority: string }
    /** JSON text of the values that it names. */
    secrets: string
  }
}

/** Tests within workerd cannot listen, so Node does it for them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { addresses, close } = await startPeers()
  const modern = await startMcpServer({ era: 'modern', register: registerTestTools })
  const legacy = await startMcpServer({ era: 'legacy', register: registerTestTools })
  const authority = await startAuthorisationServer()
  const closed = await startMcpServer({ era: 'modern', register: registerTestTools })
  closed.fail = async (request) => authority.guard(request)
  const gates = await startMcpGates()
  const config = suiteConfig(addresses)
  const hosts = [
    ...(config.web?.allow_private_hosts ?? []),
    modern.host,
    legacy.host,
    closed.host,
    authority.host,
    gates.host,
  ]
  project.provide('peers', addresses)
  project.provide('mcp', { modern: modern.url, legacy: legacy.url })
  project.provide('gates', gates.url)
  project.provide('oauth', { mcp: closed.url, authority: authority.url })
  project.provide('config', JSON.stringify({ ...config, web: { ...config.web, allow_private_hosts: hosts } }))
  project.provide('secrets', JSON.stringify(SUITE_SECRETS))
  return async () => {
    await Promise.all([modern.close(), legacy.close(), closed.close(), authority.close(), gates.close()])
    await close()
  }
}
