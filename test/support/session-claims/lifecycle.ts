import { describe } from 'vitest'
import { isId } from '../../../src/lib/id.ts'
import { errorOf, valueOf } from '../play.ts'
import { APPROVED, native, WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'

const words = WORDS['zh-CN']
const xml = { llm: { protocol: 'xml' as const } }
const MODEL_HANGS = { config: xml, script: [{ hang: true }, words.finish('好')] }

/** From creation to deletion: what may be asked of a session when, and what it looks like. */
export function lifecycleClaims(home: GetHome): void {
  describe('shapes', () => shapeClaims(home))
  describe('cancel', () => cancelClaims(home))
  describe('one run at a time', () => busyClaims(home))
  describe('continue', () => continueClaims(home))
  describe('change and deletion', () => changeClaims(home))
}

function shapeClaims(home: GetHome): void {
  claim(
    home,
    'a place behind the last event is refused, with the last one, by every list',
    { config: xml, script: [words.finish('好')] },
    async (play, expect) => {
      await play.create()
      await play.send(words.task)
      const { last_seq: last } = await play.session()
      const { api } = play
      const at = (seq: number) => Promise.all([api.messages(seq, 1), api.events(seq, 1)])
      for (const found of await at(last)) expect(found).toEqual({ ok: true, value: [] })
      for (const found of await at(last + 1))
        expect(found).toMatchObject({ error: { code: 'invalid_input', issues: [{ path: 'after' }] } })
    },
  )

  claim(home, 'a new session is idle and shows every field', {}, async (play, expect) => {
    const session = await play.create({ user: 'u1', metadata: { a: 1 } })
    expect(session).toEqual({
      id: play.id,
      object: 'session',
      title: '',
      start_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      updated_time: expect.stringMatching(/Z$/),
      character: 'yaa',
      status: 'idle',
      finish_reason: null,
      orchestrator: 'agent',
      skill: null,
      user: 'u1',
      metadata: { a: 1 },
      config: { llm: { extra_body: { script: play.model.name } } },
      messages: [],
      result: null,
      error: null,
      ended_by: null,
      pending: [],
      usage: expect.objectContaining({ total_tokens: 0, iterations: 0, cost: null }),
      last_seq: 0,
      etag: expect.stringMatching(/^"/),
    })
  })

  claim(
    home,
    'a finished run shows its answer in a shape of its own',
    { config: xml, script: [words.finish('好')] },
    async (play, expect) => {
      await play.create()
      const answer = await play.send('第一行\n第二行')
      const session = await play.session()
      expect(answer).toEqual({
        id: play.id,
        object: 'agent.response',
        title: '第一行',
        start_time: session.start_time,
        run_id: expect.stringMatching(/^run_/),
        status: 'completed',
        finish_reason: 'completed',
        messages: session.messages.slice(1),
        result: '好',
        pending: [],
        usage: session.usage,
        error: null,
        ended_by: 'finish',
      })
      for (const message of session.messages) {
        expect(isId('msg', message.id)).toBe(true)
        expect(message).toMatchObject({ run_id: answer.run_id, scope: null, created_time: expect.stringMatching(/Z$/) })
      }
      expect(session.messages.map(({ seq }) => seq)).toEqual(
        session.messages.map(({ seq }) => seq).toSorted((a, b) => a - b),
      )
      expect(isId('call', session.messages[2]?.tool_calls?.[0]?.id ?? '')).toBe(true)
      const events = await play.events()
      expect(events.map(({ type }) => type)).toEqual([
        'run-start',
        'message',
        'message',
        'iteration-start',
        'model-start',
        'message',
        'model-end',
        'usage',
        'tool-start',
        'tool-end',
        'message',
        'iteration-end',
        'run-end',
      ])
      expect(events.at(-1)).toMatchObject({
        status: 'completed',
        finish_reason: 'completed',
        result: '好',
        usage: answer.usage,
      })
      expect(new Set(events.map(({ run_id: run }) => run))).toEqual(new Set([answer.run_id]))
    },
  )

  claim(
    home,
    'history may be brought along, and the model sees it',
    { config: xml, script: [words.finish('好')] },
    async (play, expect) => {
      await play.create({
        messages: [
          { role: 'user', content: '我叫小明' },
          { role: 'assistant', content: '<再度思考><理由>记住了</理由></再度思考>' },
          { role: 'tool', content: '[再度思考]执行成功。' },
        ],
      })
      expect((await play.session()).status).toBe('idle')
      await play.send('我叫什么？')
      const [asked] = await play.asked()
      expect(asked?.body.messages.map(({ content }) => content).slice(1)).toEqual([
        '我叫小明',
        '<再度思考><理由>记住了</理由></再度思考>',
        '[再度思考]执行成功。',
        '我叫什么？',
      ])
    },
  )

  claim(
    home,
    'a part of the messages can be asked for',
    { config: xml, script: [words.finish('一'), words.finish('二')] },
    async (play, expect) => {
      await play.create()
      await play.send('甲')
      const { run_id: run } = await play.send('乙')
      const part = async (name: 'all' | 'last_run' | 'none') => {
        const { body } = await valueOf(play.api.read(name))
        return (JSON.parse(await new Response(body).text()) as { messages: { content: string; run_id: string }[] })
          .messages
      }
      expect(await part('none')).toEqual([])
      expect((await part('last_run')).every((message) => message.run_id === run)).toBe(true)
      expect((await part('last_run'))[0]?.content).toBe('乙')
      expect((await part('all'))[0]?.content).toBe('甲')
      const page = await valueOf(play.api.messages(0, 3))
      expect(page).toHaveLength(3)
      const rest = await valueOf(play.api.messages(page.at(-1)?.seq ?? 0, 100))
      expect([...page, ...rest].map(({ id }) => id)).toEqual((await play.messages()).map(({ id }) => id))
    },
  )

  claim(home, 'an id that was never made is not there, whatever is asked', {}, async (play, expect) => {
    const wait = { form: 'wait' } as const
    const answers = await Promise.all([
      errorOf(play.api.read('all')),
      errorOf(play.api.addMessage({ content: 'x' }, wait)),
      errorOf(play.api.continue({}, wait)),
      errorOf(play.api.cancel({})),
      errorOf(play.api.decide('pnd_x', { decision: 'reject' }, wait)),
      errorOf(play.api.messages(0, 1)),
      errorOf(play.api.observe({ seq: 0, n: 0 })),
      errorOf(play.api.patch({ title: 'x' }, null)),
      errorOf(play.api.remove()),
      errorOf(play.api.result('call_x')),
    ])
    expect(answers.map(({ code }) => code)).toEqual(Array(10).fill('not_found'))
    await play.create()
  })
}

function cancelClaims(home: GetHome): void {
  claim(home, 'stops a model call that hangs; whoever waits is told', MODEL_HANGS, async (play, expect) => {
    await play.create()
    const waiting = play.send(words.task)
    await play.asked(1)
    const answer = await play.cancel()
    expect(answer).toMatchObject({ status: 'cancelled', finish_reason: 'cancelled', result: null, pending: [] })
    expect(await waiting).toMatchObject({ status: 'cancelled', finish_reason: 'cancelled', run_id: answer.run_id })
    expect(await play.cancel()).toEqual(answer)
    expect((await play.events()).filter(({ type }) => type === 'run-end')).toHaveLength(1)
    expect(await errorOf(play.api.continue({}, { form: 'wait' }))).toMatchObject({ code: 'nothing_to_continue' })
    expect(await play.send('再来')).toMatchObject({ status: 'completed', result: '好' })
  })

  claim(
    home,
    'stops a page that hangs, and every call has its result',
    {
      config: { llm: { protocol: 'native' }, ...APPROVED },
      script: (page) => [
        {
          content: null,
          tool_calls: ['hang', 'article'].map((name) => ({ name: 'web_access', arguments: { url: page(name) } })),
        },
        native('finish', { reason: '好' }),
      ],
    },
    async (play, expect) => {
      await play.create()
      const waiting = play.send(words.task)
      await play.site.visits(2)
      expect(await play.cancel()).toMatchObject({ status: 'cancelled' })
      expect(await waiting).toMatchObject({ status: 'cancelled' })
      expect(await play.send('再来')).toMatchObject({ status: 'completed', result: '好' })
    },
  )

  claim(
    home,
    'empties what is pending; a decision that comes later is stale',
    { config: xml, script: (page) => [words.visit(page('article')), words.finish('好')] },
    async (play, expect) => {
      await play.create()
      const { pending } = await play.send(words.task)
      expect(await play.cancel()).toMatchObject({ status: 'cancelled', pending: [] })
      const late = play.api.decide(pending[0]?.id ?? '', { decision: 'approve' }, { form: 'wait' })
      expect(await errorOf(late)).toMatchObject({ code: 'stale_decision' })
      expect(await play.send('再来')).toMatchObject({ status: 'completed' })
      expect(await play.site.visits()).toEqual([])
    },
  )

  claim(
    home,
    'of a session without a run changes nothing',
    { config: xml, script: [words.finish('好')] },
    async (play, expect) => {
      await play.create()
      expect(await play.cancel()).toMatchObject({ status: 'idle', run_id: null })
      await play.send(words.task)
      expect(await play.cancel()).toMatchObject({ status: 'completed', result: '好' })
    },
  )
}

function busyClaims(home: GetHome): void {
  claim(
    home,
    'another message, continue or decision while a run goes is refused',
    MODEL_HANGS,
    async (play, expect) => {
      await play.create()
      const waiting = play.send(words.task)
      await play.asked(1)
      const { run_id: run } = await play.event('run-start')
      const wait = { form: 'wait' } as const
      const busy = { code: 'run_in_progress', runId: run }
      expect(await errorOf(play.api.addMessage({ content: 'x' }, wait))).toEqual(busy)
      expect(await errorOf(play.api.continue({}, wait))).toEqual(busy)
      expect(await play.session()).toMatchObject({ status: 'in_progress', finish_reason: null })
      await play.cancel()
      await waiting
      expect((await play.kinds()).filter((kind) => kind === 'task')).toHaveLength(1)
    },
  )

  claim(
    home,
    'a message to a run that rests between batches ends it as cancelled and starts its own',
    { config: { ...xml, limits: { max_iterations: 1 } }, script: [words.rethink('…'), words.finish('二')] },
    async (play, expect) => {
      await play.create()
      const first = await play.send('一')
      expect(first.status).toBe('in_progress')
      const second = await play.send('二')
      expect(second).toMatchObject({ status: 'completed', result: '二' })
      expect(second.run_id).not.toBe(first.run_id)
      const ends = (await play.events()).filter(({ type }) => type === 'run-end')
      expect(ends).toMatchObject([
        { run_id: first.run_id, status: 'cancelled', finish_reason: 'cancelled' },
        { run_id: second.run_id, status: 'completed' },
      ])
    },
  )

  claim(
    home,
    'a failed or completed session takes a new task',
    { config: xml, script: [{ status: 500 }, words.finish('一'), words.finish('二')] },
    async (play, expect) => {
      await play.create()
      expect((await play.send('甲')).status).toBe('failed')
      expect((await play.send('乙')).result).toBe('一')
      expect((await play.send('丙')).result).toBe('二')
      expect((await play.session()).title).toBe('甲')
    },
  )

  claim(
    home,
    'in the background a run goes on batch by batch to its end',
    {
      config: { ...xml, limits: { max_iterations: 1 } },
      script: [words.rethink('…'), words.rethink('。'), words.finish('好')],
    },
    async (play, expect) => {
      await play.create()
      const accepted = await valueOf(play.api.addMessage({ content: words.task }, { form: 'background' }))
      expect(accepted).toMatchObject({ form: 'background', accepted: { session_id: play.id } })
      expect(await play.event('run-end')).toMatchObject({ status: 'completed', result: '好' })
      expect((await play.events()).filter(({ type }) => type === 'run-pause')).toEqual([])
    },
  )
}

function continueClaims(home: GetHome): void {
  claim(
    home,
    'has nothing to do when idle or completed',
    { config: xml, script: [words.finish('好')] },
    async (play, expect) => {
      await play.create()
      const refused = () => errorOf(play.api.continue({}, { form: 'wait' }))
      expect(await refused()).toMatchObject({ code: 'nothing_to_continue', status: 'idle' })
      await play.send(words.task)
      expect(await refused()).toMatchObject({ code: 'nothing_to_continue', status: 'completed' })
    },
  )
}

function changeClaims(home: GetHome): void {
  claim(
    home,
    'title, metadata and config are changed member by member, and the etag guards them',
    { config: { instructions: 'a', ...xml } },
    async (play, expect) => {
      const { etag } = await play.create({ metadata: { a: 1, b: 2 } })
      const changed = { title: '新', metadata: { b: null, c: 3 }, config: { instructions: null, language: 'en' } }
      await valueOf(play.api.patch(changed, etag))
      const session = await play.session()
      expect(session).toMatchObject({
        title: '新',
        metadata: { a: 1, c: 3 },
        config: { language: 'en', llm: { protocol: 'xml' } },
      })
      expect(session.metadata).not.toHaveProperty('b')
      expect(session.config).not.toHaveProperty('instructions')
      expect(session.etag).not.toBe(etag)
      expect(await errorOf(play.api.patch({ title: 'x' }, etag))).toMatchObject({
        code: 'precondition_failed',
        etag: session.etag,
      })
      expect(await errorOf(play.api.patch({ config: { modell: 'x' } }, null))).toMatchObject({
        code: 'invalid_input',
        issues: [{ path: expect.stringMatching(/^config/) }],
      })
      expect((await play.session()).title).toBe('新')
    },
  )

  claim(
    home,
    'a secret is never shown, and a masked one that comes back is kept',
    { config: xml, script: [words.finish('好')] },
    async (play, expect) => {
      await play.create({ config: { llm: { protocol: 'xml', model: play.model.name, api_key: 'sk-very-secret' } } })
      const { config } = await play.session()
      expect(config.llm?.api_key).toBe('***')
      await valueOf(play.api.patch({ config }, null))
      await play.send(words.task)
      expect((await play.asked())[0]?.headers['authorization']).toBe('Bearer sk-very-secret')
      expect(JSON.stringify([await play.session(), await play.events()])).not.toContain('very-secret')
    },
  )

  claim(
    home,
    'an unknown model and a private address of a model are refused with their paths',
    {},
    async (play, expect) => {
      await play.create()
      const issuesOf = async (config: object) => {
        const error = await errorOf(play.api.patch({ config: { ...config } }, null))
        return error.code === 'invalid_input' ? error.issues.map(({ path }) => path) : error
      }
      expect(await issuesOf({ model: 'nobody' })).toEqual(['config.model'])
      expect(await issuesOf({ llm: { api_url: 'http://127.0.0.1:1/v1' } })).toEqual(['config.llm.api_url'])
      expect(await issuesOf({ llm: { api_url: 'http://[::ffff:10.0.0.1]/v1' } })).toEqual(['config.llm.api_url'])
      expect(await issuesOf({ llm: { api_url: 'http://2130706433/v1' } })).toEqual(['config.llm.api_url'])
    },
  )
}
