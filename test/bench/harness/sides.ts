import { fileURLToPath, URL } from 'node:url'
import { bundleWorker } from '../../../src/build/bundle.ts'
import { newSecretText } from '../../../src/lib/secret.ts'
import { startPeers } from './peers.ts'
import { startWorkerd, type Workerd, type WorkerdOptions } from './workerd.ts'

/** What `yaa serve` gives workerd. */
export const SERVE = fileURLToPath(new URL('../../../src/cli/serve/config.capnp', import.meta.url))
const FLOOR = fileURLToPath(new URL('../floor/', import.meta.url))

/** Our server and the floor, side by side, with the same model. */
export interface Sides {
  ours: Workerd
  floor: Workerd
  stop: () => Promise<void>
}

export async function startSides(): Promise<Sides> {
  const peers = await startPeers()
  const ours = await startOurs(peers.url)
  const floor = await startWorkerd({
    config: `${FLOOR}config.capnp`,
    bundle: await bundleWorker(`${FLOOR}worker.ts`),
    env: { MODEL_URL: `${peers.url}/v1/chat/completions` },
  })
  const stop = async () => {
    await Promise.all([ours.stop(), floor.stop()])
    peers.stop()
  }
  return { ours, floor, stop }
}

/** Our server, with the scripted model and the pages of a bench. `entry`: what is bundled instead of it. */
export async function startOurs(
  peersUrl: string,
  {
    env = {},
    heapMb = null,
    entry,
    ...more
  }: Pick<WorkerdOptions, 'env' | 'heapMb' | 'data'> & { entry?: string } = {},
): Promise<Workerd> {
  const config = {
    models: { bench: { api_url: `${peersUrl}/v1`, model: 'bench', protocol: 'native' } },
    default_model: 'bench',
    tools: { web_access: { auto_approve: true } },
    web: { allow_private_hosts: [new URL(peersUrl).host] },
  }
  return startWorkerd({
    config: SERVE,
    bundle: await bundleWorker(entry),
    // As `yaa serve` does, which takes up what was open at its next start.
    env: { YAA_CONFIG: JSON.stringify(config), YAA_TAKE_UP: newSecretText(), ...env },
    heapMb,
    ...more,
  })
}
