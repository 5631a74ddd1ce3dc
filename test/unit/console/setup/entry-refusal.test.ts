import { expect, test } from 'vitest'
import {
  inputPlaces,
  intervalBeyond,
  missingInEntry,
  placesOf,
  withoutEmptyWords,
} from '../../../../src/console/setup/entry-refusal.ts'
import { ApiProblem } from '../../../../src/client/client.ts'
import { TRIGGER_LIMITS } from '../../../../src/domain/trigger-limits.ts'
import { type Field, PARTS } from '../../../../src/console/setup-parts/parts.ts'

const fieldsOf = (id: string): readonly Field[] => PARTS.find((part) => part.id === id)?.fields ?? []
const SCHEDULE = { name: '', task: '', cron: '0 9 * * *' }

test('what an entry has to have is missed, and of an address its begin alone is none', () => {
  expect(missingInEntry(fieldsOf('mcp-servers'), { name: ' ', url: 'https://' })).toEqual(['name', 'url'])
  expect(missingInEntry(fieldsOf('mcp-servers'), { name: 'a', url: 'https://a' })).toEqual([])
  expect(missingInEntry(fieldsOf('callbacks'), { events: [] })).toEqual(['url'])
})

test('words are missed unless there is a workflow, and a time of the way that is chosen', () => {
  expect(missingInEntry(fieldsOf('schedules'), SCHEDULE)).toEqual(['name', 'task'])
  expect(missingInEntry(fieldsOf('schedules'), { ...SCHEDULE, name: 'a', workflow: 'digest' })).toEqual([])
  const often = { name: 'a', task: 'Look', every_ms: 0 }
  expect(missingInEntry(fieldsOf('schedules'), often)).toEqual(['every_ms'])
  expect(missingInEntry(fieldsOf('schedules'), { name: 'a', task: 'Look', cron: ' ' })).toEqual(['cron'])
})

test('an interval keeps to the bounds of the server', () => {
  const beyond = (every: unknown) => intervalBeyond(fieldsOf('schedules'), { every_ms: every })
  expect(beyond(999)).toEqual({ least: TRIGGER_LIMITS.everyMsMin })
  expect(beyond(TRIGGER_LIMITS.everyMsMax + 1)).toEqual({ most: TRIGGER_LIMITS.everyMsMax })
  expect([1_000, 6_000, TRIGGER_LIMITS.everyMsMax, undefined].map(beyond)).toEqual([null, null, null, null])
  expect(intervalBeyond(fieldsOf('keys'), { every_ms: 1 })).toBeNull()
})

test('empty words beside a workflow are not sent, other fields are as they stand', () => {
  const entry = { ...SCHEDULE, workflow: 'digest' }
  expect(withoutEmptyWords(fieldsOf('schedules'), entry)).toEqual({ name: '', cron: '0 9 * * *', workflow: 'digest' })
  const changed = fieldsOf('schedules').map((field): Field => ({ ...field, isNeeded: true }))
  expect(withoutEmptyWords(changed, entry)).toEqual(entry)
})

test('each way to say when has a place of its own, in the unit that is typed', () => {
  const places = placesOf(fieldsOf('schedules'))
  expect(places.map(({ path }) => path.join('.'))).toEqual(expect.arrayContaining(['name', 'cron', 'every_ms', 'at']))
  expect(places.find(({ path: [name] }) => name === 'every_ms')?.size).toBe(60_000)
})

test('inputs that the server names have places, where a workflow is chosen', () => {
  const errors = ['inputs.urls', 'inputs.most.0', 'inputs', 'name'].map((path) => ({ path, message: 'wrong' }))
  const problem = new ApiProblem(400, { title: '', detail: '', code: 'invalid', request_id: null, errors })
  const places = (id: string) => inputPlaces(fieldsOf(id), problem).map(({ path }) => path.join('.'))
  expect(places('webhooks')).toEqual(['inputs.urls', 'inputs.most'])
  expect(places('keys')).toEqual([])
  expect(inputPlaces(fieldsOf('webhooks'), new Error('away'))).toEqual([])
})
