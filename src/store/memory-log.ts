import type { SessionEvent } from '../domain/event.ts'
import type { NewRecord } from '../domain/log-record.ts'
import type { Message } from '../domain/message.ts'
import type { Log, PlacedTeamMessage, StoredRequest, Successor } from '../domain/ports.ts'
import { withoutAct } from './event-rows.ts'
import { memoryFiles } from './memory-files.ts'

/** The log of a session in memory: for the stateless call and the library. */
export function memoryLog(): Log {
  let known: ReturnType<Log['load']> = null
  let events: SessionEvent[] = []
  let records: NewRecord[] = []
  let successor: Successor | null = null
  const texts = new Map<string, string>()
  const requests = new Map<string, StoredRequest>()
  const files = memoryFiles()
  return {
    load: () => known,
    append: (append) => {
      const record = append.record ?? known?.record
      if (!record) throw new Error('the first append of a log brings its record')
      known = { record, state: append.state, acts: append.acts ?? [] }
      for (const event of append.events) events.push(event)
      for (const one of append.records ?? []) records.push(one)
      if (append.request) requests.set(append.request.key, append.request)
      for (const { key, text } of append.texts ?? []) texts.set(key, text)
      const place = { time: append.state.updatedTime, seq: append.state.lastSeq }
      for (const change of append.files ?? []) files.change(change, place)
    },
    hold: () => {},
    flush: () => {},
    stage: (part) => {
      for (const event of part.events ?? []) events.push(event)
      for (const record of [...(part.records ?? []), ...(part.recordsOfBefore ?? [])]) records.push(record)
      for (const { key, text } of part.texts ?? []) texts.set(key, text)
      for (const key of part.forgottenTexts ?? []) texts.delete(key)
      for (const change of part.files ?? []) files.change(change, { time: part.time, seq: 0 })
    },
    hasLeftovers: () => known === null && events.length + texts.size + files.total().files > 0,
    events: (after, limit, types) =>
      (types
        ? events.slice(after).filter(({ type }) => types.includes(type))
        : events.slice(after, after + limit)
      ).slice(0, limit),
    records: (after, limit) =>
      records
        .filter(({ seq }) => seq > after)
        .slice(0, limit)
        .map(withoutAct),
    messages: ({ after = 0, before = Infinity, scope, limit, newestFirst }) => {
      const found = events.flatMap((event): Message[] => {
        const wanted = event.type === 'message' && event.seq > after && event.seq < before
        return wanted && (scope === undefined || event.scope === scope) ? [event.message] : []
      })
      return newestFirst ? found.toReversed().slice(0, limit) : found.slice(0, limit)
    },
    teamMessages: ({ after = 0, limit, newestFirst }) => {
      const found = events.flatMap((event): PlacedTeamMessage[] =>
        event.type === 'team-message' && event.seq > after ? [{ seq: event.seq, message: event.message }] : [],
      )
      return newestFirst ? found.toReversed().slice(0, limit) : found.slice(0, limit)
    },
    text: (key) => texts.get(key) ?? null,
    files,
    request: (key) => requests.get(key) ?? null,
    keepAnswer: (key, answer) => {
      const request = requests.get(key)
      if (request) requests.set(key, { ...request, answer })
    },
    successor: () => successor,
    keepSuccessor: (given) => {
      successor = given
    },
    clear: () => {
      successor = null
      known = null
      events = []
      records = []
      texts.clear()
      files.clear()
      requests.clear()
    },
  }
}
