import type { Problem } from '../domain/event.ts'
import type { Language } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import { cutText } from '../lib/text.ts'
import { type NamedTool, displayName } from './tool-names.ts'

/** Every text of the protocol in one language; stored sessions have them to the letter. `name` is the name that a tool is shown with. */
interface Texts {
  noToolCalled: string
  emptyAnswer: string
  badOutput(errors: string): string
  schemaAsAnswer(example: string): string
  goingInCircles: string
  repeatedReply: string
  unknownTool(name: string): string
  badParameters(name: string, errors: string): string
  parameter(name: string, expected: string): string
  severalCalls(name: string, dropped: number): string
  tooManyFailures: string
  tooManyWithoutCall: string
  content(name: string, text: string): string
  done(name: string): string
  failed(name: string, reason: string): string
  refused: string
  expired: string
  unanswered: string
  interrupted: string
  cancelled: string
  denied: string
  overLimit: string
  cutReply: string
  feedback(text: string): string
  edited(args: string): string
}

const TEXTS: Readonly<Record<Language, Texts>> = {
  'zh-CN': {
    noToolCalled: '[警告]每次回复至少调用一个工具！',
    emptyAnswer: '[警告]回复是空的！请直接写出答复。',
    badOutput: (errors) => `[警告]答复不符合要求的 JSON 格式：${errors}。请改正后重新给出完整的答复，只写 JSON！`,
    schemaAsAnswer: (example) =>
      `[警告]答复是 JSON Schema 本身，而不是符合它的 JSON！请只写一个形如下面例子的 JSON，其中的值换成真正的答案：\n\n${example}`,
    goingInCircles:
      '[警告]你在重复同样的工具调用，得到的也是同样的结果。请换一种做法，或用已有的信息完成任务；再次重复，任务就会停止！',
    repeatedReply: '[警告]你给出了同样的回复，它无法执行。请换一种做法；再次重复，任务就会停止！',
    unknownTool: (name) => `[警告]工具"${name}"不存在！`,
    badParameters: (name, errors) => `[警告]工具"${name}"的参数有误：${errors}。请改正后重新调用！`,
    parameter: (name, expected) => `“${name}”应为：${expected}`,
    severalCalls: (name, dropped) =>
      `[警告]每次回复只执行一个工具调用：只有第一个（${name}）被采用，其余 ${dropped} 个没有执行。如仍需要，请逐个重新调用。`,
    tooManyFailures: '[警告]连续多次调用工具失败，请检查你的工具调用是否正确！',
    tooManyWithoutCall: '[警告]连续多次回复都没有调用工具！',
    content: (name, text) => `[${name}]的内容：\n\n${text}`,
    done: (name) => `[${name}]执行成功。`,
    failed: (name, reason) => `[${name}]执行失败：${reason}`,
    refused: '用户拒绝了这次调用，它没有执行。',
    expired: '等待授权超时，视为拒绝，这次调用没有执行。',
    unanswered: '调用方没有给出这次调用的结果；是否执行过，不得而知。',
    interrupted: '执行被中断，结果未知；为避免重复执行，没有自动重试。',
    cancelled: '运行已被取消，这次调用没有完成。',
    denied: '此工具不允许使用，这次调用没有执行。',
    overLimit: '工具调用的次数已经用完（max_task_tool_calls），这次调用没有执行。请用已有的信息给出结果。',
    cutReply: '[以上回复在这里被中断，没有写完。]',
    feedback: (text) => `用户的反馈：${text}`,
    edited: (args) => `用户在执行前修改了参数，实际使用的参数是：${args}`,
  },
  en: {
    noToolCalled: '[Warning] Every reply must call at least one tool!',
    emptyAnswer: '[Warning] The reply is empty! Write the answer.',
    badOutput: (errors) =>
      `[Warning] The answer is not the JSON that was asked for: ${errors}. Correct it and give the whole answer again, JSON only!`,
    schemaAsAnswer: (example) =>
      `[Warning] The answer is the JSON Schema itself, not JSON that fits it! Write JSON of the form of this example and nothing else, with the values of your answer in it:\n\n${example}`,
    goingInCircles:
      '[Warning] You repeat the same tool calls and get the same results. Do it another way, or finish with what you have; if you repeat them again, the task is stopped!',
    repeatedReply:
      '[Warning] You gave the same reply again, and it cannot be followed. Do it another way; if you repeat it again, the task is stopped!',
    unknownTool: (name) => `[Warning] Tool "${name}" does not exist!`,
    badParameters: (name, errors) =>
      `[Warning] Bad parameters for tool "${name}": ${errors}. Please correct them and call it again!`,
    parameter: (name, expected) => `"${name}" must be: ${expected}`,
    severalCalls: (name, dropped) =>
      `[Warning] Only one tool call per reply is run: the first one (${name}) was taken, the other ${dropped} ` +
      'were not run. Call them again one by one if they are still needed.',
    tooManyFailures: '[Warning] Too many failed tool calls in a row, please check your tool calls!',
    tooManyWithoutCall: '[Warning] Too many replies in a row without a tool call!',
    content: (name, text) => `[${name}] content:\n\n${text}`,
    done: (name) => `[${name}] done.`,
    failed: (name, reason) => `[${name}] failed: ${reason}`,
    refused: 'the user refused this call; it was not run.',
    expired: 'nobody decided in time, which counts as a refusal; the call was not run.',
    unanswered: 'the caller gave no result for this call; whether it was made is not known.',
    interrupted: 'it was interrupted and its outcome is unknown; it was not repeated, so that nothing is done twice.',
    cancelled: 'the run was cancelled before this call ended.',
    denied: 'this tool is not allowed; the call was not run.',
    overLimit:
      'the number of tool calls is used up (max_task_tool_calls); the call was not run. Give the result from what you have.',
    cutReply: '[The reply above was stopped here; it is not whole.]',
    feedback: (text) => `The user's feedback: ${text}`,
    edited: (args) => `The user changed the arguments before the call ran; it ran with: ${args}`,
  },
}

/** Why a call has no outcome of its own. */
export type NotRun = 'refused' | 'expired' | 'unanswered' | 'interrupted' | 'cancelled' | 'denied' | 'over_limit'

/** The warning that a problem of a reply brings; also, with the same words, the error result of a native call. */
export function problemText(problem: Problem, tools: readonly NamedTool[], language: Language): string {
  const texts = TEXTS[language]
  if (problem.code === 'no_tool_called') return texts.noToolCalled
  if (problem.code === 'empty_answer') return texts.emptyAnswer
  if (problem.code === 'bad_output' && problem.example !== undefined) return texts.schemaAsAnswer(problem.example)
  if (problem.code === 'bad_output') {
    const errors = problem.errors.map((error) => error.replace(/\.$/, ''))
    return texts.badOutput(errors.join(language === 'en' ? '; ' : '；'))
  }
  if (problem.code === 'going_in_circles') return texts.goingInCircles
  if (problem.code === 'repeated_reply') return texts.repeatedReply
  if (problem.code === 'unknown_tool') return texts.unknownTool(clipped(problem.name))
  const errors = problem.errors.map(({ path, expected }) => texts.parameter(clipped(path), expected))
  return texts.badParameters(displayName(problem.tool, tools, language), errors.join(language === 'en' ? '; ' : '；'))
}

/** Whether a text is the warning that a reply without a call brings, in either language. */
export function isNoCallWarning(text: string): boolean {
  return Object.values(TEXTS).some(({ noToolCalled }) => noToolCalled === text.trim())
}

/** The warning that further calls of a reply were not run. */
export function severalCallsText(name: string, dropped: number, language: Language): string {
  return TEXTS[language].severalCalls(name, dropped)
}

/** The warning that ends a run as `stuck`. `hasCalls`: calls were among what was wrong. */
export function tooManyFailuresText(language: Language, hasCalls: boolean): string {
  return hasCalls ? TEXTS[language].tooManyFailures : TEXTS[language].tooManyWithoutCall
}

/** The result of a call that succeeded; `content` null: an act without content. */
export function resultText(name: string, content: string | null, language: Language): string {
  return content === null ? TEXTS[language].done(name) : TEXTS[language].content(name, content)
}

/** The result of a call that failed. */
export function toolFailureText(name: string, reason: string, language: Language): string {
  return TEXTS[language].failed(name, reason)
}

/** The result of a call that was not run to its end. */
export function notRunText(name: string, why: NotRun, language: Language, feedback: string | null = null): string {
  const texts = TEXTS[language]
  const reason = why === 'over_limit' ? texts.overLimit : texts[why]
  return withFeedback(toolFailureText(name, reason, language), feedback, language)
}

/** A result with the words of the human who decided on its call. */
export function withFeedback(result: string, feedback: string | null, language: Language): string {
  const words = feedback?.trim() ?? ''
  return words === '' ? result : `${result}\n\n${TEXTS[language].feedback(words)}`
}

/** A result with the arguments that a human gave in place of the model's. */
export function withEdited(result: string, edited: Record<string, unknown> | null, language: Language): string {
  if (!edited) return result
  const shown = cutText(JSON.stringify(edited), LIMITS.tool.editedCharsMax)
  return `${result}\n\n${TEXTS[language].edited(shown)}`
}

/** What a model is told behind a reply of its own that was cut. */
export function cutReplyText(language: Language): string {
  return TEXTS[language].cutReply
}

function clipped(name: string): string {
  const { nameCharsMax } = LIMITS.text
  return name.length > nameCharsMax ? `${name.slice(0, nameCharsMax)}…` : name
}
