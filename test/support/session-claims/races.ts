import { describe } from 'vitest'
import type { Result } from '../../../src/domain/errors.ts'
import { errorOf, type Play, responseOf, valueOf } from '../play.ts'
import { APPROVED, WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'

const words = WORDS['zh-CN']
const xml = { llm: { protocol: 'xml' as const } }
const WAIT = { form: 'wait' } as const
const waiting = {
  config: xml,
  script: (page: (name: string) => string) => [words.visit(page('article')), words.finish('好'), words.finish('完')],
}

/** Commands that come at the same moment: each finds the session as the one before it left it. */
export function raceClaims(home: GetHome): void {
  describe('at the same moment', () => {
    decisionClaims(home)
    changeClaims(home)
  })
}

function decisionClaims(home: GetHome): void {
  claim(home, 'two decisions on one item: one wins, the other is stale, one effect', waiting, async (play, expect) => {
    await play.create()
    await play.send(words.task)
    const { id } = await play.pending()
    const decisions = (['approve', 'reject', 'approve'] as const).map((decision) =>
      play.api.decide(id, { decision }, WAIT),
    )
    const answers = await Promise.all(decisions)
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
    expect(codes(answers)).toEqual(['stale_decision', 'stale_decision'])
    expect((await play.events()).filter(({ type }) => type === 'pending-end')).toHaveLength(1)
    const approved = answers.findIndex(({ ok }) => ok) !== 1
    expect(await play.site.visits()).toEqual(approved ? ['article'] : [])
    expect(await play.session()).toMatchObject({ status: 'completed' })
  })

  claim(home, 'a decision and a cancel: whichever is first, the run is cancelled', waiting, async (play, expect) => {
    await play.create()
    await play.send(words.task)
    const { id } = await play.pending()
    const [cancelled, decided] = await Promise.all([
      play.api.cancel({}),
      play.api.decide(id, { decision: 'approve' }, WAIT),
    ])
    expect(responseOf(cancelled)).toMatchObject({ status: 'cancelled', pending: [] })
    if (decided.ok) expect(responseOf(decided)).toMatchObject({ status: 'cancelled' })
    else expect(decided.error).toMatchObject({ code: 'stale_decision' })
    expect(await play.session()).toMatchObject({ status: 'cancelled', pending: [] })
    expect(await play.asked()).toHaveLength(1)
  })

  claim(home, 'a cancel behind a decision stops what was approved', waiting, async (play, expect) => {
    await play.create()
    await play.send(words.task)
    const { id } = await play.pending()
    const edited = { decision: 'approve', arguments: { url: play.site.url('hang') } } as const
    const decided = play.api.decide(id, edited, WAIT)
    await play.site.visits(1)
    expect(await play.cancel()).toMatchObject({ status: 'cancelled' })
    expect(responseOf(await decided)).toMatchObject({ status: 'cancelled', result: null })
    expect(await play.send('再来')).toMatchObject({ status: 'completed', result: '好' })
  })

  claim(
    home,
    'a decision and a message that approves: one effect, and nobody is left waiting',
    waiting,
    async (play, expect) => {
      await play.create()
      await play.send(words.task)
      const { id } = await play.pending()
      const approval = words.approvals[0]?.(words.names.web_access) ?? ''
      const answers = await Promise.all([
        play.api.decide(id, { decision: 'approve' }, WAIT),
        play.api.addMessage({ content: approval }, WAIT),
      ])
      expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
      expect(['stale_decision', 'run_in_progress']).toContain(codes(answers)[0])
      expect(await play.site.visits()).toEqual(['article'])
    },
  )

  claim(
    home,
    'an interrupt while a tool runs cuts it, and its call has a result',
    { config: { ...xml, ...APPROVED }, script: (page) => [words.visit(page('hang')), words.finish('二')] },
    async (play, expect) => {
      await play.create()
      const first = play.send('甲')
      await play.site.visits(1)
      const second = await play.api.addMessage({ content: '乙' }, { form: 'wait', whenBusy: 'interrupt' })
      expect(await first).toMatchObject({ status: 'cancelled' })
      expect(responseOf(second)).toMatchObject({ status: 'completed', result: '二' })
      expect(await play.kinds()).toEqual([
        'task',
        'prompt',
        'reply',
        'tool_result',
        'task',
        'prompt',
        'reply',
        'tool_result',
      ])
    },
  )
}

function changeClaims(home: GetHome): void {
  claim(
    home,
    'changes under one etag: one is made, the others are told the new one',
    { config: xml },
    async (play, expect) => {
      const { etag } = await play.create()
      const changes = ['甲', '乙', '丙'].map((title) => play.api.patch({ title }, etag))
      const answers = await Promise.all(changes)
      expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
      expect(codes(answers)).toEqual(['precondition_failed', 'precondition_failed'])
      const session = await play.session()
      expect(session.title).toBe(['甲', '乙', '丙'][answers.findIndex(({ ok }) => ok)])
      expect(await errorOf(play.api.patch({ title: '丁' }, etag))).toMatchObject({ etag: session.etag })
      await valueOf(play.api.patch({ title: '戊' }, `"0", ${session.etag}`))
    },
  )

  claim(
    home,
    'messages: one runs, the others are told that it does',
    { config: xml, script: [{ content: words.finish('好'), hold_after: 0 }] },
    async (play, expect) => {
      await play.create()
      const sent = ['甲', '乙', '丙'].map((content) => play.api.addMessage({ content }, WAIT))
      await play.asked(1)
      const answers = await answersOf(play, sent)
      expect(codes(answers)).toEqual(['run_in_progress', 'run_in_progress'])
      expect((await play.kinds()).filter((kind) => kind === 'task')).toHaveLength(1)
    },
  )

  claim(
    home,
    'batches of one run: one goes on, the other is told that it does',
    {
      config: { ...xml, limits: { max_iterations: 1 } },
      script: [words.rethink('…'), { content: words.finish('好'), hold_after: 0 }],
    },
    async (play, expect) => {
      await play.create()
      await play.send(words.task)
      const sent = [play.api.continue({}, WAIT), play.api.continue({}, WAIT)]
      await play.asked(2)
      const answers = await answersOf(play, sent)
      expect(codes(answers)).toEqual(['run_in_progress'])
      expect((await play.events()).filter(({ type }) => type === 'run-resume')).toHaveLength(1)
    },
  )
}

/** What calls are answered of which all but one are refused: that one's model is let go when the others were answered. */
async function answersOf<T>(play: Play, calls: Promise<Result<T>>[]): Promise<Result<T>[]> {
  const refused = Promise.withResolvers<void>()
  let count = 0
  for (const call of calls) void call.then(() => ++count === calls.length - 1 && refused.resolve())
  await refused.promise
  await play.model.release()
  return Promise.all(calls)
}

/** Codes of those that were refused. */
function codes(answers: readonly Result<unknown>[]): string[] {
  return answers.flatMap((answer) => (answer.ok ? [] : [answer.error.code]))
}
