import { afterAll, beforeAll, test } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import { fittingTitle, titleOf } from '../../../src/session/commands/create.ts'
import { type NodeHome, nodeHome } from '../../support/node-home.ts'
import { claim } from '../../support/session-claims/claim.ts'
import { native } from '../../support/words.ts'

let home: NodeHome
let plainHome: NodeHome
/** Its runs may take 10,000 tokens: of the sessions here a call reserves more than half of that, a title 4,100. */
let tightHome: NodeHome
beforeAll(async () => {
  home = await nodeHome('memory')
  plainHome = await nodeHome('memory', [], { titles: 'task' })
  tightHome = await nodeHome('memory', [], { limits: { max_total_tokens: 10_000 } })
})
afterAll(async () => {
  await home.close()
  await plainHome.close()
  await tightHome.close()
})

const TASK = 'Please have a look at when the harbour opens in summer and in winter, and tell me'
const ASKS = 'Give the task below a title'
const names = (title: string) => ({ when: { contains: ASKS }, content: title })
const config = { language: 'en', titles: 'model', llm: { protocol: 'native' } } as const
const done = native('finish', { reason: 'At six.' })
const costly = { ...config, llm: { ...config.llm, max_tokens: 4_000 } }

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
    const beside = events.findIndex(({ type, scope }) => type === 'model-start' && scope === 'title')
    expect(beside).toBeLessThan(events.findIndex(({ type, scope }) => type === 'model-end' && scope === null))
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
  'a run that waits for a decision is named all the same, however late its title comes',
  {
    config,
    script: (page) => [
      { ...names('Opening hours'), delay_ms: 300 },
      native('web_access', { url: page('harbour') }),
      done,
    ],
  },
  async (play, expect) => {
    await play.create({ task: TASK })
    await play.event('session-update')
    expect(await play.session()).toMatchObject({ status: 'interrupted', title: 'Opening hours' })
    expect(await play.decide({ decision: 'approve' })).toMatchObject({ status: 'completed', result: 'At six.' })
    expect((await play.session()).usage.model_calls).toBe(3)
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

claim(
  () => tightHome,
  'a run waits for its title where that holds what the next call needs',
  {
    config: costly,
    script: [{ ...names('Opening hours'), delay_ms: 200 }, native('rethink', { reason: 'In winter?' }), done],
  },
  async (play, expect) => {
    await play.create({ task: TASK })
    const { status, title, usage } = await play.session()
    expect([status, title, usage.model_calls]).toEqual(['completed', 'Opening hours', 3])
  },
)

const FAMILY = '👨‍👩‍👧‍👦'

test('a title that is made of a task is cut between signs, and says so', ({ expect }) => {
  for (const lead of ['', 'a', 'ab']) {
    const title = titleOf(`${lead}${FAMILY.repeat(40)}\nmore`)
    expect(title).toBe(`${lead}${FAMILY.repeat(lead.length > 1 ? 17 : 18)}…`)
    expect(title.isWellFormed()).toBe(true)
  }
  expect(titleOf(`  ${FAMILY.repeat(10)}\nmore`)).toBe(FAMILY.repeat(10))
})

test('a title that an import brings along stays as it is where it fits', ({ expect }) => {
  const fits = '字'.repeat(LIMITS.text.titleCharsMax)
  expect(fittingTitle(fits)).toBe(fits)
  const cut = fittingTitle(`${'字'.repeat(LIMITS.text.titleCharsMax - 2)}${FAMILY}`)
  expect(cut).toBe(`${'字'.repeat(LIMITS.text.titleCharsMax - 2)}…`)
})
