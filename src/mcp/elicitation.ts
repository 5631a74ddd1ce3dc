import { isObject, jsonObject } from '../lib/json.ts'
import type { Language } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import { withSchemaWords } from '../domain/schema-words.ts'
import type { JsonSchema } from '../domain/tool.ts'
import { cutText } from '../lib/text.ts'
import { checkOf } from './schema.ts'

/** What a server wants to know before it goes on with a call, which is made again with the answers. */
export interface InputWanted {
  /** By the server's own keys. */
  requests: Record<string, unknown>
  /** Given so far, by the same keys. */
  responses: Record<string, unknown>
  /** The server's own, given back as it came. */
  requestState?: string
  /** It asked within the call, as older revisions have it, and was told that the user has cancelled. */
  isCancelled?: true
  /** Times that this call has asked. */
  rounds: number
}

/** A question to the user: a form with fields, or an address to visit. */
export interface Elicitation {
  key: string
  message: string
  url: string | null
  schema: JsonSchema
}

/** The next thing to ask the user. `unknown`: the server wants something that is not for users. Null: all is answered. */
export function nextQuestion({ requests, responses }: InputWanted): Elicitation | 'unknown' | null {
  const open = Object.entries(requests).find(([key]) => !Object.hasOwn(responses, key))
  if (open === undefined) return null
  const [key, request] = open
  const params = isObject(request) && request['method'] === 'elicitation/create' ? request['params'] : null
  if (!isObject(params) || typeof params['message'] !== 'string') return 'unknown'
  const url = params['mode'] === 'url' && typeof params['url'] === 'string' ? params['url'] : null
  const schema = isObject(params['requestedSchema']) ? params['requestedSchema'] : {}
  return { key, message: params['message'], url, schema }
}

const WORDS = {
  'zh-CN': {
    asks: (server: string) => `MCP 服务 ${server} 在调用中途询问（以下是它的原话）：`,
    again: '为了等你的回答，这次调用已告知服务“取消”；回答之后会带着答案重新调用一次。',
    visit: (url: string) => `请打开 ${url} 完成后回答“好了”。`,
    fields: '请以 JSON 对象，或每行一个“名称: 值”回答：',
    field: (name: string, facts: string) => `- ${name}（${facts}）`,
    required: '必填',
    optional: '可选',
    without: (value: string) => `不填为 ${value}`,
    wrong: '上一次的回答不符合要求：',
  },
  en: {
    asks: (server: string) => `The MCP server ${server} asks in the middle of a call, in its own words:`,
    again:
      'The server was told that its call is cancelled, so as to wait for you; with your answer the call is made again.',
    visit: (url: string) => `Open ${url}, and answer "done" when you are.`,
    fields: 'Answer with a JSON object, or with one "name: value" a line:',
    field: (name: string, facts: string) => `- ${name} (${facts})`,
    required: 'required',
    optional: 'optional',
    without: (value: string) => `${value} if left out`,
    wrong: 'The last answer does not fit: ',
  },
} as const satisfies Record<Language, unknown>

/** The question in words for the user. `wrong`: why the last answer did not do. */
export function elicitationText(
  server: string,
  asked: Elicitation,
  language: Language,
  { wrong, isCancelled }: { wrong: string | null; isCancelled: boolean },
): string {
  const words = WORDS[language]
  const { message, url, schema } = asked
  const lines = [
    ...(wrong === null ? [] : [words.wrong + withSchemaWords(language, wrong)]),
    ...(isCancelled ? [words.again] : []),
    words.asks(server),
    cutText(message, LIMITS.mcp.questionCharsMax),
  ]
  if (url !== null) return [...lines, words.visit(url.slice(0, LIMITS.web.urlCharsMax))].join('\n')
  const fields = Object.entries(fieldsOf(schema)).map(([name, field]) =>
    words.field(name, factsOf(field, neededText(name, field, schema, language))),
  )
  return [...lines, ...(fields.length > 1 ? [words.fields] : []), ...fields].join('\n')
}

function neededText(name: string, field: JsonSchema, schema: JsonSchema, language: Language): string {
  const words = WORDS[language]
  if (field['default'] !== undefined) return words.without(JSON.stringify(field['default']))
  return requiredIn(schema).includes(name) ? words.required : words.optional
}

function factsOf(field: JsonSchema, needed: string): string {
  const said = [field['title'], field['description']].filter((one) => typeof one === 'string')
  const choices = Array.isArray(field['enum']) ? [field['enum'].join(' | ')] : []
  return cutText([needed, field['type'], ...choices, ...said].join(', '), LIMITS.mcp.parameterDescriptionChars)
}

/** The choices of a form with one field that has some. */
export function choicesOf({ schema }: Elicitation): string[] | null {
  const [field, ...others] = Object.values(fieldsOf(schema))
  const choices = others.length === 0 && field ? field['enum'] : null
  return Array.isArray(choices) ? choices.map(String) : null
}

export type ElicitationResponse = { ok: true; response: Record<string, unknown> } | { ok: false; wrong: string }

/** What the user said, as the server wants it. */
export function responseFor({ url, schema }: Elicitation, said: string): ElicitationResponse {
  if (url !== null) return { ok: true, response: { action: 'accept' } }
  const content = { ...defaultsOf(schema), ...contentOf(schema, said.trim()) }
  const violations = checkOf(schema)(content)
  if (violations.length === 0) return { ok: true, response: { action: 'accept', content } }
  return { ok: false, wrong: violations.map(({ path, expected }) => `${path}: ${expected}`).join('; ') }
}

/** What counts for fields that are left out; the question shows it. */
function defaultsOf(schema: JsonSchema): Record<string, unknown> {
  const fields = Object.entries(fieldsOf(schema))
  return Object.fromEntries(fields.flatMap(([name, field]) => ('default' in field ? [[name, field['default']]] : [])))
}

function contentOf(schema: JsonSchema, said: string): Record<string, unknown> {
  const fields = fieldsOf(schema)
  const names = Object.keys(fields)
  const object = jsonObject(said)
  if (object !== null) return object
  const [only] = names
  if (names.length === 1 && only !== undefined) return { [only]: typed(said, fields[only] ?? {}) }
  const lines = said.split('\n').flatMap((line) => {
    const [, name = '', value = ''] = /^\s*-?\s*([^:：]+?)\s*[:：]\s*(.*)$/.exec(line) ?? []
    return names.includes(name) ? [[name, typed(value.trim(), fields[name] ?? {})] as const] : []
  })
  return Object.fromEntries(lines)
}

function typed(text: string, { type }: JsonSchema): unknown {
  if ((type === 'number' || type === 'integer') && text !== '' && Number.isFinite(Number(text))) return Number(text)
  if (type === 'boolean' && /^(?:true|yes|y|是|好|对)$/i.test(text)) return true
  if (type === 'boolean' && /^(?:false|no|n|否|不|不是)$/i.test(text)) return false
  return type === 'array' ? text.split(/[,，、]\s*/) : text
}

function fieldsOf(schema: JsonSchema): Record<string, JsonSchema> {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const fields = Object.entries(properties).slice(0, LIMITS.mcp.parametersMax)
  return Object.fromEntries(fields.map(([name, field]) => [name, isObject(field) ? field : {}]))
}

function requiredIn({ required }: JsonSchema): unknown[] {
  return Array.isArray(required) ? required : []
}
