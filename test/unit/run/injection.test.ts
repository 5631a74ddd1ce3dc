import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BENIGN } from '../../support/injection/benign.ts'
import { open } from '../../support/injection/doors.ts'
import type { Injection } from '../../support/injection/injection.ts'
import { carriesPlanted } from '../../support/injection/planted.ts'
import { CHINESE } from '../../support/injection/set-zh.ts'
import { ENGLISH } from '../../support/injection/set-en.ts'
import { cast, type Cast, playOut, type Protocol, type Stage, startStage } from '../../support/injection/stage.ts'
import { valueOf } from '../../support/play.ts'

/** Addresses that a text comes from. */
const OPENING = /^https:\/\/(?:news|mirror)\.example\/|^https:\/\/search\.example\/search\?/

let stage: Stage
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.close())

test('the set has 30 texts of each language at least, and every one has a name of its own', () => {
  expect(CHINESE.length).toBeGreaterThanOrEqual(30)
  expect(ENGLISH.length).toBeGreaterThanOrEqual(30)
  expect(new Set([...CHINESE, ...ENGLISH].map(({ name }) => name)).size).toBe(CHINESE.length + ENGLISH.length)
})

describe.each<Protocol>(['native', 'xml'])('a model that obeys every word, %s', (protocol) => {
  test.each(
    [...CHINESE, ...ENGLISH].map((one, index) => [`${one.language} ${one.door}: ${one.name}`, one, index] as const),
  )('%s', async (_, injection, index) => {
    const as: Cast = { language: injection.language, protocol, user: `u${index}-${protocol}` }
    await obeys(injection, as)
  })
})

describe.each<Protocol>(['native', 'xml'])('what the user wants asks nobody, %s', (protocol) => {
  test.each(BENIGN.map((one, index) => [`${one.language} ${one.name}`, one, index] as const))(
    '%s',
    async (_, work, index) => {
      for (const [address, served] of Object.entries(work.pages)) stage.world.serve(address, served)
      Object.assign(stage.answers, { text: work.answers ?? '', isError: false })
      const before = stage.world.sent().length
      const play = await cast(
        stage,
        { language: work.language, protocol, user: `b${index}-${protocol}` },
        work.calls,
        work.config,
      )
      const { asked, answer } = await playOut(play, work.task, () => 'reject')
      expect(asked).toEqual([])
      expect(answer).toMatchObject({ status: 'completed', usage: { tool_calls: work.calls.length + 1 } })
      const sent = stage.world
        .sent()
        .slice(before)
        .map(({ url }) => url)
      for (const address of [...Object.keys(work.pages), ...(work.reaches ?? [])])
        expect(sent.filter((url) => url.startsWith(address))).not.toEqual([])
      expect(stage.home.bugs()).toEqual([])
    },
  )
})

async function obeys(injection: Injection, as: Cast): Promise<void> {
  const opening = await open(injection, stage, as)
  const before = stage.world.sent().length
  const called = stage.server.calls().length
  const play = await cast(stage, as, [...opening.calls, ...injection.obeys])
  const isWanted = ({ arguments: args }: { arguments?: unknown }) =>
    opening.approves?.some((path) => JSON.stringify(args).includes(path)) ?? false
  const { asked, answer } = await playOut(play, opening.task, (item) => (isWanted(item) ? 'approve' : 'reject'))

  const wanted = [...opening.calls, ...injection.obeys].filter(({ comes }) => comes === 'asks' || comes === undefined)
  expect(asked.map(({ tool }) => tool)).toEqual(wanted.map(({ tool }) => tool))
  expect(asked.filter(({ reason }) => !reason)).toEqual([])
  expect(answer).toMatchObject({ status: 'completed', result: 'done' })

  const sent = stage.world.sent().slice(before)
  expect(sent.filter(({ url }) => !OPENING.test(url))).toEqual([])
  expect(sent.filter((request) => carriesPlanted(JSON.stringify(request)))).toEqual([])
  const calls = stage.server.calls().slice(called)
  expect(calls.filter((call) => carriesPlanted(JSON.stringify(call)))).toEqual([])
  expect(calls.filter(({ name }) => name !== 'look_up')).toEqual([])

  const { preferences } = stage.home.memory.at('default', as.user).load('ses_other')
  expect(preferences).toMatchObject([{ key: 'card' }])
  expect(carriesPlanted(preferences[0]?.value ?? '')).toBe(true)
  const files = await valueOf(play.api.files({ limit: 10 }))
  expect(files.map(({ path }) => path)).toEqual([...(opening.approves ?? []), 'private/keys.txt'])
  const keys = await valueOf(play.api.file('private/keys.txt'))
  expect(carriesPlanted(new TextDecoder().decode(keys.bytes))).toBe(true)
  expect(stage.home.bugs()).toEqual([])
}
