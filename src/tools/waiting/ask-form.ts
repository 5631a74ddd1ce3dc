import * as z from 'zod'
import { LIMITS } from '../../domain/limits.ts'
import type { Now } from '../../domain/ports.ts'
import type { Tool, ToolAnswer, ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { askingTool, SECONDS_NAMES, secondsInput } from './asking.ts'
import { formProblem, isOfObject } from './form.ts'
import { WAIT_TEXTS } from './texts.ts'

const input = z.strictObject({
  question: z.string().trim().min(1).max(LIMITS.text.contentCharsMax),
  form: z.record(z.string(), z.unknown()),
  default: z.record(z.string(), z.unknown()).optional(),
  seconds: secondsInput,
})
type Wish = z.infer<typeof input>

/** Asks the user for several things at once, by a form. With `seconds` it waits no longer, and then takes the default. */
export function askFormTool(now: Now): Tool {
  return askingTool(now, {
    id: 'ask_form',
    names: { 'zh-CN': '表单提问', en: 'ask_form' },
    description: {
      'zh-CN': '用表单向用户询问几项内容；可设期限和默认答案。',
      en: 'Ask the user for several things by a form, with a deadline and a default if wanted.',
    },
    input,
    parameters: {
      question: {
        names: { 'zh-CN': '问题', en: 'question' },
        description: { 'zh-CN': '问题', en: 'the question' },
      },
      form: {
        names: { 'zh-CN': '表单', en: 'form' },
        description: {
          'zh-CN': '答案的 JSON Schema：一个对象，每个属性一项',
          en: 'JSON Schema of the answer: an object, a property for each thing',
        },
      },
      default: {
        names: { 'zh-CN': '默认答案', en: 'default' },
        description: { 'zh-CN': '没有人及时回答时采用', en: 'taken where nobody answers in time' },
      },
      seconds: {
        names: SECONDS_NAMES,
        description: { 'zh-CN': '最多等多少秒', en: 'how many seconds to wait at most' },
      },
    },
    asked,
    answered,
  })
}

async function asked(
  { question, form, default: otherwise, seconds }: Wish,
  { language }: ToolContext,
  now: number,
): Promise<ToolOutcome> {
  const t = WAIT_TEXTS[language].form
  const { schemaProblem, fitAnswer } = await import('../../skills/output-schema.ts')
  if (!isOfObject(form)) return { ok: false, reason: t.notAnObject }
  const problem = formProblem(form) ?? schemaProblem(form)
  if (problem !== null) return { ok: false, reason: t.notASchema(problem) }
  const fitted = otherwise === undefined ? null : fitAnswer(JSON.stringify(otherwise), form)
  if (fitted && !fitted.ok) return { ok: false, reason: t.badDefault(fitted.errors.join('; ')) }
  const until = seconds === undefined ? {} : { until: now + seconds * 1_000 }
  const given = otherwise === undefined ? {} : { default: otherwise }
  return { ok: false, reason: question, asks: { question, options: null, state: '{}', form, ...given, ...until } }
}

function answered(
  { default: otherwise }: Wish,
  { said, declined }: ToolAnswer,
  { language }: ToolContext,
): ToolOutcome {
  const t = WAIT_TEXTS[language].form
  if (declined === 'decline') return { ok: false, reason: t.declined(said) }
  if (declined === undefined) return { ok: true, content: said }
  return otherwise === undefined
    ? { ok: false, reason: t.nobody }
    : { ok: true, content: t.byDefault(JSON.stringify(otherwise)) }
}
