import { test } from 'vitest'
import { deliveryId } from '../../../src/callbacks/outbox.ts'
import { isId } from '../../../src/lib/id.ts'
import { news, START } from '../../support/outbox-world.ts'

test('an id of a delivery is the same each time, another for other news, and sorts by its time', async ({ expect }) => {
  const one = news('ses_1', 5, START)
  const ids = await Promise.all([
    deliveryId('cbk_1', one),
    deliveryId('cbk_1', { ...one, data: { ...one.data, result: 'another' } }),
    deliveryId('cbk_2', one),
    deliveryId('cbk_1', news('ses_1', 6, START)),
    deliveryId('cbk_1', news('ses_2', 5, START)),
    deliveryId('cbk_1', news('ses_1', 5, START, 'run.failed')),
    deliveryId('cbk_1', news('ses_1', 7, START + 1)),
  ])
  expect(ids.every((id) => isId('dlv', id))).toBe(true)
  expect(ids[0]).toBe(ids[1])
  expect(new Set(ids).size).toBe(6)
  expect(ids.toSorted().at(-1)).toBe(ids[6])
})
