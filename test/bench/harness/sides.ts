import { fileURLToPath, URL } from 'node:url'
import * as z from 'zod'
import { bundleWorker } from '../../../src/build/bundle.ts'
import { events, planOf, type FloorPlan } from '../floor/plan.ts'
import { startPeers, type Peers } from './peers.ts'
import { ask } from './request.ts'
import { TALK } from './script.ts'
import { startWorkerd, type Workerd } from './workerd.ts'

/** What `yaa serve` gives workerd. */
export const SERVE = fileURLToPath(new URL('../../../src/cli/serve/config.capnp', import.meta.url))
const FLOOR = fileURLToPath(new URL('../floor/', import.meta.url))

export const TASKS = { run: 'Read the three pages and list their points', talk: `${TALK} to me` }

/** Our server and the floor, side by side, with the same model and pages. */
export interface Sides {
  ours: Workerd
  floor: Workerd
  stop: () => Promise<void>
}

export async function startSides(flags: readonly string[] = []): Promise<Sides> {
  const peers = await startPeers()
  const ours = await startOurs(peers.url, flags)
  const plans = { run: await planLike(ours, peers, TASKS.run), talk: await planLike(ours, peers, TASKS.talk) }
  const floor = await startWorkerd({
    config: `${FLOOR}config.capnp`,
    bundle: await bundleWorker(`${FLOOR}worker.ts`),
    env: { PLANS: JSON.stringify(plans) },
  })
  const stop = async () => {
    await Promise.all([ours.stop(), floor.stop()])
    peers.stop()
  }
  return { ours, floor, stop }
}

/** Our server, with the scripted model and the pages of a bench. */
export async function startOurs(
  peersUrl: string,
  flags: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Workerd> {
  const config = {
    models: { bench: { api_url: `${peersUrl}/v1`, model: 'bench', protocol: 'native' } },
    default_model: 'bench',
    tools: { web_access: { auto_approve: true } },
    web: { allow_private_hosts: [new URL(peersUrl).host] },
  }
  return startWorkerd({
    config: SERVE,
    bundle: await bundleWorker(),
    env: { YAA_CONFIG: JSON.stringify(config), ...env },
    flags,
  })
}

const session = z.looseObject({ id: z.string(), status: z.literal('completed') })

/** What the floor has to do for a task: measured at a run of ours, which has to complete. */
async function planLike(ours: Workerd, peers: Peers, task: string): Promise<FloorPlan> {
  await peers.takeBodies()
  const { text } = await ask(`${ours.url}/v1/sessions`, { body: { task } })
  const { id } = session.parse(JSON.parse(text))
  const log = await ask(`${ours.url}/v1/sessions/${id}/events?limit=100`, { method: 'GET' })
  const bodies = await peers.takeBodies()
  return planOf(
    events.parse(JSON.parse(log.text)).data,
    `${peers.url}/v1/chat/completions`,
    bodies,
    Buffer.byteLength(text),
  )
}
