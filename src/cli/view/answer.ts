import { columnsOf } from './text.ts'
import { withJsonLaidOut } from '../../lib/json.ts'

/** Where an answer goes: in pieces as it is written, then whole. */
export interface AnswerSink {
  push(text: string): void
  /** Take away what is shown of a block that is not complete: something else is written. */
  hide(): void
  /** What came since the last time was no answer, and stays as it is; the answer may come next. */
  pass(): void
  /** The answer as the run has it: completes what has come, or replaces it when it is another. */
  finish(answer: string): void
}

/** Raw, once it is whole: for pipes and files. */
export function rawAnswer(write: (text: string) => void): AnswerSink {
  const finish = (answer: string) => write(answer.endsWith('\n') ? answer : `${answer}\n`)
  return { push: () => {}, hide: () => {}, pass: () => {}, finish }
}

/** Up so many lines, and nothing below. */
const erased = (lines: number) => (lines === 0 ? '' : `\u001b[${lines}A\u001b[J`)

/** Rows that lines take, which a terminal breaks anew when it becomes narrower. */
const rowsOf = (lines: readonly string[], columns: number) =>
  lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(columnsOf(line) / columns)), 0)

/** Rendered, block by block as each is complete: for terminals. Below stands the end of the block that is being written, as `draft`
 *  gives its lines, until it is complete; there are few enough of them to be taken away again. */
export function renderedAnswer(
  write: (text: string) => void,
  render: (markdown: string) => string,
  draft: (text: string) => string[] = () => [],
  columns: () => number = () => Infinity,
): AnswerSink {
  let received = ''
  let shown = 0
  let drawn: readonly string[] = []
  const put = (part: string, lines: readonly string[]) => {
    const block = part.trim() === '' ? '' : `${render(part)}\n\n`
    const text = erased(rowsOf(drawn, columns())) + block + lines.map((line) => `${line}\n`).join('')
    drawn = lines
    if (text !== '') write(text)
  }
  const show = (end: number) => {
    put(received.slice(shown, end), [])
    shown = end
  }
  return {
    push: (text) => {
      received += text
      const end = completeUntil(received, shown)
      const part = received.slice(shown, end)
      shown = end
      put(part, draft(received.slice(end)))
    },
    hide: () => put('', []),
    pass: () => {
      show(received.length)
      received = ''
      shown = 0
    },
    finish: (result) => {
      const answer = withJsonLaidOut(result)
      if (received.trim() !== answer.trim()) {
        received = answer
        shown = 0
      }
      show(received.length)
    },
  }
}

/** Where the last blank line after `from` ends that is outside a fence: what stands before it is complete. */
function completeUntil(text: string, from: number): number {
  let end = from
  let at = from
  let fence: string | null = null
  for (let next = text.indexOf('\n', at); next >= 0; next = text.indexOf('\n', at)) {
    const line = text.slice(at, next).trim()
    const mark = /^(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark !== undefined) fence = fence === null ? mark : line === fence ? null : fence
    at = next + 1
    if (fence === null && line === '') end = at
  }
  return end
}
