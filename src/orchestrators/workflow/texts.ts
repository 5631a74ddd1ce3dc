import type { StepError } from '../../domain/event.ts'
import type { Language } from '../../domain/language.ts'
import { withSchemaWords } from '../../domain/schema-words.ts'

/** Why a step failed, for a person; `detail`: what is known of this one. */
const TEXTS = {
  'zh-CN': {
    step_failed: (detail) => detail || '其中有一步失败了。',
    tool_failed: (detail) => detail,
    bad_status: (detail) => `服务返回了状态码 ${detail}。`,
    timeout: () => '超过了 timeout_ms（这一步的时限）。',
    interrupted: () => '调用进行到一半时中断，不知道是否已经生效，因此没有重做。',
    refused: (detail) => detail || '没有得到批准。',
    expired: () => '等待的时间已过，没有人答复。',
    unknown_tool: (detail) => `这里没有工具 ${detail}。`,
    bad_arguments: (detail) => `参数不符合工具的要求：${detail}`,
    bad_inputs: (detail) => `输入不符合工作流的 inputs：${detail}`,
    not_a_list: (detail) => `over 中的“${detail}”不是列表。请改为列表，例如列表类型的输入，或输出列表的步骤。`,
    too_many_items: (detail) => `列表的项目太多：${detail}。`,
    not_a_time: (detail) =>
      `until 应为不太远的日期和时间，例如 2026-11-24T08:00:00+08:00，但得到的是“${detail}”。请改正 until。`,
    not_a_key: (detail) => `webhook_key 应为不空也不太长的文本，但得到的是“${detail}”。请改正 webhook_key。`,
    not_a_session: (detail) => `session 应为另一个可以等待的会话的 id（ses_…）：${detail}`,
    output_invalid: (detail) => `输出不符合 output 中的 JSON Schema：${detail}`,
    output_too_long: (detail) => `输出太长：${detail}。`,
    input_too_long: (detail) => `给这一步的内容太长：${detail}。`,
    signal_failed: (detail) => detail,
    given_up: (detail) => detail,
    not_undone: (detail) => `${detail} 其中已做的步骤未能撤销，因此没有重试。`.trim(),
  },
  en: {
    step_failed: (detail) => detail || 'A step within it failed.',
    tool_failed: (detail) => detail,
    bad_status: (detail) => `The service answered with status ${detail}.`,
    timeout: () => 'timeout_ms, the time of this step, is over.',
    interrupted: () => 'The call was cut off half way. Nobody knows whether it took effect, so it was not made again.',
    refused: (detail) => detail || 'It was not approved.',
    expired: () => 'Nobody answered in time.',
    unknown_tool: (detail) => `There is no tool ${detail} here.`,
    bad_arguments: (detail) => `The arguments do not fit the tool: ${detail}`,
    bad_inputs: (detail) => `The inputs do not fit the workflow: ${detail}`,
    not_a_list: (detail) =>
      `"${detail}" in over is not a list. Name one there, such as an input that is a list or a step that gives one.`,
    too_many_items: (detail) => `The list has too many items: ${detail}.`,
    not_a_time: (detail) =>
      `until has to be a time that is not too far away, such as 2026-11-24T08:00:00+08:00, but is "${detail}". Correct until.`,
    not_a_key: (detail) =>
      `webhook_key has to be a text that is neither empty nor too long, but is "${detail}". Correct webhook_key.`,
    not_a_session: (detail) => `session has to be the id (ses_…) of another session that can be waited for: ${detail}`,
    output_invalid: (detail) => `The output does not fit the JSON Schema in output: ${detail}`,
    output_too_long: (detail) => `The output is too long: ${detail}.`,
    input_too_long: (detail) => `What the step is given is too long: ${detail}.`,
    signal_failed: (detail) => detail,
    given_up: (detail) => detail,
    not_undone: (detail) => `${detail} What it had done could not be undone, so it was not tried again.`.trim(),
  },
} as const satisfies Record<Language, Record<string, (detail: string) => string>>

export type StepErrorCode = keyof (typeof TEXTS)['en']

/** What is known of these is what a validator says. */
const OF_A_SCHEMA: ReadonlySet<StepErrorCode> = new Set(['bad_arguments', 'bad_inputs', 'output_invalid'])

export function stepError(language: Language, code: StepErrorCode, detail = ''): StepError {
  const known = OF_A_SCHEMA.has(code) ? withSchemaWords(language, detail) : detail
  return { code, message: TEXTS[language][code](known) }
}

export function isStepErrorCode(code: string): code is StepErrorCode {
  return Object.hasOwn(TEXTS.en, code)
}

/** What is said of a run whose steps were undone. */
export const ROLLBACK_TEXTS = {
  'zh-CN': {
    notUndone: (paths: readonly string[]) => `未能撤销：${paths.join('、')}。`,
    hint: '已做的步骤已撤销；发送一条消息即可重新运行。',
  },
  en: {
    notUndone: (paths: readonly string[]) => `Not undone: ${paths.join(', ')}.`,
    hint: 'What was done was undone; send a message to run it anew.',
  },
} as const satisfies Record<Language, unknown>

/** What a step gave, or why it failed. */
export type Made = { ok: true; output: unknown } | { ok: false; error: StepError }
