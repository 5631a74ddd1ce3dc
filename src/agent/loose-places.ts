import { lowerBound } from '../lib/markdown-code.ts'

/** What is looked at before a call on its line: white space within a fence, marks of lists and quotations. */
export const INDENT_CHARS_MAX = 80

/** A line of a quotation, which may be in a list. */
const QUOTATION = /^[ \t]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*>/

/** Whether the start of a line makes it one of a quotation. */
export function isQuotation(lineStart: string): boolean {
  return QUOTATION.test(lineStart)
}

/** Whether a match begins a line of indented code. */
export function isIndented(reply: string, { 0: found, index }: Pick<RegExpExecArray, 0 | 'index'>): boolean {
  return /^(?: {4}|\t)/.test(found) && /\n[ \t]*\n$/.test(reply.slice(Math.max(0, index - 80), index))
}

export function isCommented(reply: string, at: number): boolean {
  return reply.lastIndexOf('<!--', at) > reply.lastIndexOf('-->', at)
}

/** Tells where comments are. One that is left open reaches to the end. */
export class Comments {
  readonly #starts: number[] = []
  readonly #ends: number[] = []

  constructor(text: string) {
    for (let at = text.indexOf('<!--'); at >= 0; at = text.indexOf('<!--', this.#ends.at(-1))) {
      const end = text.indexOf('-->', at)
      this.#starts.push(at)
      this.#ends.push(end < 0 ? text.length : end)
    }
  }

  hold(at: number): boolean {
    return at < (this.#ends[lowerBound(this.#starts, at + 1) - 1] ?? -1)
  }
}

/** Whether nothing more stands on the line of a call; what is printed, or in a list, has a bracket more. */
export function endsLine(reply: string, end: number): boolean {
  return /^[)\]]?[ \t;`*]*(?:\n|$)/.test(reply.slice(end, end + 80))
}
