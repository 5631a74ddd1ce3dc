import * as z from 'zod'
import { DOORS, OWN, type SentTask, type TaskSender } from '../harness/door-requests.ts'
import { startPeers } from '../harness/peers.ts'
import { ask } from '../harness/request.ts'
import { resultOf, type Case } from '../harness/result.ts'
import { measureBlock, measurePairs } from '../harness/rounds.ts'
import { TASKS } from '../harness/script.ts'
import { startOurs } from '../harness/sides.ts'
import type { Workerd } from '../harness/workerd.ts'

const RUNS_PER_BLOCK = 30
/** A door may add a tenth to a run; the look-up of a history apart. */
const ADDED_MAX = 1.1
const LOOKED_UP_MAX = 1.25
/** MCP has every message read, checked and written by the official SDK; A2A keeps whose a task is, and tells of each state that it comes to. */
const TASK_MAX = 1.25

const made = z.looseObject({ id: z.string() })
const completion = z.looseObject({ choices: z.tuple([z.looseObject({ message: z.looseObject({}) })]) })
const COMPLETED = /"status":"completed".*"model_calls":4\b/s
const SENT = /"status":"completed"/
const STREAM_ENDED = /event: run-end/
const ANSWERED = /word50[^]*"finish_reason":"stop"/
const CALLED = /word50[^]*"structuredContent"/
const TOLD = /word50[^]*"finishReason":"stop"[^]*\[DONE\]/
const STREAMED = /word50[^]*"finish_reason":"stop"[^]*\[DONE\]/
const RESPONDED = /"status":"completed"[^]*word50/
const RESPONSE_ENDED = /word50[^]*event: response\.completed/
const TASK_COMPLETED = /"state":"TASK_STATE_COMPLETED"[^]*word50/
const TASK_ENDED = /word50[^]*"state":"TASK_STATE_COMPLETED"/
const RUN_FINISHED = /word50[^]*"type":"RUN_FINISHED"/
const TASK = TASKS.finish.text

/** What doors add to a run, beside the same run by our own API. */
export const door: Case = {
  name: 'door',
  run: async (rounds) => {
    const peers = await startPeers()
    const ours = await startOurs(peers.url)
    const results = []
    for (const { name, max, theirs, own } of rowsOf(ours)) {
      const pairs = await measurePairs(
        rounds,
        () => measureBlock(RUNS_PER_BLOCK, ours.cpuMs, theirs),
        () => measureBlock(RUNS_PER_BLOCK, ours.cpuMs, own),
      )
      results.push(resultOf(`door: ${name}`, max, pairs, ({ wallMs }) => wallMs))
    }
    await ours.stop()
    peers.stop()
    return results
  },
}

interface Row {
  name: string
  max: number
  /** Milliseconds of one run. */
  theirs: () => Promise<number>
  own: () => Promise<number>
}

function rowsOf({ url }: Workerd): Row[] {
  const own = ownRuns(url)
  const chat = chatRuns(url)
  const through = (door: TaskSender, streamed: boolean, mark: RegExp) => async () =>
    sent(url, door(await own.session(), TASK, streamed), mark)
  const rows: [string, number, Row['theirs'], Row['own']][] = [
    ['chat completion in a session', ADDED_MAX, through(DOORS.chat, false, ANSWERED), own.run],
    ['the same, streamed', ADDED_MAX, through(DOORS.chat, true, STREAMED), own.stream],
    ['Responses in a session', ADDED_MAX, through(DOORS.responses, false, RESPONDED), own.run],
    ['the same, streamed', ADDED_MAX, through(DOORS.responses, true, RESPONSE_ENDED), own.stream],
    ['AI SDK, streamed', ADDED_MAX, through(DOORS.aiSdk, true, TOLD), own.stream],
    ['AG-UI, streamed', ADDED_MAX, through(DOORS.agUi, true, RUN_FINISHED), own.stream],
    ['run_task of MCP in a session', TASK_MAX, through(DOORS.mcp, false, CALLED), own.run],
    ['SendMessage of A2A in a session', TASK_MAX, through(DOORS.a2a, false, TASK_COMPLETED), own.run],
    ['SendStreamingMessage of A2A', TASK_MAX, through(DOORS.a2a, true, TASK_ENDED), own.stream],
    ['a new session, with the look-up', LOOKED_UP_MAX, chat.begun, own.begun],
    ['a second task, found by its history', LOOKED_UP_MAX, chat.continued, own.second],
  ]
  return rows.map(([name, max, theirs, ownRun]) => ({ name, max, theirs, own: ownRun }))
}

function ownRuns(url: string) {
  const path = `${url}/v1/sessions`
  const session = async (body: object = {}) => made.parse(JSON.parse((await ask(path, { body })).text)).id
  const send = (id: string, streamed: boolean, mark: RegExp) => sent(url, OWN(id, TASK, streamed), mark)
  return {
    session,
    run: async () => send(await session(), false, COMPLETED),
    stream: async () => send(await session(), true, STREAM_ENDED),
    begun: async () => (await ask(path, { body: { task: TASK } }, COMPLETED)).wallMs,
    second: async () => send(await session({ task: TASK }), false, SENT),
  }
}

async function sent(url: string, { path, ...asked }: SentTask, mark: RegExp): Promise<number> {
  return (await ask(`${url}${path}`, asked, mark)).wallMs
}

/** Of conversations that carry no id. */
function chatRuns(url: string) {
  const path = `${url}/v1/chat/completions`
  const task = { role: 'user', content: TASK }
  let count = 0
  // The same request again could be taken for one that is sent anew.
  const asked = (messages: object[]) =>
    ask(path, { body: { model: 'yaa', messages, metadata: { n: String(++count) } } }, ANSWERED)
  return {
    begun: async () => (await asked([task])).wallMs,
    continued: async () => {
      // Of a history that is known twice the newest session goes on.
      const first = { role: 'user', content: `${TASK} ${++count}` }
      const [{ message }] = completion.parse(JSON.parse((await asked([first])).text)).choices
      return (await asked([first, message, task])).wallMs
    },
  }
}
