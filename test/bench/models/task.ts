import { readFileSync } from 'node:fs'
import { URL } from 'node:url'
import * as z from 'zod'

/** Words, each with its alternatives: all are to be there, and none of `without`. */
const words = { contains: z.array(z.array(z.string().min(1)).min(1)).min(1), without: z.array(z.string()).default([]) }

/** What makes an answer right. */
const check = z.union([
  z.strictObject(words),
  /** The same of a file of the session's workspace. */
  z.strictObject({ file: z.string(), ...words }),
  /** The first or the last number of the answer that the task does not have. */
  z.strictObject({ number: z.number() }),
  /** Members of the JSON object that the answer is; it fits the task's schema, too. */
  z.strictObject({ json: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])) }),
])
export type Check = z.infer<typeof check>

const task = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]+$/),
  language: z.enum(['en', 'zh-CN']),
  /** What the user says, and what the model alone is asked; `{{page}}` is the address of the page. */
  text: z.string().min(1),
  page: z.strictObject({ title: z.string(), paragraphs: z.array(z.string()) }).optional(),
  /** What is in the workspace before. */
  files: z.record(z.string(), z.string()).default({}),
  /** The shipped skill that does it, with what it is given. */
  skill: z
    .strictObject({ name: z.string(), input: z.union([z.string(), z.record(z.string(), z.string())]) })
    .optional(),
  /** A skill is made that answers by it. */
  schema: z.record(z.string(), z.unknown()).optional(),
  check,
})

/** What tasks are about; a file of `tasks` each. */
export const KINDS = ['questions', 'pages', 'tools', 'plans', 'skills', 'schemas'] as const
export type Kind = (typeof KINDS)[number]
export type ModelTask = z.infer<typeof task> & { kind: Kind }

const tasksFile = z.strictObject({ tasks: z.array(task) })

export function loadTasks(): ModelTask[] {
  return KINDS.flatMap((kind) => {
    const text = readFileSync(new URL(`tasks/${kind}.json`, import.meta.url), 'utf8')
    return tasksFile.parse(JSON.parse(text)).tasks.map((one) => ({ ...one, kind }))
  })
}

/** Those that a list of kinds and of `KIND/NAME` names; null: a name in it is none of a task. */
export function chosenTasks(tasks: readonly ModelTask[], only: string): ModelTask[] | null {
  const names = only.split(',').map((name) => name.trim())
  const isNamed = (one: ModelTask, name: string) => name === one.kind || name === `${one.kind}/${one.name}`
  if (names.some((name) => !tasks.some((one) => isNamed(one, name)))) return null
  return tasks.filter((one) => names.some((name) => isNamed(one, name)))
}

/** What a task says, with the address of its page. */
export function wordsOf({ kind, name, text }: ModelTask, pagesUrl: string): string {
  return text.replace('{{page}}', `${pagesUrl}/${kind}/${name}`)
}

/** The same for a model alone, which is told of the schema in words. */
export function bareWordsOf(one: ModelTask, pagesUrl: string): string {
  const text = wordsOf(one, pagesUrl)
  if (one.schema === undefined) return text
  const how =
    one.language === 'en'
      ? 'Answer with JSON that fits this JSON Schema, and nothing else:'
      : '只用符合这个 JSON Schema 的 JSON 回答，不写别的：'
  return `${text}\n\n${how}\n${JSON.stringify(one.schema)}`
}
