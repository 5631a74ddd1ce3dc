import type { Route } from 'playwright-core'
import * as z from 'zod'

const DAY_MS = 86_400_000
/** From which entry of the list on a session is how many days old. */
const AGES = [
  [0, 0],
  [4, 1],
  [7, 4],
  [10, 30],
] as const

/** Sessions that are made here are all of today. */
export async function spreadOverDays(route: Route): Promise<void> {
  const answer = await route.fetch()
  const list = z.object({ data: z.array(z.looseObject({ start_time: z.string(), updated_time: z.string() })) })
  const read = list.loose().safeParse(await answer.json())
  if (!read.success) return route.fulfill({ response: answer })
  const data = read.data.data.map((one, index) => {
    const [, days] = AGES.findLast(([from]) => index >= from) ?? AGES[0]
    const then = (time: string) => new Date(Date.parse(time) - days * DAY_MS).toISOString()
    return { ...one, start_time: then(one.start_time), updated_time: then(one.updated_time) }
  })
  await route.fulfill({ response: answer, json: { ...read.data, data } })
}
