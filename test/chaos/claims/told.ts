import { contentText } from '../../../src/domain/content.ts'
import { finishAnswerOf } from '../../../src/client/client.ts'
import type { SessionEvent } from '../../../src/domain/event.ts'
import type { Deed } from '../deed.ts'
import type { Observer } from '../observer.ts'
import { isDelta, isRest, type Told } from '../stream.ts'
import { same } from '../world.ts'

/** What observers and callers were told is the log: nothing lost, nothing twice, nothing else. */
export function claimsOfTold(events: readonly SessionEvent[], observers: Observer[], deeds: Deed[]): string[] {
  const streams = deeds.filter(({ told }) => told.length > 0)
  return [
    ...observers.flatMap((observer) => followed(events, observer)),
    ...streams.flatMap((deed) => streamed(events, deed)),
    ...deltaIds([...observers.map(({ told }) => told), ...streams.map(({ told }) => told)]),
  ]
}

function followed(events: readonly SessionEvent[], { kind, told }: Observer): string[] {
  const heard = told.filter((one) => !isDelta(one)).map(({ data }) => data)
  return [
    ...differences(`the ${kind} observer`, events, heard),
    ...rising(told).map((problem) => `the ${kind} observer: ${problem}`),
    ...deltaTexts(events, told).map((problem) => `the ${kind} observer: ${problem}`),
  ]
}

/** A call's own stream: the events of its run up to its first rest. */
function streamed(events: readonly SessionEvent[], { kind, told }: Deed): string[] {
  const first = told.find((one) => !isDelta(one))
  const heard = told.filter((one) => !isDelta(one)).map(({ data }) => data)
  const own = events.filter(({ run_id: run, seq }) => run === first?.data['run_id'] && seq >= Number(first?.id))
  const end = own.findIndex(({ type }) => type === 'run-end' || type === 'run-pause')
  const expected = told.some(isRest) ? own.slice(0, end + 1) : own.slice(0, heard.length)
  return [
    ...differences(`the stream of a ${kind}`, expected, heard),
    ...rising(told).map((problem) => `the stream of a ${kind}: ${problem}`),
  ]
}

function differences(who: string, expected: readonly unknown[], heard: readonly unknown[]): string[] {
  const at = expected.findIndex((event, index) => !same(event, heard[index]))
  if (at >= 0) return [`${who} heard ${JSON.stringify(heard[at])} in the place of ${JSON.stringify(expected[at])}`]
  return heard.length > expected.length
    ? [`${who} heard ${heard.length - expected.length} events that are not in the log`]
    : []
}

/** Ids go up, so that nothing comes twice. */
function rising(told: readonly Told[]): string[] {
  const wrong = told.findIndex(({ id }, index) => index > 0 && !isAfter(id, told[index - 1]?.id ?? ''))
  return wrong < 0 ? [] : [`id ${told[wrong]?.id} follows ${told[wrong - 1]?.id}`]
}

function isAfter(id: string, before: string): boolean {
  const [seq = 0, n = 0] = id.split('.').map(Number)
  const [seqBefore = 0, nBefore = 0] = before.split('.').map(Number)
  return seq > seqBefore || (seq === seqBefore && n > nBefore)
}

/** The texts told of a message, and of the answer in it, are the start of them. A reply that was cut keeps what it said beside its calls, and
 *  the answer in them. */
function deltaTexts(events: readonly SessionEvent[], told: readonly Told[]): string[] {
  return events.flatMap((event) => {
    if (event.type !== 'message' || event.message.role !== 'assistant') return []
    const { id, content } = event.message
    const answer = finishAnswerOf(event.message) ?? ''
    const textOf = (type: Told['data']['type']) =>
      told
        .flatMap(({ data }) => (data.type === type && data['message_id'] === id ? [String(data['delta'])] : []))
        .join('')
    if (event.message.cut)
      return cutOff(id, contentText(content, null), textOf('message-delta'), textOf('answer-delta'))
    return [
      ...notStart(`the deltas of ${id}`, textOf('message-delta'), contentText(content, null)),
      ...notStart(`the deltas of the answer in ${id}`, textOf('answer-delta'), answer.trim()),
    ]
  })
}

function cutOff(id: string, content: string, said: string, answer: string): string[] {
  const beside = content.endsWith(answer) ? content.slice(0, content.length - answer.length).trim() : content
  const isKept = said.startsWith(beside) || content.startsWith(said)
  return isKept ? [] : [`${id} was cut at ${JSON.stringify(said)}, it is ${JSON.stringify(content)}`]
}

function notStart(what: string, text: string, whole: string): string[] {
  return whole.startsWith(text) ? [] : [`${what} are ${JSON.stringify(text)}, it is ${JSON.stringify(whole)}`]
}

/** No id of a delta is ever given to another text, restarts included. */
function deltaIds(streams: readonly Told[][]): string[] {
  const known = new Map<string, string>()
  return streams.flat().flatMap((told) => {
    if (!isDelta(told)) return []
    const text = JSON.stringify(told.data)
    const before = known.get(told.id)
    known.set(told.id, text)
    return before === undefined || before === text ? [] : [`delta id ${told.id} is ${before} and ${text}`]
  })
}
