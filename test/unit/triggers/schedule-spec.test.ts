import { Cron } from 'croner'
import { describe, test } from 'vitest'
import type { When } from '../../../src/domain/schedule.ts'
import { nextAfter, nextTimes, whenOf } from '../../../src/triggers/schedule-spec.ts'

const cron = (text: string, timezone: string): When => ({ kind: 'cron', cron: text, timezone })
const times = (when: When, after: string, count = 3) =>
  nextTimes(when, Date.parse(after), count).map((time) => new Date(time).toISOString().replace(':00.000Z', 'Z'))
const NOW = Date.parse('2026-11-21T10:00:00Z')

describe('a cron', () => {
  test('keeps to the clock on the wall: Shanghai has one time all year', ({ expect }) => {
    expect(times(cron('0 9 * * *', 'Asia/Shanghai'), '2026-03-07T12:00:00Z')).toEqual([
      '2026-03-08T01:00Z',
      '2026-03-09T01:00Z',
      '2026-03-10T01:00Z',
    ])
  })

  test('keeps to the clock on the wall: New York moves it in spring and in autumn', ({ expect }) => {
    const nine = cron('0 9 * * *', 'America/New_York')
    expect(times(nine, '2026-03-07T00:00:00Z')).toEqual(['2026-03-07T14:00Z', '2026-03-08T13:00Z', '2026-03-09T13:00Z'])
    expect(times(nine, '2026-10-31T00:00:00Z')).toEqual(['2026-10-31T13:00Z', '2026-11-01T14:00Z', '2026-11-02T14:00Z'])
  })

  test('at a time that spring leaves out fires once, at the first time after it', ({ expect }) => {
    const half = cron('30 2 * * *', 'America/New_York')
    expect(times(half, '2026-03-07T00:00:00Z')).toEqual(['2026-03-07T07:30Z', '2026-03-08T07:00Z', '2026-03-09T06:30Z'])
  })

  test('at a time that autumn has twice fires once; one that fires every hour, in both', ({ expect }) => {
    const half = cron('30 1 * * *', 'America/New_York')
    expect(times(half, '2026-10-31T00:00:00Z')).toEqual(['2026-10-31T05:30Z', '2026-11-01T05:30Z', '2026-11-02T06:30Z'])
    const hourly = cron('30 * * * *', 'America/New_York')
    expect(times(hourly, '2026-11-01T04:00:00Z', 4)).toEqual([
      '2026-11-01T04:30Z',
      '2026-11-01T05:30Z',
      '2026-11-01T06:30Z',
      '2026-11-01T07:30Z',
    ])
  })

  test('of several times in an hour makes up for those that spring leaves out, all at once', ({ expect }) => {
    const twice = cron('15,45 2 * * *', 'America/New_York')
    expect(times(twice, '2026-03-07T08:00:00Z', 4)).toEqual([
      '2026-03-08T07:00Z',
      '2026-03-09T06:15Z',
      '2026-03-09T06:45Z',
      '2026-03-10T06:15Z',
    ])
    // The clocks of Lord Howe move by half an hour.
    expect(times(cron('15,45 2 * * *', 'Australia/Lord_Howe'), '2026-10-03T15:00:00Z')).toEqual([
      '2026-10-03T15:30Z',
      '2026-10-03T15:45Z',
      '2026-10-04T15:15Z',
    ])
  })

  test('of several times in an hour that autumn has twice fires at each of them once', ({ expect }) => {
    const afterMidnight = cron('0,30 1,2 * * *', 'America/New_York')
    const all = [
      '2026-11-01T05:00Z',
      '2026-11-01T05:30Z',
      '2026-11-01T07:00Z',
      '2026-11-01T07:30Z',
      '2026-11-02T06:00Z',
    ]
    expect(times(afterMidnight, '2026-11-01T04:30:00Z', 5)).toEqual(all)
    expect(times(afterMidnight, '2026-11-01T06:10:00Z', 1)).toEqual(['2026-11-01T07:00Z'])
    expect(times(cron('*/30 * * * *', 'America/New_York'), '2026-11-01T05:00:00Z')).toEqual([
      '2026-11-01T05:30Z',
      '2026-11-01T06:00Z',
      '2026-11-01T06:30Z',
    ])
  })

  test.for(['America/New_York', 'Europe/London', 'Asia/Shanghai', 'America/Santiago', 'Pacific/Apia'])(
    'of one time a day is the same day by day as croner says: %s',
    (zone, { expect }) => {
      const begins = ['2026-03-06', '2026-03-27', '2026-04-03', '2026-09-04', '2026-10-23', '2026-10-30']
      for (const [hour, begin] of [0, 1, 2, 3, 23].flatMap((one) => begins.map((day) => [one, day] as const))) {
        const one = new Cron(`30 ${hour} * * *`, { timezone: zone, paused: true })
        let at = Date.parse(`${begin}T00:00:00Z`)
        for (let day = 0; day < 5; day++) {
          const next = nextAfter(cron(`30 ${hour} * * *`, zone), at)
          expect([zone, hour, next]).toEqual([zone, hour, one.nextRun(new Date(at))?.getTime()])
          at = next ?? at
        }
      }
    },
  )

  test('takes the last day, a leap day, names and seconds', ({ expect }) => {
    expect(times(cron('0 0 L * *', 'UTC'), '2026-11-21T00:00:00Z', 2)).toEqual([
      '2026-11-30T00:00Z',
      '2026-12-31T00:00Z',
    ])
    expect(times(cron('0 0 29 2 *', 'UTC'), '2026-11-21T00:00:00Z', 1)).toEqual(['2028-02-29T00:00Z'])
    expect(times(cron('0 8 * * MON-FRI', 'UTC'), '2026-11-21T00:00:00Z', 1)).toEqual(['2026-11-23T08:00Z'])
    expect(nextAfter(cron('*/10 * * * * *', 'UTC'), NOW)).toBe(NOW + 10_000)
  })
})

describe('an interval', () => {
  test('is counted from its beginning, however late it is looked at', ({ expect }) => {
    const when: When = { kind: 'every', everyMs: 60_000, from: NOW }
    expect(nextAfter(when, NOW)).toBe(NOW + 60_000)
    expect(nextAfter(when, NOW + 59_999)).toBe(NOW + 60_000)
    expect(nextAfter(when, NOW + 60_000)).toBe(NOW + 120_000)
    expect(nextAfter(when, NOW + 3_600_001)).toBe(NOW + 3_660_000)
    expect(nextAfter(when, NOW - 3_600_000)).toBe(NOW + 60_000)
  })
})

test('one time is over once it was', ({ expect }) => {
  const when: When = { kind: 'at', at: NOW + 1 }
  expect(nextTimes(when, NOW, 5)).toEqual([NOW + 1])
  expect(nextAfter(when, NOW + 1)).toBeNull()
})

describe('what would never fire is refused with its path', () => {
  const pathsOf = (input: Parameters<typeof whenOf>[0]) => {
    const when = whenOf(input, 'Asia/Shanghai', NOW)
    return when.ok || !('issues' in when.error) ? [] : when.error.issues.map(({ path }) => path)
  }

  test('a time that is past, or now', ({ expect }) => {
    expect(pathsOf({ at: '2026-11-21T10:00:00Z' })).toEqual(['at'])
    expect(pathsOf({ at: '2026-11-21T18:00:01+08:00' })).toEqual([])
  })

  test('a cron without a time to come, or that is none', ({ expect }) => {
    const wrong = ['0 0 30 2 *', '0 0 31 4,6 *', '0 0 0 1 1 * 2020', '61 * * * *', '* * *', 'x', '* * * * MONDAYS']
    for (const text of wrong) expect(pathsOf({ cron: text }), text).toEqual(['cron'])
  })

  test('none of the three, or more than one', ({ expect }) => {
    expect(pathsOf({})).toEqual(['cron'])
    expect(pathsOf({ cron: '* * * * *', at: '2027-01-01T00:00:00Z', every_ms: 1_000 })).toEqual(['at', 'every_ms'])
  })
})
