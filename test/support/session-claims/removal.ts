import { type ExpectStatic, test } from 'vitest'
import { errorOf, type Play, startPlay, valueOf } from '../play.ts'
import { WORDS } from '../words.ts'
import type { GetHome } from './claim.ts'

/** What is left of a deleted session: nothing. (No claim of soundness holds for what is not there.) */
export function removalClaims(home: GetHome): void {
  test('deletion cancels the run, tells who waits, ends who watches, and leaves nothing', async ({ expect }) => {
    const play = await startPlay(home(), { script: [{ hang: true }] })
    await play.create()
    const waiting = play.send(WORDS.en.task)
    await play.asked(1)
    const watching = valueOf(play.api.observe({ seq: 0, n: 0 })).then((stream) => new Response(stream).text())
    await valueOf(play.api.remove())
    expect(await waiting).toMatchObject({ status: 'cancelled' })
    expect(await watching).toContain('event: run-start')
    await expectGone(play, expect)
  })

  test('deletion that is asked for several times at once is done once', async ({ expect }) => {
    const play = await startPlay(home(), { script: [{ hang: true }] })
    await play.create()
    const waiting = play.send(WORDS.en.task)
    await play.asked(1)
    const [first, ...others] = await Promise.all([play.api.remove(), play.api.remove(), play.api.remove()])
    expect(first).toEqual({ ok: true, value: null })
    for (const other of others) expect(other).toEqual({ ok: false, error: { code: 'not_found', what: 'session' } })
    expect(await waiting).toMatchObject({ status: 'cancelled' })
    await expectGone(play, expect)
  })

  test('a deleted session can be made again, empty', async ({ expect }) => {
    const play = await startPlay(home(), { script: [WORDS.en.finish('x')] })
    await play.create()
    await play.send(WORDS.en.task)
    await valueOf(play.api.remove())
    await expectGone(play, expect)
    expect(await play.create()).toMatchObject({ status: 'idle', messages: [], last_seq: 0 })
    expect(await play.events()).toEqual([])
  })
}

async function expectGone(play: Play, expect: ExpectStatic): Promise<void> {
  const api = play.home.session(play.id)
  expect(await errorOf(api.read('all'))).toEqual({ code: 'not_found', what: 'session' })
  expect(await errorOf(api.events(0, 10))).toEqual({ code: 'not_found', what: 'session' })
  expect(await play.home.storedState(play.id)).toBeNull()
  expect(play.home.bugs()).toEqual([])
}
