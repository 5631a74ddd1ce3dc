/** Where an answer goes: told in pieces as it is written, then whole. */
export interface AnswerSink {
  push(text: string): void
  /** What was told since the last time was none, and stays as it is; the answer may come next. */
  pass(): void
  /** The answer as the run has it: completes what was told, or replaces it when it is another. */
  finish(answer: string): void
}

/** Raw, once it is whole: for pipes and files. */
export function rawAnswer(write: (text: string) => void): AnswerSink {
  return { push: () => {}, pass: () => {}, finish: (answer) => write(answer.endsWith('\n') ? answer : `${answer}\n`) }
}

/** Rendered, block by block as each is complete: for terminals. */
export function renderedAnswer(write: (text: string) => void, render: (markdown: string) => string): AnswerSink {
  let told = ''
  let shown = 0
  const show = (end: number) => {
    const part = told.slice(shown, end)
    if (part.trim() !== '') write(`${render(part)}\n\n`)
    shown = end
  }
  return {
    push: (text) => {
      told += text
      const end = completeUntil(told, shown)
      if (end > shown) show(end)
    },
    pass: () => {
      show(told.length)
      told = ''
      shown = 0
    },
    finish: (answer) => {
      if (told.trim() !== answer.trim()) {
        told = answer
        shown = 0
      }
      show(told.length)
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
