import type { ResultValue } from '../../domain/tool.ts'
import { fencedPart } from '../../lib/fence.ts'
import { parseJson } from '../../lib/json.ts'
import { TEXTS } from './answer-texts.ts'

/** The result of a request for a program: its status, headers and body; a body that is JSON as what that stands for. From 400 on it failed. */
export function responseValue(text: string): ResultValue {
  const status = statusOf(text)
  if (status >= 400) return { ok: false, status }
  const part = fencedPart(text)
  const inside = part ? text.slice(part.inside.start, part.inside.end) : ''
  const gap = inside.indexOf('\n\n')
  const [head, said] = gap < 0 ? [inside, ''] : [inside.slice(0, gap), inside.slice(gap + 2)]
  const isEmpty = Object.values(TEXTS).some(({ empty }) => said === empty)
  return { ok: true, value: { status, headers: headersOf(head), body: isEmpty ? '' : (parseJson(said) ?? said) } }
}

/** As the first line says it; 0: it does not. */
function statusOf(text: string): number {
  const [line = ''] = text.split('\n', 1)
  const digits = /\d{3}$/.exec(line)?.[0] ?? ''
  return Object.values(TEXTS).some((texts) => line === texts.status(Number(digits))) ? Number(digits) : 0
}

function headersOf(head: string): Record<string, string> {
  const lines = head.split('\n').flatMap((line) => {
    const at = line.indexOf(': ')
    return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 2)] as const]
  })
  return Object.fromEntries(lines)
}
