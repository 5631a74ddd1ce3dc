import { describe, test } from 'vitest'
import type { NewEvent } from '../../../src/domain/event.ts'
import { Journal } from '../../../src/log/journal.ts'
import { reduce } from '../../../src/orchestrators/all.ts'
import { withRecentMessages } from '../../../src/store/recent-messages.ts'
import { sqliteLog } from '../../../src/store/session-log.ts'
import { RECORD } from '../../support/event-row-claims.ts'
import { databaseOn } from '../../support/node-database.ts'

const noted = (detail: string): NewEvent => ({ type: 'error', code: 'x', detail })
const task: NewEvent = {
  type: 'message',
  message: {
    seq: 0,
    id: 'msg_1',
    run_id: null,
    role: 'user',
    content: 'a',
    kind: 'task',
    created_time: '',
    scope: null,
  },
}

/** A journal of a session that is there, on a disk that can be full. */
function journalOn(disk: { isFull: boolean }) {
  const db = databaseOn(disk)
  const journal = new Journal(withRecentMessages(sqliteLog(db, reduce)), Date.now, { reduce })
  journal.append([], { record: RECORD })
  return journal
}

describe('events that are appended together', () => {
  test('are not there when they could not be written', ({ expect }) => {
    const disk = { isFull: false }
    const journal = journalOn(disk)
    disk.isFull = true
    expect(() => journal.together(() => journal.append([task, noted('b')]))).toThrow('the disk is full')
    expect([journal.state.lastSeq, journal.log.events(0, 10), journal.log.messages({ limit: 10 })]).toEqual([0, [], []])
    disk.isFull = false
    journal.append([noted('c')])
    expect(journal.log.events(0, 10)).toMatchObject([{ seq: 1, detail: 'c' }])
  })

  test('are not there when a look at the log between them found that the first cannot be written', ({ expect }) => {
    const disk = { isFull: false }
    const journal = journalOn(disk)
    const work = () => {
      journal.append([task, noted('b')])
      disk.isFull = true
      expect(() => journal.log.text('x')).toThrow('the disk is full')
      disk.isFull = false
      expect(() => journal.append([noted('c')])).toThrow('the disk is full')
    }
    expect(() => journal.together(work)).toThrow('the disk is full')
    expect([journal.state.lastSeq, journal.log.events(0, 10), journal.log.messages({ limit: 10 })]).toEqual([0, [], []])
    journal.append([noted('d')], { texts: [{ key: 'x', text: 'y' }] })
    expect(journal.log.events(0, 10)).toMatchObject([{ seq: 1, detail: 'd' }])
  })

  test('that made a table are written with it the next time', ({ expect }) => {
    const disk = { isFull: false }
    const journal = journalOn(disk)
    disk.isFull = true
    const kept = { texts: [{ key: 'x', text: 'y' }] }
    expect(() => journal.append([noted('a')], kept)).toThrow('the disk is full')
    disk.isFull = false
    journal.together(() => journal.append([noted('b')], kept))
    expect(journal.log.text('x')).toBe('y')
  })
})
