import { describe, test } from 'vitest'
import type { SqliteMemory } from '../../src/memory/sqlite-memory.ts'
import { endedRun } from './ended-run.ts'

/** Has a claim look at a memory that nobody has used. */
type Fresh = (look: (memory: SqliteMemory) => void) => void | Promise<void>

/** What a memory promises, in Node and in a Durable Object. `fresh` gives one that nobody has used. */
export function memorySuite(fresh: Fresh): void {
  describe('a memory', () => {
    test('tells a run the last three rounds of other sessions in full, all preferences, the last five tasks', ({
      expect,
    }) =>
      fresh((memory) => {
        memory.save(
          'u',
          [0, 1, 2, 3, 4, 5].map((n) => endedRun(n)),
        )
        memory.save('u', [endedRun(6, { sessionId: 'ses_5' }), endedRun(7, { result: null, status: 'failed' })])
        memory.put('u', { key: 'a', value: '1' })
        memory.put('u', { key: 'b', value: '2' })
        const { rounds, preferences, tasks } = memory.load('ses_5')
        expect(rounds.map(({ run_id: run }) => run)).toEqual(['run_4', 'run_3', 'run_2'])
        expect(rounds[0]).toEqual({
          session_id: 'ses_4',
          run_id: 'run_4',
          user_message: 'task 4',
          ai_response: 'result 4',
          timestamp: '2026-01-01T00:04:00.000Z',
          untrusted: false,
        })
        expect(preferences).toEqual([
          { key: 'b', value: '2' },
          { key: 'a', value: '1' },
        ])
        expect(tasks.map(({ run_id: run }) => run)).toEqual(['run_7', 'run_6', 'run_5', 'run_4', 'run_3'])
        expect(tasks[0]).toMatchObject({ user_id: 'u', task_data: { task: 'task 7', result: null, status: 'failed' } })
      }))

    test('has a run once, however often it is saved, as it was saved last', ({ expect }) =>
      fresh((memory) => {
        memory.save('u', [endedRun(1, { result: null, status: 'failed' })])
        memory.save('u', [endedRun(2)])
        memory.save('u', [endedRun(1, { result: 'lighthouse' })])
        memory.save('u', [endedRun(1, { result: 'beacon', untrusted: true })])
        const { data } = memory.rounds({ limit: 10 })
        expect(data.map(({ ai_response: answer, untrusted }) => [answer, untrusted])).toEqual([
          ['beacon', true],
          ['result 2', false],
        ])
        expect(memory.rounds({ q: 'lighthouse', limit: 10 }).data).toEqual([])
        expect(memory.rounds({ q: 'beacon', limit: 10 }).data).toHaveLength(1)
        expect(memory.tasks({ limit: 10 }).data.map(({ run_id: run }) => run)).toEqual(['run_2', 'run_1'])
      }))

    const texts = {
      lighthouse: '海边的灯塔在夜里发光 The old Lighthouse',
      deploy: '部署脚本用 Python 写成，见 café.py',
      spaced: 'The weather of Köln: 100% rain',
      single: '塔',
    }
    const cases: [string, (keyof typeof texts)[]][] = [
      ['灯塔', ['lighthouse']],
      ['塔', ['single', 'lighthouse']],
      ['部署脚本', ['deploy']],
      ['署脚', ['deploy']],
      ['脚部', []],
      ['LIGHT', ['lighthouse']],
      ['cafe', ['deploy']],
      ['KÖLN', ['spaced']],
      ['py', ['deploy']],
      ['python 部署', ['deploy']],
      ['python 灯塔', []],
      ['100', ['spaced']],
      ['%', []],
      ['" OR rowid > 0 --', []],
      ['NEAR(灯塔', []],
      ['发光 the', ['lighthouse']],
    ]
    test.for(cases)('is searched for %j', ([q, expected], { expect }) =>
      fresh((memory) => {
        Object.entries(texts).forEach(([name, task], n) => memory.save('u', [endedRun(n, { runId: name, task })]))
        expect(memory.rounds({ q, limit: 10 }).data.map(({ run_id: run }) => run)).toEqual(expected)
        expect(memory.tasks({ q, limit: 10 }).data.map(({ run_id: run }) => run)).toEqual(expected)
      }),
    )

    test('gives a question the rounds that speak of it, best first, also when none holds all of its words', ({
      expect,
    }) =>
      fresh((memory) => {
        Object.entries(texts).forEach(([name, task], n) => memory.save('u', [endedRun(n, { runId: name, task })]))
        const found = (query: string) => memory.search(query, 5).map(({ run_id: run }) => run)
        expect(found('那个部署脚本在哪里？')).toEqual(['deploy'])
        expect(found('Where is the lighthouse?')[0]).toBe('lighthouse')
        expect(found('量子力学')).toEqual([])
      }))

    test('pages its lists, newest first, searched or not', ({ expect }) =>
      fresh((memory) => {
        memory.save(
          'u',
          [0, 1, 2, 3, 4].map((n) => endedRun(n, { task: n === 2 ? 'other' : '灯塔' })),
        )
        for (const q of [undefined, '灯塔']) {
          const pages: string[][] = []
          let cursor: string | null | undefined
          do {
            const page = memory.rounds({ q, limit: 2, cursor: cursor ?? undefined })
            pages.push(page.data.map(({ run_id: run }) => run))
            cursor = page.nextCursor
          } while (cursor !== null)
          expect(pages.flat()).toEqual(['run_4', 'run_3', ...(q === undefined ? ['run_2'] : []), 'run_1', 'run_0'])
          expect(pages[0]).toHaveLength(2)
        }
      }))

    test('sets, changes, lists and removes preferences', ({ expect }) =>
      fresh((memory) => {
        memory.put('u', { key: '语言', value: '中文' })
        memory.put('u', { key: 'tone', value: 'brief' })
        memory.put('u', { key: '语言', value: 'English' })
        expect(memory.preference('语言')).toEqual({ key: '语言', value: 'English' })
        expect(memory.preferences({ limit: 10 }).data.map(({ key }) => key)).toEqual(['语言', 'tone'])
        expect([memory.remove('tone'), memory.remove('tone'), memory.preference('tone')]).toEqual([true, false, null])
      }))
  })
}
