import type { StepError } from '../../domain/event.ts'
import type { Language } from '../../domain/language.ts'

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
    not_a_list: () => 'over 得到的不是列表。',
    too_many_items: (detail) => `列表的项目太多：${detail}。`,
    not_a_time: (detail) => `until 得到的不是时间：${detail}`,
    not_a_key: (detail) => `webhook_key 得到的不是可用的键：${detail}`,
    not_a_session: (detail) => `session 得到的不是可以等待的会话：${detail}`,
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
    not_a_list: () => 'What over comes to is no list.',
    too_many_items: (detail) => `The list has too many items: ${detail}.`,
    not_a_time: (detail) => `What until comes to is no time: ${detail}`,
    not_a_key: (detail) => `What webhook_key comes to is no key: ${detail}`,
    not_a_session: (detail) => `What session comes to is no session that could be waited for: ${detail}`,
    output_invalid: (detail) => `The output does not fit the JSON Schema in output: ${detail}`,
    output_too_long: (detail) => `The output is too long: ${detail}.`,
    input_too_long: (detail) => `What the step is given is too long: ${detail}.`,
    signal_failed: (detail) => detail,
    given_up: (detail) => detail,
    not_undone: (detail) => `${detail} What it had done could not be undone, so it was not tried again.`.trim(),
  },
} as const satisfies Record<Language, Record<string, (detail: string) => string>>

export type StepErrorCode = keyof (typeof TEXTS)['en']

export function stepError(language: Language, code: StepErrorCode, detail = ''): StepError {
  return { code, message: TEXTS[language][code](detail) }
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
