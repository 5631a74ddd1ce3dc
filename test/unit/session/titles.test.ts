import { afterAll, beforeAll } from 'vitest'
import { type NodeHome, nodeHome } from '../../support/node-home.ts'
import { claim } from '../../support/session-claims/claim.ts'
import { native } from '../../support/words.ts'

let home: NodeHome
let plainHome: NodeHome
beforeAll(async () => {
  home = await nodeHome('memory')
  plainHome = await nodeHome('memory', [], { titles: 'task' })
})
afterAll(async () => {
  await home.close()
  await plainHome.close()
})

const TASK = 'Please have a look at when the harbour opens in summer and in winter, and tell me'
const ASKS = 'Give the task below a title'
const names = (title: string) => ({ when: { contains: ASKS }, content: title })
const config = { language: 'en', titles: 'model', llm: { protocol: 'native' } } as const
const done = native('finish', { reason: 'At six.' })

claim(
  () => home,
  'a session is named by its model beside its first run, once, and that is counted',
  { config, script: [names('“Opening hours of the harbour.”'), done, done] },
  async (play, expect) => {
    await play.create({ task: TASK })
    const { title, usage } = await play.session()
    expect([title, usage.model_calls, usage.iterations]).toEqual(['Opening hours of the harbour', 2, 1])
    expect(await play.send('And on holidays?')).toMatchObject({ status: 'completed', result: 'At six.' })
    const events = await play.events()
    expect(events.filter(({ type, scope }) => type === 'model-start' && scope === 'title')).toHaveLength(1)
    expect(events).toContainEqual(expect.objectContaining({ type: 'session-update', fields: ['title'] }))
    expect((await play.messages()).map(({ content }) => content)).not.toContain('Opening hours of the harbour')
  },
)

claim(
  () => home,
  'a run ends well all the same where the model gives no title',
  { config, script: [{ when: { contains: ASKS }, status: 400, body: { error: { message: 'no' } } }, done] },
  async (play, expect) => {
    await play.create({ task: TASK })
    expect(await play.session()).toMatchObject({ status: 'completed', title: expect.stringMatching(/^Please/) })
  },
)

claim(
  () => home,
  'no model is asked for a title that is given, nor where little may be spent, nor by a session that does not want it',
  { config: { language: 'en', llm: { protocol: 'native' } }, script: [done, done] },
  async (play, expect) => {
    await play.create({ title: 'Mine', task: TASK, config: { titles: 'model' } })
    await play.send('Again', { limits: { max_total_tokens: 50_000 } })
    expect([(await play.session()).title, (await play.asked()).length]).toEqual(['Mine', 2])
  },
)

claim(
  () => plainHome,
  'a server that leaves titles at the first words asks no model for one',
  { config, script: [done] },
  async (play, expect) => {
    await play.create({ task: TASK })
    expect([(await play.session()).title, (await play.asked()).length]).toEqual([expect.stringMatching(/^Please/), 1])
  },
)
