import { test } from 'vitest'
import { listTriggers, openTriggers, putTrigger } from '../../../src/store/triggers.ts'
import { TriggerStore } from '../../../src/triggers/trigger-store.ts'
import { nodeDatabase } from '../../support/node-database.ts'

test('a list holds no trigger of another kind, whatever its cursor says', ({ expect }) => {
  const db = nodeDatabase()
  openTriggers(db, 'default')
  for (const id of ['cbk_1', 'sch_1', 'sch_2', 'whk_1']) putTrigger(db, { id }, null)
  const listed = (before: string | undefined) =>
    listTriggers<{ id: string }>(db, 'sch', { before, limit: 10 }).map(({ spec }) => spec.id)
  expect(listed(undefined)).toEqual(['sch_2', 'sch_1'])
  expect(listed('sch_2')).toEqual(['sch_1'])
  expect(listed('读')).toEqual(['sch_2', 'sch_1'])
  expect(listed('whk_2')).toEqual(['sch_2', 'sch_1'])
  expect(listed('a')).toEqual([])
  db.close()
})

test('no trigger is found, changed or removed as one of another kind', ({ expect }) => {
  const db = nodeDatabase()
  openTriggers(db, 'default')
  for (const id of ['sch_1', 'whk_1']) putTrigger(db, { id }, null)
  const schedules = new TriggerStore(db, { prefix: 'sch', what: 'schedule', plural: 'schedules', max: 10 })
  const unknown = { ok: false, error: { code: 'not_found', what: 'schedule' } }
  const changed = schedules.change('whk_1', () => ({ ok: true, value: { spec: { id: 'whk_1' }, next: null } }), null, 0)
  expect(changed).toEqual(unknown)
  expect(schedules.find('whk_1')).toEqual(unknown)
  expect(schedules.log('whk_1', { before: undefined, limit: 1 })).toEqual(unknown)
  expect(schedules.remove('whk_1')).toEqual(unknown)
  expect(schedules.find('sch_1').ok).toBe(true)
  expect(listTriggers(db, 'whk', { before: undefined, limit: 10 })).toHaveLength(1)
  db.close()
})
