import { afterAll, beforeAll, describe, test } from 'vitest'
import { isMain, Timeline } from '../../../src/console/timeline/timeline.ts'
import { checklistClaims } from '../../support/checklist/claims.ts'
import { WITH_CHECKLIST } from '../../support/checklist/registry.ts'
import { type NodeHome, nodeHome } from '../../support/node-home.ts'
import { startPlay } from '../../support/play.ts'

describe.for(['memory', 'sqlite'] as const)('on %s', (place) => {
  let home: NodeHome
  beforeAll(async () => {
    home = await nodeHome(place, [], {}, fetch, WITH_CHECKLIST)
  })
  afterAll(() => home.close())

  checklistClaims(
    () => home,
    ({ id }) => home.kill(id),
  )

  test('stands in the timeline of the console, point by point', async ({ expect }) => {
    const play = await startPlay(home, { script: ['Lamp', '10'] })
    await play.create({ orchestrator: 'checklist', config: { instructions: 'Name it\nPrice it' } })
    await play.send('A lamp')
    const timeline = new Timeline([], 'en')
    for (const event of await play.events()) timeline.push(event)
    const shown = timeline.items.filter(isMain)
    expect(shown.map(({ kind }) => kind)).toEqual(['said', 'reply', 'reply', 'end'])
    const texts = shown.flatMap((item) => (item.kind === 'reply' ? [item.text.whole] : []))
    expect(texts).toEqual(['Lamp', '10'])
  })
})
