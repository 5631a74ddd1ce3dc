import { type ExpectStatic, test } from 'vitest'
import type { Home } from '../home.ts'
import { type Play, type Setting, startPlay } from '../play.ts'
import { expectSound } from '../sound.ts'

export type GetHome = () => Home

/** A claim about a session in a setting. Whatever else it says, the session is sound at its end. */
export function claim(
  home: GetHome,
  name: string,
  setting: Setting,
  body: (play: Play, expect: ExpectStatic) => Promise<void>,
): void {
  test(name, async ({ expect }) => {
    const play = await startPlay(home(), setting)
    await body(play, expect)
    await expectSound(play, expect)
  })
}
