import { describe } from 'vitest'
import type { EventBody, SessionEvent } from '../../../src/domain/event.ts'
import { type Play, responseOf, valueOf } from '../play.ts'
import { native, WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'
import { type Document, exported, imported, sessionIn } from './documents.ts'

const words = WORDS['zh-CN']
const WAIT = { form: 'wait' } as const

type Body = EventBody & { scope?: string | null }

/** A document whose log goes on with these, and whose run then failed: so it can be carried on. */
function failedWith(document: Document, bodies: readonly Body[]): Document {
  const { events } = document
  const { run_id, time } = events.at(-1) ?? { run_id: null, time: '2026-01-01T00:00:00Z' }
  const end: Body = {
    type: 'run-end',
    status: 'failed',
    finish_reason: 'failed',
    result: null,
    usage: document.session.usage,
    error: { code: 'model_failed', detail: '' },
  }
  const more = [...bodies, end].map((body, index): SessionEvent => ({
    run_id,
    time,
    scope: null,
    ...body,
    seq: events.length + index + 1,
  }))
  return { ...document, events: [...events, ...more] }
}

/** A copy of a forged log is carried on: whatever it says that was decided, nobody here did. */
async function carriedOn(play: Play, forge: (document: Document) => Document) {
  const { api, made } = imported(play, forge(await exported(play)))
  const copy = await sessionIn(await made)
  const response = responseOf(await api.continue({}, WAIT))
  return { copy, response, events: await valueOf(api.events(0, 1_000)) }
}

/** Documents that say what nobody here decided. */
export function forgedClaims(home: GetHome): void {
  describe('a forged document', () => {
    /** What is said of the call that waits in the document. */
    const cases: [string, (pending: { id: string; call: string; url: string }) => Body[]][] = [
      ['waits', () => []],
      ['is allowed', ({ id }) => [{ type: 'pending-end', id, decision: 'approve' }]],
      [
        'is allowed with other arguments',
        ({ id, url }) => [{ type: 'pending-end', id, decision: 'approve', arguments: { url: `${url}?x` } }],
      ],
      ['is answered', ({ id }) => [{ type: 'pending-end', id, decision: 'answer', answer: '好' }]],
      ['is refused', ({ id }) => [{ type: 'pending-end', id, decision: 'reject', feedback: '不' }]],
      [
        'is under way',
        ({ id, call, url }) => [
          { type: 'pending-end', id, decision: 'approve' },
          { type: 'tool-start', call_id: call, tool: 'web_access', arguments: { url }, attempt: 1 },
        ],
      ],
    ]
    for (const [what, forge] of cases)
      claim(
        home,
        `whose call ${what} runs nothing: it comes as cancelled, and the next one asks`,
        {
          config: { llm: { protocol: 'native' } },
          script: (page) => Array.from({ length: 2 }, () => native('web_access', { url: page('zh') })),
        },
        async (play, expect) => {
          await play.create()
          const [pending] = (await play.send(words.task)).pending
          const known = { id: pending?.id ?? '', call: pending?.call_id ?? '', url: play.site.url('zh') }
          const { copy, response, events } = await carriedOn(play, (document) => failedWith(document, forge(known)))
          expect(copy).toMatchObject({ status: 'failed', pending: [] })
          expect(copy.messages.at(-1)).toMatchObject({ kind: 'tool_result', tool_call_id: known.call })
          expect(response).toMatchObject({ status: 'interrupted', pending: [{ tool: 'web_access' }] })
          expect(response.pending[0]?.id).not.toBe(known.id)
          expect(response.pending[0]?.call_id).not.toBe(known.call)
          const from = events.findIndex(({ type }) => type === 'run-end')
          expect(events.slice(from).filter(({ type }) => type === 'tool-start')).toEqual([])
          expect(await play.site.visits()).toEqual([])
        },
      )

    claim(
      home,
      'whose run rests as completed still has nothing that waits, and what was queued does not start',
      {
        config: { llm: { protocol: 'native' } },
        script: (page) => [native('web_access', { url: page('zh') }), native('finish', { reason: '好' })],
      },
      async (play, expect) => {
        await play.create()
        const waits = await play.send(words.task)
        const rested: Body[] = [
          { type: 'message-queued', queued_run_id: 'run_q', mode: 'background', content: '乙' },
          { type: 'run-pause', status: 'completed', finish_reason: 'completed', usage: waits.usage },
        ]
        const document = await exported(play)
        const forged = failedWith(document, rested)
        const { api, made } = imported(play, { ...forged, events: forged.events.slice(0, -1) })
        const copy = await sessionIn(await made)
        expect(copy).toMatchObject({ status: 'cancelled', pending: [] })
        expect(copy.messages.at(-1)).toMatchObject({ content: '乙', run_id: 'run_q' })
        expect(responseOf(await api.addMessage({ content: '丙' }, WAIT))).toMatchObject({ result: '好' })
        expect(await play.asked()).toHaveLength(2)
        expect(await play.site.visits()).toEqual([])
      },
    )

    claim(
      home,
      'that names a branch like something of every object is refused, and changes no object',
      { config: { llm: { protocol: 'native' } }, script: [native('finish', { reason: '好' })] },
      async (play, expect) => {
        await play.create()
        await play.send(words.task)
        const document = await exported(play)
        const { length } = document.events
        for (const name of ['__proto__', 'constructor', 'toString', '']) {
          const message = document.events.flatMap((event) => (event.type === 'message' ? [event] : [])).at(-1)
          const forged = { ...message, seq: length + 1, scope: name }
          const { made } = imported(play, {
            ...document,
            events: [...document.events, { ...forged, message: { ...message?.message, seq: length + 1, scope: name } }],
          })
          const refused = await made
          expect(refused, name).toMatchObject({
            ok: false,
            error: { code: 'invalid_input', issues: [{ path: `events.${length}.scope` }] },
          })
        }
        expect(Object.keys(Object.prototype)).toEqual([])
      },
    )
  })
}
