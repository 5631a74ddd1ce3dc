import { expect, test } from 'vitest'
import { TELEMETRY_LIMITS, type Measure } from '../../../src/domain/telemetry.ts'
import { METRICS_SCHEMA } from '../../../src/store/metrics.ts'
import { migrate } from '../../../src/store/migrate.ts'
import { Metrics } from '../../../src/telemetry/metrics.ts'
import { nodeDatabase } from '../../support/node-database.ts'

function open() {
  const db = nodeDatabase()
  migrate(db, METRICS_SCHEMA)
  return { db, metrics: new Metrics(db, [1, 2]) }
}
const called = (model: string): Measure => ({ name: 'calls', labels: { model }, add: 1 })

test('sums and buckets are as were measured, also for who opens them anew', () => {
  const { db, metrics } = open()
  metrics.add([called('a'), called('b'), called('a'), { name: 'seconds', labels: {}, observe: 1.5 }])
  new Metrics(db, [1, 2]).add([called('a'), { name: 'seconds', labels: {}, observe: 9 }])
  expect(metrics.list()).toEqual([
    { name: 'calls', labels: { model: 'a' }, value: 3, buckets: null },
    { name: 'calls', labels: { model: 'b' }, value: 1, buckets: null },
    { name: 'seconds', labels: {}, value: 10.5, buckets: [0, 1, 1] },
  ])
})

test('what is no number is left out, and the rest is not', () => {
  const { metrics } = open()
  metrics.add([{ name: 'seconds', labels: {}, observe: NaN }, called('a')])
  expect(metrics.list().map(({ name, value }) => [name, value])).toEqual([['calls', 1]])
})

test('the last free place is for one series, wholly; those behind it are others', () => {
  const { metrics } = open()
  const known = Array.from({ length: TELEMETRY_LIMITS.seriesMax - 1 }, (_, n) => called(`m${n}`))
  metrics.add(known)
  metrics.add([...known.slice(0, 20), called('last'), called('late'), called('last'), called('late'), called('m0')])
  const sums = new Map(metrics.list().map(({ labels, value }) => [labels['model'], value]))
  expect([sums.get('last'), sums.get('late'), sums.get('other'), sums.get('m0')]).toEqual([2, undefined, 2, 3])
})
