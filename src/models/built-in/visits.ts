import * as z from 'zod'
import { type ModelMessage, type RawToolCall, textIn } from '../../domain/model.ts'

/** An address that was asked for. `result` null: nothing came back. */
export interface Visit {
  address: string
  result: { ok: boolean; text: string } | null
}

const NAMES = ['网页访问', 'web_access']
const ADDRESS = /<(地址|url)>([^<]*)<\/\1>/
const RESULT = /^\[([^\]\n]{1,200})\](的内容[：:]| content:|执行失败[：:]| failed:|执行成功。?| done\.?)\s*/
const argumentsShape = z.object({ url: z.string() })

/** The calls of web_access in messages, in either protocol, each with its result. */
export function visitsIn(messages: readonly ModelMessage[]): Visit[] {
  const visits: Visit[] = []
  const byCallId = new Map<string, Visit>()
  let inText: Visit | null = null
  for (const message of messages) {
    if (message.role === 'assistant') {
      for (const { id, address } of callsOf(message.toolCalls ?? [])) byCallId.set(id, begin(visits, address))
      const address = ADDRESS.exec(callIn(message.content))?.[2]?.trim()
      inText = address === undefined ? null : begin(visits, address)
    } else if (message.role === 'tool') {
      fill(byCallId.get(message.callId), message.content)
    } else if (inText !== null && isResult(textIn(message.content))) {
      fill(inText, textIn(message.content))
      inText = null
    }
  }
  return visits
}

/** The inside of the first call in a text; empty: there is none. */
function callIn(text: string): string {
  for (const name of NAMES) {
    const start = text.indexOf(`<${name}>`)
    const end = start < 0 ? -1 : text.indexOf(`</${name}>`, start)
    if (end >= 0) return text.slice(start, end)
  }
  return ''
}

function begin(visits: Visit[], address: string): Visit {
  const visit: Visit = { address, result: null }
  visits.push(visit)
  return visit
}

function fill(visit: Visit | undefined, content: string): void {
  if (visit === undefined) return
  const match = RESULT.exec(content)
  const ok = match !== null && /内容|content|成功|done/.test(match[2] ?? '')
  visit.result = { ok, text: content.slice(match?.[0].length ?? 0).trim() }
}

function isResult(content: string): boolean {
  return NAMES.includes(RESULT.exec(content)?.[1] ?? '')
}

function callsOf(calls: readonly RawToolCall[]): { id: string; address: string }[] {
  return calls.flatMap(({ id, name, arguments: args }) => {
    const address = NAMES.includes(name) ? addressOf(args) : null
    return address === null ? [] : [{ id, address }]
  })
}

function addressOf(args: string): string | null {
  try {
    return argumentsShape.safeParse(JSON.parse(args)).data?.url ?? null
  } catch {
    return null
  }
}
