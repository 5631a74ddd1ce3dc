import type { TestProject } from 'vitest/node'
import type { PeerAddresses } from './peers.ts'
import { startPeers } from './peers-server.ts'
import { suiteConfig } from './suite-config.ts'

declare module 'vitest' {
  interface ProvidedContext {
    peers: PeerAddresses
    /** JSON text of the server's config. */
    config: string
  }
}

/** Tests within workerd cannot listen, so Node does it for them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { addresses, close } = await startPeers()
  project.provide('peers', addresses)
  project.provide('config', JSON.stringify(suiteConfig(addresses)))
  return close
}
