import { describe, test } from 'vitest'
import type { Remembered, RememberedTask, Round } from '../../../src/domain/memory.ts'
import { estimateTokens } from '../../../src/lib/text.ts'
import { memoryInPrompt, partsWithin } from '../../../src/memory/prompt.ts'

const TIME = '2026-01-01T00:00:00.000Z'
const round = (number: number, answer: string): Round => ({
  session_id: `ses_${number}`,
  run_id: `run_${number}`,
  user_message: `question ${number}`,
  ai_response: answer,
  timestamp: TIME,
  untrusted: false,
})
const task = (number: number, text: string): RememberedTask => ({
  user_id: 'u',
  session_id: `ses_${number}`,
  run_id: `run_${number}`,
  task_data: { task: text, result: null, status: 'failed' },
  timestamp: TIME,
  untrusted: false,
})
const remembered = (given: Partial<Remembered>): Remembered => ({ rounds: [], preferences: [], tasks: [], ...given })
const places = (text: string, parts: string[]) => parts.map((part) => text.indexOf(part))

describe('parts of what was told', () => {
  const preferences = {
    title: 'What the user prefers',
    text: `Respect them:\n\n- a: ${'x'.repeat(400)}\n- b: ${'y'.repeat(40)}`,
  }
  const earlier = { title: 'Earlier conversations and tasks of this user', text: `[BEGIN]${'z'.repeat(400)}[END]` }

  test.for<[string, number, object[]]>([
    ['are told whole where there is room', 400, [preferences, earlier]],
    ['lose what is fenced as a whole', 200, [preferences]],
    ['lose preferences by the line', 132, [{ ...preferences, text: preferences.text.replace(/\n- b: y+/, '') }]],
    ['say nothing rather than that there would be something', 30, []],
  ])('%s', ([, tokensMax, kept], { expect }) => {
    expect(partsWithin([preferences, earlier], tokensMax)).toEqual(kept)
  })
})

describe('what a prompt tells of the user', () => {
  test('is nothing of a user of whom nothing is remembered', ({ expect }) => {
    expect(memoryInPrompt(remembered({}), 'en', 1_000)).toEqual({ preferences: '', record: '' })
  })

  test('has every preference on a line of its own, whatever is in it', ({ expect }) => {
    const { preferences } = memoryInPrompt(
      remembered({ preferences: [{ key: 'a\n## b', value: 'c\n\n- d: e' }] }),
      'en',
      1_000,
    )
    expect(preferences).toBe('- a ## b: c - d: e')
  })

  test('has the tasks, newest first, then the rounds in the order in which they were', ({ expect }) => {
    const { record } = memoryInPrompt(
      remembered({ tasks: [task(2, 'second'), task(1, 'older one')], rounds: [round(4, 'four'), round(3, 'three')] }),
      'en',
      1_000,
    )
    const found = places(record, ['second (not completed)', 'older one', 'question 3', 'three', 'question 4', 'four'])
    expect(found).toEqual(found.toSorted((a, b) => a - b))
    expect(found).not.toContain(-1)
  })

  test('never parts a grapheme where it cuts a task', ({ expect }) => {
    const family = '👨‍👩‍👧‍👦'
    const { record } = memoryInPrompt(remembered({ tasks: [task(1, `${'x'.repeat(195)}${family}y`)] }), 'en', 1_000)
    expect(record).toContain(`${'x'.repeat(195)}…`)
  })

  test.for(['zh-CN', 'en'] as const)(
    'stays within its room in %s: the newest first, and what is left out is said',
    (language, { expect }) => {
      const rounds = [round(3, '新'.repeat(300)), round(2, '中'.repeat(900)), round(1, '旧'.repeat(900))]
      const { preferences, record } = memoryInPrompt(
        remembered({ rounds, preferences: [{ key: 'k', value: 'v' }] }),
        language,
        800,
      )
      expect(preferences).toBe('- k: v')
      expect(record).toContain('新'.repeat(300))
      expect(record).toMatch(/中{100,}…/)
      expect(record).not.toContain('旧')
      expect(record).toMatch(/回忆|recall/)
      expect(estimateTokens(record)).toBeLessThan(900)
    },
  )
})
