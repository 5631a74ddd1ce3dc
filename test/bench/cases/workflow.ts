import * as z from 'zod'
import { startPeers } from '../harness/peers.ts'
import { ask } from '../harness/request.ts'
import { resultOf, type Case } from '../harness/result.ts'
import { type Block, measureBlock, measurePairs } from '../harness/rounds.ts'
import { TASKS } from '../harness/script.ts'
import { startOurs } from '../harness/sides.ts'

const STEPS = 100
const GOALS = { time: 1.2, memory: 1.2 }
const ITEMS = { many: 1_000, few: 100 }
const LIMITS = { max_iterations: 1_000, max_iterations_total: 1_000 }

const made = z.looseObject({ id: z.string() })
const rest = z.looseObject({ id: z.string(), status: z.enum(['in_progress', 'completed']) })

/** A workflow of 100 agent steps of a call each (ours) to an agent's run of 100 steps, a call of the model and of a tool each, and to 100 tasks of a call each (floor). What the
 *  model says is as short on all sides: one call. And the most memory of a list of 1,000 items, ten at a time (ours), to that of one of 100 (floor). */
export const workflow: Case = {
  name: 'workflow',
  run: async (rounds) => {
    const peers = await startPeers()
    const start = async () => {
      const server = await startOurs(peers.url)
      const steps = Array.from({ length: STEPS }, (_, index) => ({
        id: `s${index}`,
        type: 'agent',
        prompt: TASKS.word.text,
      }))
      const look = { id: 'look', type: 'tool', tool: 'list_files', arguments: { path: 'folder-{{ item }}' } }
      const each = { id: 'each', type: 'map', over: 'inputs.items', concurrency: 10, steps: [look] }
      await ask(`${server.url}/v1/workflows/steps`, { method: 'PUT', body: { description: 'Steps.', steps } })
      await ask(`${server.url}/v1/workflows/items`, { method: 'PUT', body: { description: 'Items.', steps: [each] } })
      return server
    }
    const server = await start()
    const toEnd = async (url: string, body: object) => {
      const started = performance.now()
      let { text } = await ask(`${url}/v1/sessions`, { body: { ...body, config: { limits: LIMITS } } })
      for (let run = rest.parse(JSON.parse(text)); run.status === 'in_progress'; run = rest.parse(JSON.parse(text)))
        ({ text } = await ask(`${url}/v1/sessions/${run.id}/continue`, { body: {} }))
      return performance.now() - started
    }
    const block = (body: object) => measureBlock(1, server.cpuMs, () => toEnd(server.url, body))
    const pairs = await measurePairs(
      rounds,
      () => block({ workflow: 'steps', task: 'go' }),
      () => block({ task: TASKS.hundred.text }),
    )
    const tasks = () =>
      measureBlock(1, server.cpuMs, async () => {
        const started = performance.now()
        const { text } = await ask(`${server.url}/v1/sessions`, { body: {} })
        const { id } = made.parse(JSON.parse(text))
        for (let task = 0; task < STEPS; task++)
          await ask(`${server.url}/v1/sessions/${id}/messages`, { body: { content: TASKS.word.text } })
        return performance.now() - started
      })
    const asTasks = await measurePairs(rounds, () => block({ workflow: 'steps', task: 'go' }), tasks)
    await server.stop()
    const peakOf = async (count: number): Promise<Block> => {
      const fresh = await start()
      fresh.watchPeak()
      const items = Array.from({ length: count }, (_, index) => index)
      const wallMs = await toEnd(fresh.url, { workflow: 'items', inputs: { items }, task: 'go' })
      const { peak } = fresh.memoryMb()
      await fresh.stop()
      return { wallMs, cpuMs: peak }
    }
    const peaks = [{ ours: await peakOf(ITEMS.many), floor: await peakOf(ITEMS.few) }]
    peers.stop()
    const megabytes = (value: number) => `${value.toFixed(0)} MB`
    return [
      resultOf('workflow of 100 steps (to an agent of 100): wall time', GOALS.time, pairs, ({ wallMs }) => wallMs),
      resultOf('workflow of 100 steps (to an agent of 100): processor time', GOALS.time, pairs, ({ cpuMs }) => cpuMs),
      resultOf(
        'workflow of 100 steps (to 100 tasks of a step): wall time',
        GOALS.time,
        asTasks,
        ({ wallMs }) => wallMs,
      ),
      resultOf('workflow of 100 steps (to 100 tasks): processor time', GOALS.time, asTasks, ({ cpuMs }) => cpuMs),
      resultOf('list of 1,000 items (to 100): most memory', GOALS.memory, peaks, ({ cpuMs }) => cpuMs, megabytes),
    ]
  },
}
