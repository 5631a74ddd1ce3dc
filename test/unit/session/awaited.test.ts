import { afterEach, beforeEach, describe, type ExpectStatic, test } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import { type NodeHome, nodeHome } from '../../support/node-home.ts'
import { type Play, startPlay, valueOf } from '../../support/play.ts'
import { asking, toldOf, waitFor } from '../../support/session-claims/awaited.ts'
import { expectSound } from '../../support/sound.ts'
import { native } from '../../support/words.ts'
import { keepWorkflows } from '../../support/workflows.ts'

const HOUR = 3_600_000
const config = { language: 'en', llm: { protocol: 'native' as const }, tools: { wait: { enabled: true } } }
const YES = { decision: 'answer', answer: 'Yes' } as const

/** Once something could not be reached. */
async function failed(home: NodeHome): Promise<void> {
  while (home.bugs().length === 0) await new Promise((resolve) => setImmediate(resolve))
}

describe('two sessions of which one waits for the other', () => {
  let home: NodeHome
  beforeEach(async () => {
    home = await nodeHome('sqlite')
  })
  afterEach(() => home.close())

  const waiting = () => startPlay(home, { config })

  /** The other knows of the wait. */
  async function expectAwaited(play: Play, expect: ExpectStatic): Promise<void> {
    const { id } = await play.pending()
    await expect.poll(() => home.awaits).toContain(id)
  }

  async function expectTold(play: Play, expect: ExpectStatic, words = 'Forty-two.'): Promise<void> {
    expect(await play.event('run-end')).toMatchObject({ status: 'completed', result: 'went on' })
    const told = await toldOf(play)
    expect(told).toHaveLength(1)
    expect(told[0]).toContain(words)
  }

  test('the other cannot be asked: the alarm of the one that waits asks again', async ({ expect }) => {
    const [play, other] = [await waiting(), await asking(home)]
    home.othersAreDown = true
    await waitFor(play, [other.id])
    await failed(home)
    home.othersAreDown = false
    home.advance(LIMITS.run.watchdogMs)
    await other.decide(YES)
    await expectTold(play, expect)
  })

  test('the one that waits cannot be told, and the other dies: it tells when it is there again', async ({ expect }) => {
    const [play, other] = [await waiting(), await asking(home)]
    await waitFor(play, [other.id])
    await expectAwaited(play, expect)
    home.othersAreDown = true
    await other.decide(YES)
    await failed(home)
    home.kill(other.id)
    home.othersAreDown = false
    await valueOf(other.api.patch({ title: 'Counted' }, null))
    await expectTold(play, expect)
    // Nobody is told a second time.
    const { seq } = (await play.events()).at(-1) ?? { seq: 0 }
    await other.send('Once more')
    expect((await play.events()).at(-1)?.seq).toBe(seq)
  })

  test('both die while nothing happens: the end of the one wakes the other', async ({ expect }) => {
    const [play, other] = [await waiting(), await asking(home)]
    await waitFor(play, [other.id])
    await expectAwaited(play, expect)
    home.kill(play.id)
    home.kill(other.id)
    await other.decide(YES)
    await expectTold(play, expect)
  })

  test('the other is deleted: that is said', async ({ expect }) => {
    const [play, other] = [await waiting(), await asking(home)]
    await waitFor(play, [other.id])
    await expectAwaited(play, expect)
    await valueOf(other.api.remove())
    await expectTold(play, expect, 'was deleted')
  })

  test('the other takes longer than the wait: that is said, and its end changes nothing', async ({ expect }) => {
    const [play, other] = [await waiting(), await asking(home)]
    await play.model.script([
      native('wait', { session: other.id, seconds: HOUR / 1_000 }),
      native('finish', { reason: 'went on' }),
    ])
    await play.create({ task: 'Wait' })
    home.advance(HOUR + 1)
    await expectTold(play, expect, 'is not over')
    await other.decide(YES)
    await expectSound(play, expect)
  })

  test('a step of a workflow waits, and gives status and answer', async ({ expect }) => {
    const other = await asking(home, '{"n": 42}')
    keepWorkflows(home, {
      inputs: { type: 'object', properties: { of: { type: 'string' } } },
      steps: [{ id: 'w', type: 'wait', session: '{{ inputs.of }}' }],
      output: ['{{ steps.w.output.status }}', '{{ steps.w.output.result.n }}'],
    })
    const play = await waiting()
    const made = await play.create({ workflow: 'flow', inputs: { of: other.id }, task: 'go' })
    expect(made.pending).toMatchObject([{ type: 'question', wait: { session: other.id } }])
    await other.decide(YES)
    expect(await play.event('run-end')).toMatchObject({ status: 'completed', result: '["completed",42]' })
    await expectSound(play, expect)
  })

  test('a step that waits for what is no session, or for itself, fails and says so', async ({ expect }) => {
    keepWorkflows(home, {
      inputs: { type: 'object', properties: { of: { type: 'string' } } },
      steps: [{ id: 'w', type: 'wait', session: '{{ inputs.of }}' }],
    })
    for (const of of ['none', 'ses_01kb00000000000000000000aa', '']) {
      const play = await waiting()
      await play.create({ workflow: 'flow', inputs: { of: of || play.id }, task: 'go' })
      await play.event('run-end')
      expect((await play.session()).error?.detail).toMatch(/^w: .*session/)
    }
  })
})
