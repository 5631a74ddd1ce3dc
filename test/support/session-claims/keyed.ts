import { describe, type ExpectStatic } from 'vitest'
import type { Result } from '../../../src/domain/errors.ts'
import type { RunAnswer, SessionText, Superseded } from '../../../src/session/call.ts'
import { errorOf, type Play, responseOf, valueOf } from '../play.ts'
import { hear } from '../sse.ts'
import { WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'

const words = WORDS['zh-CN']
const xml = { llm: { protocol: 'xml' as const } }
const KEYED = { form: 'wait', key: 'k1' } as const
const visiting = (page: (name: string) => string) => [words.visit(page('zh')), words.finish('好'), words.finish('又')]

/** Calls that come twice under one key: one effect, one answer. */
export function keyedClaims(home: GetHome): void {
  describe('a keyed call', () => {
    verbClaims(home)
    formClaims(home)
    creationClaims(home)
  })
}

async function expectOneEffect(
  play: Play,
  expect: ExpectStatic,
  call: () => Promise<Result<RunAnswer>>,
): Promise<void> {
  const first = await valueOf(call())
  const log = await play.events()
  const second = await valueOf(call())
  expect(second).toEqual({ ...first, replayed: true })
  expect(await play.events()).toEqual(log)
}

function verbClaims(home: GetHome): void {
  claim(home, 'that adds a message adds one', { config: xml, script: [words.finish('好')] }, async (play, expect) => {
    await play.create()
    await expectOneEffect(play, expect, () => play.api.addMessage({ content: words.task }, KEYED))
    expect((await play.kinds()).filter((kind) => kind === 'task')).toHaveLength(1)
  })

  claim(
    home,
    'that continues makes one batch',
    {
      config: { ...xml, limits: { max_iterations: 1 } },
      script: [words.rethink('一'), words.rethink('二'), words.rethink('三')],
    },
    async (play, expect) => {
      await play.create()
      await play.send(words.task)
      await expectOneEffect(play, expect, () => play.api.continue({}, KEYED))
      expect(await play.asked()).toHaveLength(2)
    },
  )

  claim(home, 'that decides decides once', { config: xml, script: visiting }, async (play, expect) => {
    await play.create()
    await play.send(words.task)
    const { id } = await play.pending()
    await expectOneEffect(play, expect, () => play.api.decide(id, { decision: 'approve' }, KEYED))
    expect(await play.site.visits()).toEqual(['zh'])
    const other = play.api.decide(id, { decision: 'approve' }, { form: 'wait', key: 'k2' })
    expect(await errorOf(other)).toMatchObject({ code: 'stale_decision' })
  })

  claim(
    home,
    'that cancels does not cancel a later run when it comes again',
    { config: xml, script: [{ hang: true }, { content: words.finish('好'), hold_after: 0 }] },
    async (play, expect) => {
      await play.create()
      const first = play.send('甲')
      await play.asked(1)
      const cancelled = await valueOf(play.api.cancel({ key: 'k1' }))
      const second = play.send('乙')
      await play.asked(2)
      expect(await valueOf(play.api.cancel({ key: 'k1' }))).toEqual({ ...cancelled, replayed: true })
      await play.model.release()
      expect(await second).toMatchObject({ status: 'completed', result: '好' })
      expect(await first).toMatchObject({ status: 'cancelled' })
    },
  )
}

function formClaims(home: GetHome): void {
  claim(
    home,
    'is refused while the first is still running, and then has its answer',
    { config: xml, script: [{ content: words.finish('好'), hold_after: 0 }] },
    async (play, expect) => {
      await play.create()
      const call = () => play.api.addMessage({ content: words.task }, KEYED)
      const first = call()
      await play.asked(1)
      expect(await errorOf(call())).toEqual({ code: 'idempotency_in_progress' })
      const streamed = play.api.addMessage({ content: words.task }, { form: 'stream', key: 'k1' })
      expect(await errorOf(streamed)).toEqual({ code: 'idempotency_in_progress' })
      await play.model.release()
      const response = responseOf(await first)
      expect(responseOf(await call())).toEqual(response)
    },
  )

  claim(
    home,
    'that is streamed is told the events of its own run again, also when another followed',
    { config: xml, script: visiting },
    async (play, expect) => {
      await play.create()
      await play.send(words.task)
      const { id } = await play.pending()
      const call = async () => {
        const answer = await valueOf(play.api.decide(id, { decision: 'approve' }, { form: 'stream', key: 'k1' }))
        return answer.form === 'stream' ? hear(answer.body) : []
      }
      const first = await call()
      await play.send('再来')
      const second = await call()
      const written = first.filter(({ id: event }) => !event?.includes('.'))
      expect(second.filter(({ id: event }) => !event?.includes('.'))).toEqual(written)
      expect(second.at(-1)).toMatchObject({ event: 'run-end', data: { result: '好' } })
    },
  )

  claim(
    home,
    'that goes on in the background is accepted again with the same run',
    { config: xml, script: [words.finish('好')] },
    async (play, expect) => {
      await play.create()
      const call = () => valueOf(play.api.addMessage({ content: words.task }, { form: 'background', key: 'k1' }))
      const first = await call()
      await play.event('run-end')
      expect(await call()).toEqual({ ...first, replayed: true })
      expect(await play.asked()).toHaveLength(1)
    },
  )

  claim(
    home,
    'that is queued runs once, and is in progress while it waits',
    { config: xml, script: [{ content: words.finish('一'), hold_after: 0 }, words.finish('二'), words.finish('三')] },
    async (play, expect) => {
      await play.create()
      const first = play.send('甲')
      await play.asked(1)
      const call = () => play.api.addMessage({ content: '乙' }, { ...KEYED, whenBusy: 'queue' })
      const second = call()
      expect(await errorOf(call())).toEqual({ code: 'idempotency_in_progress' })
      await play.model.release()
      const response = responseOf(await second)
      expect(response).toMatchObject({ result: '二' })
      await first
      await play.send('丙')
      expect(responseOf(await call())).toEqual(response)
    },
  )

  claim(
    home,
    'that was refused has no effect to find again',
    { config: xml, script: [{ hang: true }, words.finish('好')] },
    async (play, expect) => {
      await play.create()
      const first = play.send('甲')
      await play.asked(1)
      const call = () => play.api.addMessage({ content: '乙' }, KEYED)
      expect(await errorOf(call())).toMatchObject({ code: 'run_in_progress' })
      await play.cancel()
      await first
      expect(responseOf(await call())).toMatchObject({ status: 'completed', result: '好' })
    },
  )
}

function creationClaims(home: GetHome): void {
  const text = async (made: Result<RunAnswer | SessionText | Superseded>) => {
    const value = await valueOf(made)
    if (!('body' in value) || 'form' in value) throw new Error('a session was expected')
    return { etag: value.etag, body: await new Response(value.body).text(), replayed: value.replayed }
  }

  for (const [what, task] of [
    ['makes a session', undefined],
    ['makes a session and runs', words.task],
  ] as const) {
    claim(
      home,
      `that ${what} is answered to the letter again, whatever happened to the session since`,
      { script: [words.finish('好'), words.finish('又')] },
      async (play, expect) => {
        const input = { title: '标题', config: { llm: { protocol: 'xml' as const, model: play.model.name } } }
        const call = async () =>
          text(await play.api.create(play.id, 'default', task === undefined ? input : { ...input, task }, KEYED))
        const first = await call()
        expect(JSON.parse(first.body)).toMatchObject({ object: 'session', id: play.id, etag: first.etag })
        await play.send('后来')
        await valueOf(play.api.patch({ title: '别的' }, null))
        expect(await call()).toEqual({ ...first, replayed: true })
      },
    )
  }

  claim(
    home,
    'that imports makes one session, also when two come at the same time',
    { config: xml, script: [words.finish('好')] },
    async (play, expect) => {
      const document = JSON.stringify({ session: { messages: [{ role: 'user', content: '你好' }] } })
      const call = async () =>
        play.api.import(play.id, 'default', new Blob([document]).stream(), {
          ...KEYED,
          bytesMax: 10_000,
          keepConfig: true,
        })
      const [first, second] = await Promise.all([call(), call()].map(async (made) => text(await made)))
      expect(second?.body).toBe(first?.body)
      expect([first?.replayed, second?.replayed].filter(Boolean)).toHaveLength(1)
      expect((await play.messages()).map(({ content }) => content)).toEqual(['你好'])
      await play.send('再来', { llm: { model: play.model.name, protocol: 'xml' } })
      expect(await text(await call())).toEqual({ ...first, replayed: true })
    },
  )
}
