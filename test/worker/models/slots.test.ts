import { test } from 'vitest'
import type { AgentResponseData } from '../../../src/domain/session.ts'
import { hearUntil } from '../../support/sse.ts'
import { WORDS } from '../../support/words.ts'
import { call, json, newSession, sent, stage, type Stage } from '../http/http.ts'

const words = WORDS.en
const narrow = async (set: Stage) =>
  (await newSession(set, { config: { ...set.config, language: 'en', model: 'narrow' } })).id

test('a service with max_concurrency is asked by one session at a time, others wait, and one that is cancelled leaves', async ({
  expect,
}) => {
  const sets = [
    await stage([{ content: words.finish('first'), hold_after: 0 }]),
    await stage([words.finish('second')]),
    await stage([words.finish('third')]),
  ] as const
  const [first, second, third] = await Promise.all(sets.map(narrow))
  const ended = new Map<string | undefined, string>()
  const run = async (id = '') => {
    const { result, status } = await sent(id, words.task)
    ended.set(id, result ?? status)
  }
  const runs = [run(first)]
  await sets[0].model.asked(1)
  runs.push(run(second), run(third))
  for (const id of [second, third]) {
    const told = await call('GET', `/v1/sessions/${id}/events`, { headers: { accept: 'text/event-stream' } })
    if (told.body) await hearUntil(told.body, ({ event }) => event === 'model-start')
  }
  await json<AgentResponseData>(call('POST', `/v1/sessions/${second}/cancel`, { body: {} }))
  expect(await sets[2].model.asked()).toEqual([])
  await sets[0].model.release()
  await Promise.all(runs)
  expect(ended.get(second)).toBe('cancelled')
  expect([ended.get(first), ended.get(third)]).toEqual(['first', 'third'])
  expect(await sets[1].model.asked()).toEqual([])
})
