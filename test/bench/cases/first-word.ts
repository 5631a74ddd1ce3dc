import { ask } from '../harness/request.ts'
import { resultOf, type Case, type Result } from '../harness/result.ts'
import { measureBlock, measurePairs } from '../harness/rounds.ts'
import { FIRST_WORD, TASKS, type Task } from '../harness/script.ts'
import { startSides, type Sides } from '../harness/sides.ts'

/** With 20 ms a token a run takes a second. */
const RUNS_PER_BLOCK = { quick: 50, slow: 3 }
/** The slow one is to be 1.5 at once, and this before long. */
const GOALS = { quick: 1.5, slow: 1.2 }

/** The first event that tells of the answer's text, in whatever form it is told. */
const FIRST_TOLD = new RegExp(`event: (?:message-delta|answer-delta|run-end)\\ndata: [^\\n]*${FIRST_WORD}`)

let count = 0

/** A run as an event stream: from the request, over three calls of a tool, to the first word of the answer. The model says the
 *  answer as a reply, or as the argument of `finish` (ours alone), at no time or 20 ms a token. */
export const firstWord: Case = {
  name: 'first-word',
  run: async (rounds) => {
    const sides = await startSides()
    const results = [
      await measure('first word, 0 ms a token: a reply', 'quick', TASKS.quickReply, sides, rounds),
      await measure('first word, 0 ms a token: finish', 'quick', TASKS.quickFinish, sides, rounds),
      await measure('first word, 20 ms a token: a reply', 'slow', TASKS.slowReply, sides, rounds),
      await measure('first word, 20 ms a token: finish', 'slow', TASKS.slowFinish, sides, rounds),
    ]
    await sides.stop()
    return results
  },
}

const FIRST = { first: true }

async function measure(
  name: string,
  pace: 'quick' | 'slow',
  task: Task,
  { ours, floor }: Sides,
  rounds: number,
): Promise<Result> {
  const accept = 'text/event-stream'
  const floorTask = pace === 'quick' ? TASKS.quickReply : TASKS.slowReply
  const oursOnce = async () =>
    (await ask(`${ours.url}/v1/sessions`, { body: { task: task.text }, accept }, FIRST_TOLD, FIRST)).markMs
  const floorOnce = async () =>
    (await ask(`${floor.url}/${++count}`, { body: { task: floorTask.text }, accept }, new RegExp(FIRST_WORD), FIRST))
      .markMs
  const pairs = await measurePairs(
    rounds,
    () => measureBlock(RUNS_PER_BLOCK[pace], ours.cpuMs, oursOnce),
    () => measureBlock(RUNS_PER_BLOCK[pace], floor.cpuMs, floorOnce),
  )
  return resultOf(name, GOALS[pace], pairs, ({ wallMs }) => wallMs)
}
