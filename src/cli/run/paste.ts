import { PassThrough, type Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** What a terminal puts around what is pasted, once it is asked to (xterm, "Bracketed Paste Mode"). */
const BEGIN = '\u001b[200~'
const END = '\u001b[201~'
export const MARKS_PASTE = { on: '\u001b[?2004h', off: '\u001b[?2004l' } as const

/** Stands on a line for a line break, which would end it: a noncharacter, which nobody types. It is shown as a sign of one column, too. */
const BREAK = '\u{fdd0}'
const SHOWN_BREAK = '⏎'

/** A text with line breaks on one line, and as it was. Enter at its end stays Enter. */
export const onALine = (text: string): string => text.replaceAll(/(?:\r\n?|\n)(?!\n?$)/g, BREAK)
export const asLines = (line: string): string => line.replaceAll(BREAK, '\n')

/** A terminal on which line breaks that stand on a line are seen. */
export function withShownBreaks(terminal: NodeJS.WritableStream): NodeJS.WritableStream {
  const write = (text: string) => terminal.write(text.replaceAll(BREAK, SHOWN_BREAK))
  return new Proxy(terminal, { get: (target, key) => (key === 'write' ? write : Reflect.get(target, key)) })
}

/** A terminal that a person types at. */
export type TerminalKeys = Pick<NodeJS.ReadStream, 'setRawMode'> & Readable

/** The keys of a terminal, of which a line break that is pasted ends no line, until it is closed. */
export function keysOf(stdin: TerminalKeys): { keys: PassThrough; close: () => void } {
  const keys = Object.assign(new PassThrough(), { setRawMode: (isOn: boolean) => stdin.setRawMode(isOn) })
  const decoder = new StringDecoder('utf8')
  let before = ''
  let isPasting = false
  const typed = (char: string) => {
    const last = before.at(-1)
    before = (before + char).slice(-BEGIN.length)
    if (before === BEGIN) isPasting = true
    if (before === END) isPasting = false
    if (!isPasting || !/[\r\n]/.test(char)) return char
    return char === '\n' && last === '\r' ? '' : BREAK
  }
  const onData = (chunk: Buffer | string) => {
    const text = typeof chunk === 'string' ? chunk : decoder.write(chunk)
    keys.write(Array.from(text, typed).join(''))
  }
  const onEnd = () => void keys.end()
  stdin.on('data', onData).on('end', onEnd).resume()
  return {
    keys,
    close: () => {
      stdin.off('data', onData).off('end', onEnd)
      stdin.pause()
    },
  }
}
