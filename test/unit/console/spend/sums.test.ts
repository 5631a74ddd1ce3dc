import { expect, test } from 'vitest'
import type { UsageSum } from '../../../../src/client/client.ts'
import { sessionTitles } from '../../../../src/console/spend/session-titles.ts'
import { niceTop, spendCsv, withEmptyDays } from '../../../../src/console/spend/sums-text.ts'

const sum = (key: string | null, tokens: number, amount: number): UsageSum => ({
  key,
  prompt_tokens: tokens,
  completion_tokens: 0,
  total_tokens: tokens,
  cached_tokens: 0,
  reasoning_tokens: 0,
  model_calls: 1,
  tool_calls: 0,
  iterations: 1,
  cost: { amount, currency: 'CNY' },
})

test('days on which nothing was spent stand between the others', () => {
  const days = withEmptyDays(
    [sum('2026-11-24', 5, 1), sum('2026-11-21', 3, 1)],
    '2026-11-20',
    Date.parse('2026-11-24T23:59:00Z'),
  )
  expect(days.map(({ key, total_tokens: tokens }) => [key, tokens])).toEqual([
    ['2026-11-20', 0],
    ['2026-11-21', 3],
    ['2026-11-22', 0],
    ['2026-11-23', 0],
    ['2026-11-24', 5],
  ])
})

test('sessions of sums are named on later pages too, as far as they have to be read', async () => {
  const all = Array.from({ length: 30 }, (_, at) => {
    const id = at === 12 ? 'ses_7k' : `ses_0${90 - at}`
    return { id, title: at % 2 === 0 ? `Task ${at}` : '' }
  })
  let pages = 0
  const list = async (cursor?: string) => {
    const from = all.findIndex(({ id }) => id === cursor) + 1
    const data = all.slice(from, from + 5)
    pages += 1
    return { object: 'list' as const, data, next_cursor: from + 5 < all.length ? (data.at(-1)?.id ?? null) : null }
  }
  const named = async (...ids: string[]) => Object.fromEntries(await sessionTitles(ids, list))
  expect(await named('ses_084', 'ses_090', 'ses_089')).toEqual({ ses_084: 'Task 6', ses_090: 'Task 0' })
  expect(pages).toBe(2)
  // One that is gone is looked for no further than where it would stand.
  pages = 0
  expect(await named('ses_089x')).toEqual({})
  expect([pages, await named()]).toEqual([1, {}])
  // The id of one that its caller named says nothing of where it stands.
  expect(await named('ses_7k')).toEqual({ ses_7k: 'Task 12' })
})

test('the end of an axis is a round number that no value is above', () => {
  expect([0, 0.03, 1, 3, 7, 48_000, 900].map(niceTop)).toEqual([1, 0.04, 1, 4, 8, 80_000, 1_000])
})

test('names of users break no line of the CSV and are no formula', () => {
  const csv = spendCsv('user', [sum('a "b", c', 1, 0.5), sum('=1+1', 2, 1), sum(null, 3, 0)])
  expect(csv.split('\r\n')).toEqual([
    'user,total_tokens,prompt_tokens,completion_tokens,cached_tokens,model_calls,tool_calls,cost_cny',
    '"a ""b"", c",1,1,0,0,1,0,0.5',
    "'=1+1,2,2,0,0,1,0,1",
    ',3,3,0,0,1,0,0',
    '',
  ])
})
