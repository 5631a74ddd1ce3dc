import * as z from 'zod'
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

const made = z.looseObject({ id: z.string() })
const COMPLETED = /"status":"completed".*"model_calls":4\b/s
const ANSWERED = /word50[^]*"finish_reason":"stop"/
const STREAMED = /word50[^]*"finish_reason":"stop"[^]*\[DONE\]/

let count = 0

/** What the door of OpenAI's clients adds to a run, beside the same run by our own API. */
export const door: Case = {
  name: 'door',
  run: async (rounds) => {
    const peers = await startPeers()
    const ours = await startOurs(peers.url)
    const { own, ownStream, named, namedStream, made: opened, found } = runsOf(ours)
    const pairs = (one: () => Promise<number>, other: () => Promise<number>) =>
      measurePairs(
        rounds,
        () => measureBlock(RUNS_PER_BLOCK, ours.cpuMs, one),
        () => measureBlock(RUNS_PER_BLOCK, ours.cpuMs, other),
      )
    const whole = await pairs(named, own)
    const streams = await pairs(namedStream, ownStream)
    const lookedUp = await pairs(found, opened)
    await ours.stop()
    peers.stop()
    return [
      resultOf('door: chat completion in a session', ADDED_MAX, whole, ({ wallMs }) => wallMs),
      resultOf('door: the same, streamed', ADDED_MAX, streams, ({ wallMs }) => wallMs),
      resultOf('door: a new session, with the look-up', LOOKED_UP_MAX, lookedUp, ({ wallMs }) => wallMs),
    ]
  },
}

function runsOf({ url }: Workerd) {
  const path = `${url}/v1/sessions`
  const session = async () => made.parse(JSON.parse((await ask(path, { body: {} })).text)).id
  const task = TASKS.finish.text
  const chat = (words: string, stream: boolean) => ({
    model: 'yaa',
    messages: [{ role: 'user', content: words }],
    stream,
  })
  const completions = `${url}/v1/chat/completions`
  const inOwn = async (accept: string, mark: RegExp) =>
    (await ask(`${path}/${await session()}/messages`, { body: { content: task }, accept }, mark)).wallMs
  const inNamed = async (stream: boolean, mark: RegExp) => {
    const headers = { 'x-yaa-session': await session() }
    return (await ask(completions, { body: chat(task, stream), headers }, mark)).wallMs
  }
  return {
    own: () => inOwn('application/json', COMPLETED),
    ownStream: () => inOwn('text/event-stream', /event: run-end/),
    named: () => inNamed(false, ANSWERED),
    namedStream: () => inNamed(true, STREAMED),
    made: async () => (await ask(path, { body: { task } }, COMPLETED)).wallMs,
    found: async () => {
      // The same request again could be taken for one that is sent anew.
      const body = { ...chat(task, false), metadata: { n: String(++count) } }
      return (await ask(completions, { body }, ANSWERED)).wallMs
    },
  }
}
