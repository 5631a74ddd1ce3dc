import { describe, test } from 'vitest'
import { errorOf, type Play, responseOf, startPlay, valueOf } from '../play.ts'
import { hear } from '../sse.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'

const words = WORDS['zh-CN']
const xml = { llm: { protocol: 'xml' as const } }
const QUEUED = { form: 'wait', whenBusy: 'queue' } as const
const HELD = { content: words.finish('一'), hold_after: 0 }

const queued = async (play: Play, content: string) => responseOf(await play.api.addMessage({ content }, QUEUED))

/** What becomes of messages that come while a run is going. */
export function busyClaims(home: GetHome): void {
  describe('when_busy=queue', () => queueClaims(home))
  describe('when_busy=interrupt', () => interruptClaims(home))
  removalClaims(home)
}

function queueClaims(home: GetHome): void {
  claim(
    home,
    'runs each message in its turn, as a run of its own with an answer of its own, in every form',
    { config: xml, script: [HELD, words.finish('二'), words.finish('三'), words.finish('四')] },
    async (play, expect) => {
      await play.create()
      const first = play.send('甲')
      await play.asked(1)
      const second = queued(play, '乙')
      const third = await valueOf(play.api.addMessage({ content: '丙' }, { form: 'stream', whenBusy: 'queue' }))
      const fourth = await valueOf(play.api.addMessage({ content: '丁' }, { form: 'background', whenBusy: 'queue' }))
      await play.model.release()
      const answers = [await first, await second]
      expect(answers.map(({ result, status }) => [result, status])).toEqual([
        ['一', 'completed'],
        ['二', 'completed'],
      ])
      const heard = third.form === 'stream' ? await hear(third.body) : []
      expect(heard.at(-1)).toMatchObject({ event: 'run-end', data: { result: '三' } })
      const runs = [...answers.map((answer) => answer.run_id), heard.at(-1)?.data['run_id']]
      expect(new Set(heard.map(({ data }) => data['run_id']))).toEqual(new Set([runs[2]]))
      const last = fourth.form === 'background' ? fourth.accepted.run_id : null
      const queueing = (await play.events()).flatMap((event) => (event.type === 'message-queued' ? [event] : []))
      expect(queueing.map(({ queued_run_id: run }) => run)).toEqual([...runs.slice(1), last])
      const ended = async () => (await play.events()).filter(({ type }) => type === 'run-end')
      for (let after = 0; (await ended()).length < 4;) after = (await play.event('run-end', after)).seq
      expect((await ended()).map(({ run_id: run }) => run)).toEqual([...runs, last])
      const tasks = (await play.messages()).filter(({ kind }) => kind === 'task')
      expect(tasks.map(({ content }) => content)).toEqual(['甲', '乙', '丙', '丁'])
      const messages = answers[1]?.messages ?? []
      expect(messages.every(({ run_id: run }) => run === runs[1])).toBe(true)
    },
  )

  claim(
    home,
    'takes a message at once when nothing is going',
    { config: xml, script: [words.finish('好')] },
    async (play, expect) => {
      await play.create()
      expect(await queued(play, words.task)).toMatchObject({ status: 'completed', result: '好' })
      expect((await play.events()).some(({ type }) => type === 'message-queued')).toBe(false)
    },
  )

  claim(
    home,
    'waits for the human that the run before it waits for',
    {
      config: xml,
      script: (page) => [{ content: words.visit(page('zh')), hold_after: 0 }, words.finish('一'), words.finish('二')],
    },
    async (play, expect) => {
      await play.create()
      const first = play.send('甲')
      await play.asked(1)
      const second = queued(play, '乙')
      await play.event('message-queued')
      await play.model.release()
      const waiting = await first
      expect(waiting).toMatchObject({ status: 'interrupted', pending: [{ tool: 'web_access' }] })
      expect(await play.asked()).toHaveLength(1)
      const approved = await play.decide({ decision: 'approve' }, waiting.pending[0]?.id)
      expect(approved).toMatchObject({ status: 'completed', result: '一', run_id: waiting.run_id })
      expect(await second).toMatchObject({ status: 'completed', result: '二' })
    },
  )

  claim(
    home,
    'goes on with the next message when the run is cancelled',
    { config: xml, script: [{ hang: true }, words.finish('二')] },
    async (play, expect) => {
      await play.create()
      const first = play.send('甲')
      await play.asked(1)
      const second = queued(play, '乙')
      expect(await play.cancel()).toMatchObject({ status: 'cancelled' })
      expect(await first).toMatchObject({ status: 'cancelled' })
      expect(await second).toMatchObject({ status: 'completed', result: '二' })
    },
  )

  claim(
    home,
    'keeps the config of a message for its own run, and its secret out of the log',
    { config: xml, script: [HELD, words.finish('二')] },
    async (play, expect) => {
      await play.create()
      const first = play.send('甲')
      await play.asked(1)
      const input = { content: '乙', config: { llm: { api_key: 'sk-very-secret' }, instructions: '说得短些' } }
      const second = play.api.addMessage(input, QUEUED)
      await play.event('message-queued')
      await play.model.release()
      await first
      expect(responseOf(await second)).toMatchObject({ result: '二' })
      const [before, after] = await play.asked()
      expect(before?.headers['authorization']).toBeUndefined()
      expect(after?.headers['authorization']).toBe('Bearer sk-very-secret')
      expect(after?.body.messages[0]?.content).toContain('说得短些')
      expect(JSON.stringify(await play.events())).not.toContain('very-secret')
    },
  )

  claim(
    home,
    'refuses a config that the server does not run, and queues nothing',
    { config: xml, script: [HELD] },
    async (play, expect) => {
      await play.create()
      const first = play.send('甲')
      await play.asked(1)
      const refused = play.api.addMessage({ content: '乙', config: { model: 'nobody' } }, QUEUED)
      expect(await errorOf(refused)).toMatchObject({ code: 'invalid_input', issues: [{ path: 'config.model' }] })
      await play.model.release()
      expect(await first).toMatchObject({ result: '一' })
      expect((await play.events()).some(({ type }) => type === 'message-queued')).toBe(false)
    },
  )
}

function interruptClaims(home: GetHome): void {
  const INTERRUPT = { form: 'wait', whenBusy: 'interrupt' } as const

  claim(
    home,
    'ends a model call that hangs: its caller is answered cancelled, the new message runs',
    { config: xml, script: [{ hang: true }, words.finish('二')] },
    async (play, expect) => {
      await play.create()
      const first = play.send('甲')
      await play.asked(1)
      const second = responseOf(await play.api.addMessage({ content: '乙' }, INTERRUPT))
      expect(await first).toMatchObject({ status: 'cancelled', finish_reason: 'cancelled', result: null })
      expect(second).toMatchObject({ status: 'completed', result: '二' })
      expect((await first).run_id).not.toBe(second.run_id)
    },
  )

  claim(
    home,
    'goes before what is queued',
    { config: xml, script: [{ hang: true }, words.finish('插队'), words.finish('二')] },
    async (play, expect) => {
      await play.create()
      const first = play.send('甲')
      await play.asked(1)
      const second = queued(play, '乙')
      const third = responseOf(await play.api.addMessage({ content: '丙' }, INTERRUPT))
      expect(third).toMatchObject({ result: '插队' })
      expect(await second).toMatchObject({ result: '二' })
      expect(await first).toMatchObject({ status: 'cancelled' })
    },
  )

  claim(
    home,
    'with a config that is refused interrupts nothing',
    { config: xml, script: [HELD] },
    async (play, expect) => {
      await play.create()
      const first = play.send('甲')
      await play.asked(1)
      const refused = play.api.addMessage({ content: '乙', config: { model: 'nobody' } }, INTERRUPT)
      expect(await errorOf(refused)).toMatchObject({ code: 'invalid_input' })
      await play.model.release()
      expect(await first).toMatchObject({ status: 'completed', result: '一' })
    },
  )
}

function removalClaims(home: GetHome): void {
  test('a queue holds so many messages and no more; deletion answers all of them as cancelled and runs none', async ({
    expect,
  }) => {
    const play = await startPlay(home(), { config: xml, script: [{ hang: true }, { content: '', repeat: true }] })
    await play.create()
    const first = play.send('甲')
    await play.asked(1)
    const { queuedMessagesMax: max } = LIMITS.run
    const waiting = Array.from({ length: max }, (_, index) => queued(play, `第${index}个`))
    const streamed = errorOf(play.api.addMessage({ content: '多了' }, QUEUED))
    expect(await streamed).toEqual({ code: 'queue_full', messagesMax: max })
    await valueOf(play.api.remove())
    const answers = await Promise.all([first, ...waiting])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['cancelled']))
    expect(new Set(answers.map(({ run_id: run }) => run)).size).toBe(max + 1)
    expect(await play.asked()).toHaveLength(1)
    expect(await play.home.storedState(play.id)).toBeNull()
    expect(play.home.bugs()).toEqual([])
  })
}
