import { describe, type ExpectStatic } from 'vitest'
import type { AppError } from '../../../src/domain/errors.ts'
import type { SessionEvent } from '../../../src/domain/event.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { errorOf, type Play, responseOf, valueOf } from '../play.ts'
import { validateStrictHistory } from '../strict-history.ts'
import { APPROVED, native, WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'
import { type Document, exported, imported, sessionIn } from './documents.ts'

const words = WORDS['zh-CN']
const xml = { llm: { protocol: 'xml' as const } }
const WAIT = { form: 'wait' } as const

/** Sessions on the move: exported, imported, forked. */
export function transferClaims(home: GetHome): void {
  describe('an export', () => exportClaims(home))
  describe('a fork', () => forkClaims(home))
  describe('an import', () => importClaims(home))
}

/** A document without what differs between a session and its copy. */
function withoutPlace({ session, events, ...rest }: Document): unknown {
  const { id: _, start_time: __, updated_time: ___, ...others } = session
  const text = JSON.stringify({ session: others, events, ...rest })
  return JSON.parse(text.replaceAll(/\/v1\/sessions\/ses_[^/]+/g, '/v1/sessions/ID'))
}

function exportClaims(home: GetHome): void {
  claim(
    home,
    'is complete: its import exports the same again',
    {
      config: { ...xml, tools: { web_access: { auto_approve: true, output: { chars_max: 1_000 } } } },
      script: (page) => [
        words.rethink('先想想'),
        words.visit(page('long')),
        '没有调用',
        words.visit(page('missing')),
        words.finish('一'),
        { status: 503 },
        words.finish('二'),
      ],
    },
    async (play, expect) => {
      await play.create({ title: '标题', user: 'u1', metadata: { a: { b: 1 } } })
      await play.send(words.task)
      expect(await play.send('失败')).toMatchObject({ status: 'failed' })
      const document = await exported(play)
      expect(document).toMatchObject({ object: 'session.export', version: 1, session: { id: play.id, title: '标题' } })
      expect(document.events).toEqual(await play.events())
      expect(document.session).toEqual(await play.session())
      const [callId = '', whole = ''] = Object.entries(document.results)[0] ?? []
      expect(whole.length).toBeGreaterThan(2_000)
      const { id, api, made } = imported(play, document)
      const copy = await sessionIn(await made)
      expect(copy.id).toBe(id)
      expect(withoutPlace(await exported({ api }))).toEqual(withoutPlace(document))
      expect(await valueOf(api.result(callId))).toBe(whole)
      const rest = copy.messages.flatMap(({ truncated }) => (truncated ? [truncated.rest] : []))
      expect(rest).toEqual([`/v1/sessions/${id}/results/${callId}`])
      expect(responseOf(await api.addMessage({ content: '再来' }, WAIT))).toMatchObject({ result: '二' })
      expect(copy.messages).toHaveLength((await play.messages()).length)
    },
  )

  claim(
    home,
    'says of each record which move made it',
    { config: xml, script: (page) => [words.visit(page('article')), words.finish('好')] },
    async (play, expect) => {
      await play.create()
      await play.send(words.task)
      await play.decide({ decision: 'approve' })
      const { events, records } = await exported(play)
      const made = records.map(({ seq, move, ends }) => `${events[seq - 1]?.type} ${move?.type}${ends ? ' ends' : ''}`)
      const called = 'start call-model,message call-model ends'
      const ran = 'tool-start call-tool,tool-end call-tool ends'
      // What has no effect outside begins and ends in one record.
      const finished = 'tool-start call-tool'
      const asked = 'pending ask,run-pause wait,pending-end undefined'
      expect(made.join()).toBe(
        `run-start undefined,message prompt,iteration-${called},${asked},${ran},iteration-end call-model,message call-model ends,${finished},iteration-end end`,
      )
    },
  )

  claim(
    home,
    'shows no secret, which a fork within the server keeps',
    { script: [words.finish('好'), words.finish('又')] },
    async (play, expect) => {
      await play.create({ config: { llm: { protocol: 'xml', model: play.model.name, api_key: 'sk-very-secret' } } })
      await play.send(words.task)
      const shown = await exported(play)
      expect(JSON.stringify(shown)).not.toContain('very-secret')
      expect(shown.session.config.llm?.api_key).toBe('***')
      const copied = await exported(play, null, true)
      expect(copied.session.messages, 'its events have them').toEqual([])
      const fork = imported(play, copied)
      expect((await sessionIn(await fork.made)).config.llm?.api_key).toBe('***')
      await valueOf(fork.api.addMessage({ content: '再来' }, WAIT))
      expect((await play.asked())[1]?.headers['authorization']).toBe('Bearer sk-very-secret')
      const other = await sessionIn(await imported(play, shown).made)
      expect(other.config.llm).toEqual({ protocol: 'xml', model: play.model.name })
    },
  )

  claim(
    home,
    'of a session in which nothing happened can be imported',
    { config: xml, script: [words.finish('好')] },
    async (play, expect) => {
      await play.create()
      const { api, made } = imported(play, await exported(play))
      expect(await sessionIn(await made)).toMatchObject({ status: 'idle', last_seq: 0, messages: [] })
      expect(responseOf(await api.addMessage({ content: '你好' }, WAIT))).toMatchObject({ result: '好' })
    },
  )
}

function forkClaims(home: GetHome): void {
  const LAST = { content: '再来', config: { tools: APPROVED.tools } }

  for (const protocol of ['xml', 'native'] as const) {
    claim(
      home,
      `at any event, ${protocol}: what is open there is cancelled, nothing runs, and the fork goes on`,
      {
        config: { llm: { protocol } },
        script: (page) => [
          ...(protocol === 'xml'
            ? [words.rethink('想'), words.visit(page('zh')), words.visit(page('article')), words.finish('好')]
            : [
                native('rethink', { reason: '想' }),
                {
                  content: null,
                  tool_calls: ['zh', 'article'].map((name) => ({ name: 'web_access', arguments: { url: page(name) } })),
                },
                native('finish', { reason: '好' }),
              ]),
          { content: '', body: { error: 'no more' }, status: 400, repeat: true },
        ],
      },
      async (play, expect) => {
        await play.create()
        await play.send(words.task)
        await play.decide({ decision: 'approve' })
        expect(await play.decide({ decision: 'reject', feedback: '不' })).toMatchObject({ status: 'completed' })
        const { length } = await play.events()
        await play.model.script({
          steps: [protocol === 'xml' ? words.finish('叉') : native('finish', { reason: '叉' })],
          loop: true,
        })
        const visits = await play.site.visits()
        const { length: askedBefore } = await play.asked()
        for (let atSeq = 1; atSeq <= length; atSeq++) await expectFork(play, atSeq, expect)
        expect(await play.site.visits()).toEqual(visits)
        for (const { body } of await play.asked()) expect(validateStrictHistory(body.messages)).toEqual([])
        expect(await play.asked()).toHaveLength(askedBefore + length)
        await play.model.script([])
      },
    )
  }

  /** The model is asked once: by the message that comes after the fork was made. */
  async function expectFork(play: Play, atSeq: number, expect: ExpectStatic): Promise<void> {
    const { api, made } = imported(play, await exported(play, atSeq, true))
    const fork = await sessionIn(await made)
    const where = `fork at ${atSeq}`
    expect(['idle', 'completed', 'failed', 'cancelled'], where).toContain(fork.status)
    expect(fork.pending, where).toEqual([])
    const events = await valueOf(api.events(0, 1_000))
    const own = (await play.events()).slice(0, atSeq)
    const unsigned = own.map((event) => Object.fromEntries(Object.entries(event).filter(([name]) => name !== 'by')))
    expect(events.slice(0, atSeq)).toEqual(unsigned)
    expect(responseOf(await api.addMessage(LAST, WAIT)), where).toMatchObject({ status: 'completed', result: '叉' })
  }

  claim(
    home,
    'of a session with queued messages runs none of them; they come as cancelled runs',
    { config: xml, script: [{ hang: true }, words.finish('二'), words.finish('三')] },
    async (play, expect) => {
      await play.create()
      const first = play.send('甲')
      await play.asked(1)
      const second = play.api.addMessage({ content: '乙' }, { form: 'wait', whenBusy: 'queue' })
      const queued = await play.event('message-queued')
      const { api, made } = imported(play, await exported(play, null, true))
      const fork = await sessionIn(await made)
      expect(fork).toMatchObject({ status: 'cancelled', pending: [] })
      expect(fork.messages.at(-1)).toMatchObject({ content: '乙', kind: 'task', run_id: queued.queued_run_id })
      expect(responseOf(await api.addMessage({ content: '丙' }, WAIT))).toMatchObject({ result: '二' })
      expect(await play.asked()).toHaveLength(2)
      await play.cancel()
      expect(await first).toMatchObject({ status: 'cancelled' })
      expect(responseOf(await second)).toMatchObject({ result: '三' })
    },
  )

  claim(
    home,
    'beyond the last event is refused',
    { config: xml, script: [words.finish('好')] },
    async (play, expect) => {
      await play.create()
      await play.send(words.task)
      const { last_seq: last } = await play.session()
      expect(await errorOf(play.api.export(last + 1, true))).toMatchObject({
        code: 'invalid_input',
        issues: [{ path: 'at_seq' }],
      })
    },
  )

  claim(
    home,
    'can be made of what no client may send: long replies, strange names, many calls',
    {
      config: { ...xml, llm: { protocol: 'native' } },
      script: [
        { when: { contains: '压缩对话记录' }, content: '摘要', repeat: true },
        native('x'.repeat(900), { a: '有' }, '长'.repeat(LIMITS.text.contentCharsMax + 10)),
        native('finish', { reason: '好' }),
        native('finish', { reason: '又' }),
      ],
    },
    async (play, expect) => {
      await play.create({ config: { llm: { protocol: 'native', model: play.model.name, stream: false } } })
      expect(await play.send(words.task)).toMatchObject({ status: 'completed' })
      const { api, made } = imported(play, await exported(play, null, true))
      expect((await sessionIn(await made)).messages).toEqual(await play.messages())
      expect(responseOf(await api.addMessage({ content: '再来' }, WAIT))).toMatchObject({ result: '又' })
    },
  )
}

function importClaims(home: GetHome): void {
  claim(
    home,
    'needs no more than messages with role and content',
    { config: xml, script: [words.finish('好')] },
    async (play, expect) => {
      const messages = [
        { role: 'user', content: '我叫小明' },
        { role: 'assistant', content: words.rethink('记住了') },
        { role: 'tool', content: words.rethought },
      ]
      const config = { llm: { protocol: 'xml', model: play.model.name } }
      const { api, made } = imported(play, { session: { messages, config } })
      expect(await sessionIn(await made)).toMatchObject({ status: 'idle', title: '我叫小明' })
      expect(responseOf(await api.addMessage({ content: '我叫什么？' }, WAIT))).toMatchObject({ result: '好' })
      expect((await play.asked())[0]?.body.messages.map(({ content }) => content).slice(1, 2)).toEqual(['我叫小明'])
      await play.create()
    },
  )

  claim(
    home,
    'of what cannot be read is refused with the place, and makes nothing',
    { config: xml, script: [words.finish('好')] },
    async (play, expect) => {
      await play.create()
      await play.send(words.task)
      const whole = await exported(play)
      const cases: [string, unknown, string][] = [
        ['no JSON', '{"session":', ''],
        ['no object', '[]', ''],
        ['no session', {}, 'session'],
        ['neither messages nor events', { session: {} }, 'session.messages'],
        ['another version', { ...whole, version: 2 }, 'version'],
        ['another thing', { ...whole, object: 'session' }, 'object'],
        ['an unknown orchestrator', { session: { orchestrator: 'boss' } }, 'session.orchestrator'],
        ['an unknown model', { session: { messages: [], config: { model: 'nobody' } } }, 'session.config.model'],
        [
          'an unknown key of the config',
          { session: { messages: [], config: { modell: 'x' } } },
          'session.config.modell',
        ],
        ['what is nested too deep', `{"session":${'{"metadata":'.repeat(5_000)}1${'}'.repeat(5_000)}}`, ''],
        ['too many metadata', { session: { metadata: manyKeys() } }, 'session.metadata'],
        ['a role that is none', { session: { messages: [{ role: 'boss', content: 'x' }] } }, 'session.messages.0.role'],
        ['a gap', { ...whole, events: whole.events.toSpliced(3, 1) }, 'events.3.seq'],
        ['events out of order', { ...whole, events: whole.events.toReversed() }, 'events.0.seq'],
        ['an end without a start', { ...whole, events: renumbered(whole.events.slice(3)) }, 'events'],
        ['a type that is none', changedDocument(whole, 'run-end', { type: 'Party time' }), typePath(whole, 'run-end')],
        ['a delta', changedDocument(whole, 'run-end', { type: 'message-delta' }), typePath(whole, 'run-end')],
        ['no type', changedDocument(whole, 'run-end', { type: 7 }), typePath(whole, 'run-end')],
        [
          'an unknown event without a time',
          changedDocument(whole, 'run-end', { type: 'party', time: undefined }),
          typePath(whole, 'run-end', 'time'),
        ],
        ['a wrong type', changedDocument(whole, 'run-end', { status: 7 }), typePath(whole, 'run-end', 'status')],
        [
          'no usage',
          changedDocument(whole, 'model-end', { spent: {} }),
          typePath(whole, 'model-end', 'spent.prompt_tokens'),
        ],
        ['a message elsewhere', messageElsewhere(whole), typePath(whole, 'message', 'message.seq')],
        [
          'a summary of what comes',
          changedDocument(whole, 'message', { covers: { seq: 99, kept_tokens: 0 } }),
          typePath(whole, 'message', 'covers.seq'),
        ],
        [
          'a time that is none',
          changedDocument(whole, 'run-end', { time: 'yesterday' }),
          typePath(whole, 'run-end', 'time'),
        ],
      ]
      for (const [what, document, path] of cases) {
        const { api, made } = imported(play, document)
        const error = await errorOf(made)
        expect(pathsOf(error), `${what}: ${JSON.stringify(error)}`).toContain(path)
        expect(await errorOf(api.read('all')), what).toMatchObject({ code: 'not_found' })
      }
    },
  )

  claim(home, 'of too many bytes is refused', { config: xml, script: [words.finish('好')] }, async (play, expect) => {
    await play.create()
    const { api, made } = imported(play, { session: { title: '长'.repeat(500) } }, 1_000)
    expect(await errorOf(made)).toEqual({ code: 'body_too_large', bytesMax: 1_000 })
    expect(await errorOf(api.read('all'))).toMatchObject({ code: 'not_found' })
  })

  claim(
    home,
    'of events from the future has them now, so that lists see what comes after',
    { config: xml, script: [words.finish('好'), words.finish('又')] },
    async (play, expect) => {
      await play.create()
      await play.send(words.task)
      const document = await exported(play)
      const events = document.events.map((event) => ({ ...event, time: '2999-01-01T00:00:00Z' }))
      const { made } = imported(play, { ...document, events })
      const copy = await sessionIn(await made)
      expect(Date.parse(copy.updated_time)).toBeLessThan(Date.now() + 60_000)
    },
  )

  claim(home, 'of a log that leaves ever more open is refused', { config: xml, script: [] }, async (play, expect) => {
    await play.create()
    const time = '2026-01-01T00:00:00Z'
    const place = (index: number) => ({ seq: index + 1, run_id: 'run_1', scope: null, time })
    const start = { ...place(0), type: 'run-start', orchestrator: 'agent', mode: 'request', resumed: false }
    const open = Array.from({ length: 5_000 }, (_, index) => ({
      ...place(index + 1),
      type: 'message-queued',
      queued_run_id: `run_q${index}`,
      mode: 'request',
      content: 'x',
    }))
    const { made } = imported(play, { session: {}, events: [start, ...open] })
    expect(pathsOf(await errorOf(made))).toContain('events')
    const calls = Array.from({ length: 5_000 }, (_, index) => ({
      id: `call_${index}`,
      name: 'web_access',
      arguments: {},
    }))
    const message = { role: 'assistant', content: '', id: 'm', seq: 2, created_time: time, tool_calls: calls }
    const reply = { ...place(1), type: 'message', message }
    const called = imported(play, { session: {}, events: [start, reply] })
    expect(pathsOf(await errorOf(called.made))).toContain('events')
  })

  claim(home, 'of very many events is whole', { config: xml, script: [words.finish('好')] }, async (play, expect) => {
    await play.create()
    const time = '2026-01-01T00:00:00Z'
    const events = Array.from({ length: 130_000 }, (_, index) => {
      const place = { seq: index + 1, run_id: null, scope: null }
      return {
        ...place,
        type: 'message',
        time,
        message: { role: 'user', content: `${index}`, id: `m${index}`, seq: index + 1, created_time: time },
      }
    })
    const config = { llm: { protocol: 'xml', model: play.model.name } }
    const { api, made } = imported(play, { session: { config }, events })
    expect((await valueOf(made)).etag).toBe('"130000"')
    expect((await valueOf(api.messages(129_999, 10))).map(({ content }) => content)).toEqual(['129999'])
  })
}

function manyKeys(): Record<string, number> {
  return Object.fromEntries(Array.from({ length: LIMITS.text.metadataKeysMax + 1 }, (_, index) => [`k${index}`, index]))
}

function pathsOf(error: AppError): string[] {
  return error.code === 'invalid_input' ? error.issues.map(({ path }) => path) : [error.code]
}

function indexOf({ events }: Document, type: string): number {
  return events.findLastIndex((event) => event.type === type)
}

function typePath(document: Document, type: string, field = 'type'): string {
  return `events.${indexOf(document, type)}.${field}`
}

function changed(document: Document, type: string, fields: object): unknown[] {
  const at = indexOf(document, type)
  return document.events.map((event, index) => (index === at ? { ...event, ...fields } : event))
}

function changedDocument(document: Document, type: string, fields: object): unknown {
  return { ...document, events: changed(document, type, fields) }
}

function messageElsewhere(document: Document): unknown {
  const event = document.events[indexOf(document, 'message')]
  if (event?.type !== 'message') throw new Error('a message was expected')
  return changedDocument(document, 'message', { message: { ...event.message, seq: 1 } })
}

function renumbered(events: readonly SessionEvent[]): SessionEvent[] {
  return events.map((event, index) =>
    event.type === 'message'
      ? { ...event, seq: index + 1, message: { ...event.message, seq: index + 1 } }
      : { ...event, seq: index + 1 },
  )
}
