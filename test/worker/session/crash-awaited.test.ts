import { describe, test } from 'vitest'
import { startPlay } from '../../support/play.ts'
import { asking, toldOf, waitFor } from '../../support/session-claims/awaited.ts'
import { expectSound } from '../../support/sound.ts'
import { die, dieAfter, logsBetweenMoves } from './die.ts'
import { within, workerHome } from './worker-home.ts'

const config = { language: 'en', llm: { protocol: 'native' as const }, tools: { wait: { enabled: true } } }

/** Once the record of a session says that another waits for it. */
const awaited = (id: string) =>
  within(
    id,
    (_object, { storage }) =>
      storage.sql.exec<{ value: string }>("SELECT value FROM facts WHERE key = 'record'").one().value,
  )

describe('isolates that die while one session waits for another', () => {
  test('both, while nothing happens, and the other between any two moves: the one is told once', async ({ expect }) => {
    const play = await startPlay(workerHome, { config })
    const other = await asking(workerHome)
    await waitFor(play, [other.id])
    await expect.poll(() => awaited(other.id)).toContain(play.id)
    await die(play)
    await die(other)
    await other.decide({ decision: 'answer', answer: 'Yes' })
    expect(await play.event('run-end')).toMatchObject({ status: 'completed', result: 'went on' })
    expect(await toldOf(play)).toHaveLength(1)
    const logs = await logsBetweenMoves(other)
    expect(logs.length).toBeGreaterThan(2)
    for (const log of logs.slice(-2)) {
      const [again, first] = [await startPlay(workerHome, { config }), await asking(workerHome)]
      await waitFor(again, [first.id])
      await expect.poll(() => awaited(first.id)).toContain(again.id)
      await dieAfter(first, log)
      expect(await first.event('run-end')).toMatchObject({ status: 'completed' })
      expect(await again.event('run-end')).toMatchObject({ status: 'completed', result: 'went on' })
      expect(await toldOf(again)).toHaveLength(1)
      await expectSound(again, expect)
    }
  })
})
