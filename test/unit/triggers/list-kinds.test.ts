import { test } from 'vitest'
import { listTriggers, openTriggers, putTrigger } from '../../../src/store/triggers.ts'
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
