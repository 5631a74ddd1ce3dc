import { describe, test } from 'vitest'
import { isRight } from '../bench/models/check.ts'
import { pageOf } from '../bench/models/pages.ts'
import { bareWordsOf, chosenTasks, loadTasks, wordsOf, type ModelTask } from '../bench/models/task.ts'

const tasks = loadTasks()
const PAGES = 'http://127.0.0.1:9000'
const named = (task: ModelTask) => `${task.kind}/${task.name}`
const noFile = () => Promise.resolve(null)

/** Answers that only give back what was given, and nothing. */
function parroted(task: ModelTask): string[] {
  const files = Object.entries(task.files)
  return [
    '',
    wordsOf(task, PAGES),
    bareWordsOf(task, PAGES),
    JSON.stringify(task.schema ?? {}),
    JSON.stringify(task.skill?.input ?? ''),
    pageOf(task) ?? '',
    task.page?.paragraphs.join('\n') ?? '',
    files.map(([path, text]) => `${path}\n${text}`).join('\n'),
  ]
}

/** The least that says what is asked. */
function answerTo({ check }: ModelTask): string {
  if ('contains' in check) return check.contains.map(([word]) => word).join(', ')
  return 'number' in check ? `It is ${check.number}.` : JSON.stringify(check.json)
}

describe('the tasks of bench:models', () => {
  test('are sixty with names of their own, as many in Chinese as in English', ({ expect }) => {
    expect(tasks).toHaveLength(60)
    expect(new Set(tasks.map(named)).size).toBe(60)
    expect(tasks.filter(({ language }) => language === 'en')).toHaveLength(30)
  })

  test('are passed by no answer that is empty or gives back what it was given', async ({ expect }) => {
    const passed: string[] = []
    for (const task of tasks)
      for (const answer of parroted(task))
        if (await isRight(task, { answer, fileText: () => Promise.resolve(answer) })) passed.push(named(task))
    expect(passed).toEqual([])
  })

  test('are passed by the answer that is asked for, in its place', async ({ expect }) => {
    const failed: string[] = []
    for (const task of tasks) {
      const answer = answerTo(task)
      const isFile = 'file' in task.check
      const work = isFile ? { answer: 'Done.', fileText: () => Promise.resolve(answer) } : { answer, fileText: noFile }
      if (!(await isRight(task, work))) failed.push(named(task))
      if (isFile && (await isRight(task, { answer, fileText: noFile }))) failed.push(`${named(task)} without its file`)
    }
    expect(failed).toEqual([])
  })

  test('are chosen by kind and name', ({ expect }) => {
    expect(chosenTasks(tasks, 'plans, questions/two-and-three')).toHaveLength(5)
    expect(chosenTasks(tasks, 'plans,questions/nothing')).toBe(null)
  })
})

describe('a check', () => {
  const task = (check: ModelTask['check'], text = 'How much is 2 + 3?'): ModelTask => {
    return { kind: 'questions', name: 'one', language: 'en', text, files: {}, check }
  }
  const says = (check: ModelTask['check'], answer: string) => isRight(task(check), { answer, fileText: noFile })

  test('of words looks at whole words, in any form of letters', async ({ expect }) => {
    const check = { contains: [['H2O'], ['three', '3']], without: ['four'] }
    expect(await says(check, 'H₂O has ３ atoms')).toBe(true)
    expect(await says(check, 'h2o: Three')).toBe(true)
    expect(await says(check, 'H2O4, 3')).toBe(false)
    expect(await says(check, 'H2O, 13')).toBe(false)
    expect(await says(check, 'H2O, 0.3')).toBe(false)
    expect(await says(check, 'H2O, three or four')).toBe(false)
  })

  test('of a number takes the first or last that the task does not have', async ({ expect }) => {
    expect(await says({ number: 5 }, '2 + 3 = 5.')).toBe(true)
    expect(await says({ number: 5 }, '5, as 1 + 4 is 5 and 6 is more')).toBe(true)
    expect(await says({ number: 5 }, '4, 5 or 6')).toBe(false)
    expect(await says({ number: 2 }, '2')).toBe(false)
  })
})
