import type { Language, Localized } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import type { AddressProblem } from '../net/outcome.ts'
import { describeAddressProblem } from '../net/outcome.ts'
import { describeSecretProblem, type SecretProblem } from '../net/secrets.ts'

/** Why a server gave no answer. `detail` of `refused` and `status` are words of the server. */
export type McpFailure =
  | { code: 'address_refused'; detail: AddressProblem }
  | { code: 'unreachable' | 'timeout' | 'too_long' | 'unauthorized' | 'authorisation_failed' | 'wants_input' }
  | { code: 'authorise'; url: string }
  | { code: 'secret'; problem: SecretProblem }
  | { code: 'status'; status: number; detail: string }
  | { code: 'refused'; detail: string }
  | { code: 'bad_answer'; detail: string }

const WORDS = {
  'zh-CN': {
    unreachable: '无法连接到该 MCP 服务，或连接中途断开。',
    timeout: 'MCP 服务没有在规定的时间内答复。',
    too_long: `MCP 服务的答复超过 ${LIMITS.mcp.answerBytesMax} 字节，已放弃。`,
    unauthorized: 'MCP 服务要求授权；请管理员配置它的请求头或完成授权。',
    authorise: 'MCP 服务要求授权；请管理员刷新该服务，并打开答复里的授权地址。',
    authorisation_failed: 'MCP 服务的授权没有成功：授权服务器拒绝了，或者它的信息不可信。',
    wants_input: 'MCP 服务要求在调用中途由用户补充信息，这里不支持；调用没有完成。',
    status: (status: number) => `MCP 服务以状态码 ${status} 拒绝。`,
    refused: 'MCP 服务报告错误。',
    bad_answer: 'MCP 服务的答复不符合协议。',
  },
  en: {
    unreachable: 'The MCP server could not be reached, or the connection broke off.',
    timeout: 'The MCP server gave no answer in time.',
    too_long: `The answer of the MCP server is over ${LIMITS.mcp.answerBytesMax} bytes and was given up.`,
    unauthorized: 'The MCP server wants authorisation: the administrator has to set its headers or to authorise it.',
    authorise:
      'The MCP server wants authorisation: an administrator has to refresh it and to open the address in the answer.',
    authorisation_failed:
      'The MCP server could not be authorised: its authorisation server refused, or cannot be trusted.',
    wants_input:
      'The MCP server wants input from the user in the middle of the call, which cannot be given; the call did not end.',
    status: (status: number) => `The MCP server refused with status ${status}.`,
    refused: 'The MCP server reports an error.',
    bad_answer: 'The MCP server gave an answer that does not follow the protocol.',
  },
} as const satisfies Record<Language, unknown>

/** What happened, in our words alone. */
export function failureWords(failure: McpFailure, language: Language): string {
  if (failure.code === 'secret') return describeSecretProblem(failure.problem, language)
  if (failure.code === 'address_refused') return describeAddressProblem(failure.detail, language)
  const words = WORDS[language]
  return failure.code === 'status' ? words.status(failure.status) : words[failure.code]
}

/** The same as a probe keeps it. */
export function failureKept(failure: McpFailure): { error: string; errorTexts: Localized } {
  const errorTexts = { 'zh-CN': failureWords(failure, 'zh-CN'), en: failureWords(failure, 'en') }
  return { error: errorTexts.en, errorTexts }
}

/** What the server says of it, cut; null: nothing. */
export function serverWords(failure: McpFailure): string | null {
  const said =
    failure.code === 'refused' || failure.code === 'status' || failure.code === 'bad_answer' ? failure.detail : ''
  return said.trim() === '' ? null : said.trim().slice(0, LIMITS.mcp.errorExcerptChars)
}
