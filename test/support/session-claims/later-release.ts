import { describe } from 'vitest'
import type { SessionEvent } from '../../../src/domain/event.ts'
import { newState } from '../../../src/domain/state.ts'
import { reduce } from '../../../src/orchestrators/all.ts'
import { responseOf, valueOf } from '../play.ts'
import { hear } from '../sse.ts'
import { WORDS } from '../words.ts'
import { TESTER } from '../home.ts'
import { claim, type GetHome } from './claim.ts'
import { type Document, exported, imported, sessionIn } from './documents.ts'

const words = WORDS['zh-CN']
const MORE = { later: { said: ['more', 2], of: '这里' } }

/** The log as a later release might have written it: more in each event, and others that only it knows behind each. */
function later({ events, records, ...document }: Document): Document {
  const more = events.flatMap((event): unknown[] => {
    const seq = 2 * event.seq - 1
    const { run_id, scope, time } = event
    const said = event.type === 'message' ? { message: { ...event.message, seq, ...MORE } } : {}
    return [
      { ...event, seq, ...said, ...MORE },
      { type: 'later-thing.v2', seq: seq + 1, run_id, scope, time, ...MORE },
    ]
  })
  return {
    ...document,
    events: more as SessionEvent[],
    records: records.map((record) => ({ ...record, seq: 2 * record.seq - 1, ...MORE })),
  }
}

/** What this release does with a log of a later one. */
export function laterReleaseClaims(home: GetHome): void {
  describe('a log of a later release', () => {
    claim(
      home,
      'is kept as it is, told as it is, and means what is known of it',
      {
        config: { llm: { protocol: 'xml' }, tools: { web_access: { auto_approve: true } } },
        script: (page) => [words.visit(page('zh')), words.rethink('想'), words.finish('一'), words.finish('二')],
      },
      async (play, expect) => {
        await play.create()
        await play.send(words.task)
        const known = await play.session()
        const document = later(await exported(play))
        const { id, api, made } = imported(play, document)
        const copy = await sessionIn(await made)
        const { status, finish_reason, usage, pending } = known
        expect(copy).toMatchObject({ status, finish_reason, usage, pending, last_seq: 2 * known.last_seq })
        expect(copy.messages.map(({ content }) => content)).toEqual(known.messages.map(({ content }) => content))
        expect(copy.messages.every((message) => 'later' in message)).toBe(true)
        expect(await valueOf(api.events(0, 1_000))).toEqual(document.events)
        const told = await hear(await valueOf(api.observe({ seq: 0, n: 0 })), document.events.length)
        expect(told.map(({ event, data }) => [event, data])).toEqual(document.events.map((one) => [one.type, one]))
        const again = await exported({ api })
        expect([again.events, again.records]).toEqual([document.events, document.records])
        expect(await play.home.storedState(id)).toEqual(reduce(newState(0), document.events))
        expect(responseOf(await api.addMessage({ content: '再来' }, { form: 'wait' }))).toMatchObject({ result: '二' })
        const events = await valueOf(api.events(0, 1_000))
        expect(events.slice(0, document.events.length)).toEqual(document.events)
        expect(await play.home.storedState(id)).toEqual(reduce(newState(0), events))
      },
    )

    claim(
      home,
      'that ends with what is not known is forked and gone on with from there',
      { config: { llm: { protocol: 'xml' } }, script: (page) => [words.visit(page('zh')), words.finish('好')] },
      async (play, expect) => {
        await play.create()
        expect(await play.send(words.task)).toMatchObject({ status: 'interrupted' })
        const document = later(await exported(play))
        const first = imported(play, document)
        expect(await sessionIn(await first.made)).toMatchObject({ status: 'cancelled', pending: [] })
        const at = document.events.length
        const second = imported(play, await exported(first, at))
        expect(await sessionIn(await second.made)).toMatchObject({ status: 'cancelled', pending: [] })
        expect((await valueOf(second.api.events(at - 1, 1)))[0]).toMatchObject({ type: 'later-thing.v2', ...MORE })
        const answer = await second.api.addMessage({ content: '再来' }, { form: 'wait' })
        expect(responseOf(answer)).toMatchObject({ status: 'completed', result: '好' })
      },
    )

    claim(
      home,
      'with an event that must not be passed over is read, exported and deleted, and takes no command',
      { config: { llm: { protocol: 'xml' } }, script: [words.finish('好'), words.finish('不')] },
      async (play, expect) => {
        await play.create()
        await play.send(words.task)
        const { events, ...document } = await exported(play)
        const { run_id, scope, time, seq } = events.at(-1) ?? {}
        const beyond: unknown = { type: 'later-thing.v2', seq: (seq ?? 0) + 1, run_id, scope, time, required: true }
        const { api, made } = imported(play, { ...document, events: [...events, beyond as SessionEvent] })
        const session = await sessionIn(await made)
        expect(session).toMatchObject({ needs_newer: true, status: 'completed', result: '好' })
        expect((await play.session()).needs_newer).toBeUndefined()
        const refused = { ok: false, error: { code: 'needs_newer' } }
        const said = await valueOf(api.events(0, 1_000))
        const wait = { form: 'wait', decider: TESTER } as const
        expect(await api.addMessage({ content: '再来' }, wait)).toEqual(refused)
        expect(await api.continue({}, wait)).toEqual(refused)
        expect(await api.decide('pnd_1', { decision: 'approve' }, wait)).toEqual(refused)
        expect(await api.cancel({})).toEqual(refused)
        expect(await api.patch({ title: 'x' }, null)).toEqual(refused)
        expect(await api.putFile('a.md', new Uint8Array([65]), { untrusted: false })).toEqual(refused)
        expect(await valueOf(api.events(0, 1_000))).toEqual(said)
        expect((await exported({ api })).events).toEqual(said)
        expect(await api.remove()).toEqual({ ok: true, value: null })
      },
    )
  })
}
