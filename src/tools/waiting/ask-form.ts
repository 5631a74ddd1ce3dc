import * as z from 'zod'
import { LIMITS } from '../../domain/limits.ts'
import type { Now } from '../../domain/ports.ts'
import type { Tool, ToolAnswer, ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { defineTool } from '../define.ts'
import { formProblem, isOfObject } from './form.ts'
import { WAIT_TEXTS } from './texts.ts'

const { msMax } = LIMITS.wait

const input = z.strictObject({
  question: z.string().trim().min(1).max(LIMITS.text.contentCharsMax),
  form: z.record(z.string(), z.unknown()),
  default: z.record(z.string(), z.unknown()).optional(),
  seconds: z.coerce
    .number('1, 2, 3 …')
    .int('1, 2, 3 …')
    .min(1, '1, 2, 3 …')
    .max(msMax / 1_000)
    .optional(),
})
type Wish = z.infer<typeof input>

/** Asks the user for several things at once, by a form. With `seconds` it waits no longer, and then takes the default. */
export function askFormTool(now: Now): Tool {
  return defineTool({
    id: 'ask_form',
    needs: 'lasting',
    names: { 'zh-CN': '表单提问', en: 'ask_form' },
    description: {
      'zh-CN': '用表单向用户询问几项内容；可设期限和默认答案。',
      en: 'Ask the user for several things by a form, with a deadline and a default if wanted.',
    },
    risk: 'read',
    idempotent: true,
    optIn: true,
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
        names: { 'zh-CN': '秒数', en: 'seconds' },
        description: { 'zh-CN': '最多等多少秒', en: 'how many seconds to wait at most' },
      },
    },
    run: (wish, context) => (context.answer ? answered(wish, context.answer, context) : asked(wish, context, now())),
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
