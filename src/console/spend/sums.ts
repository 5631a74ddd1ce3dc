import type { UsageSum } from '../../client/client.ts'
import { client } from '../api.ts'
import { sessionTitles } from './session-titles.ts'
import type { By } from './sums-text.ts'

const PAGE = 100
const PAGES_MAX = 10

/** The sums since a day, and the budgets that concern who asks. */
export async function readSums(by: By, from: string) {
  const sums: UsageSum[] = []
  let cursor: string | null = null
  let budgets: NonNullable<Awaited<ReturnType<typeof readPage>>['budgets']> = []
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page: Awaited<ReturnType<typeof readPage>> = await readPage(by, from, cursor)
    sums.push(...page.data)
    budgets = page.budgets ?? budgets
    cursor = page.next_cursor
    if (cursor === null) break
  }
  return { sums, budgets, titles: by === 'session' ? await readTitles(sums) : new Map<string, string>() }
}

const readTitles = (sums: readonly UsageSum[]) =>
  sessionTitles(
    sums.flatMap(({ key }) => key ?? []),
    (cursor) => client.value.sessions.list({ limit: PAGE, ...(cursor === undefined ? {} : { cursor }) }),
  )

const readPage = (by: By, from: string, cursor: string | null) =>
  client.value.usage({ by, from, limit: PAGE, ...(cursor === null ? {} : { cursor }) })
