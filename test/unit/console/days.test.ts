import { test } from 'vitest'
import { groupedByDay } from '../../../src/console/sessions/days.ts'

const NOW = new Date(2026, 2, 10, 8, 30)
const words = { today: 'Today', yesterday: 'Yesterday', week: 'Week' }
const monthText = (time: string) =>
  new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric' }).format(new Date(time))

/** Sessions that began at these local times. */
const begun = (...times: [month: number, day: number, hour: number][]) =>
  times.map(([month, day, hour]) => ({ start_time: new Date(2026, month, day, hour, 5).toISOString() }))

test('sessions stand under the days of this week, then under their months, in the order in which they come', ({
  expect,
}) => {
  const entries = begun([2, 10, 8], [2, 10, 0], [2, 9, 23], [2, 9, 0], [2, 8, 23], [2, 4, 0], [2, 3, 23], [1, 28, 12])
  const groups = groupedByDay(entries, NOW, { words, monthText })
  expect(groups.map(({ heading, entries: those }) => [heading, those.length])).toEqual([
    ['Today', 2],
    ['Yesterday', 2],
    ['Week', 2],
    ['March 2026', 1],
    ['February 2026', 1],
  ])
  expect(groups.flatMap(({ entries: those }) => those)).toEqual(entries)
})

test('what a clock ahead of ours began is of today', ({ expect }) => {
  const [group] = groupedByDay(begun([2, 11, 1]), NOW, { words, monthText })
  expect(group?.heading).toBe('Today')
})
