import { createInterface, type Interface } from 'node:readline'
import { type Readable, Writable } from 'node:stream'
import { jsonObject, parseJson } from '../../lib/json.ts'
import { inEditor, isEditing } from './editor.ts'
import { asLines, type TerminalKeys, keysOf, MARKS_PASTE, onALine, withShownBreaks } from './paste.ts'

interface AskOptions {
  /** Stands on the line already. */
  prefilled?: string
  /** Esc leaves the line, too. */
  canLeave?: boolean
  /** What is typed is not shown, nor kept for later lines. */
  isSecret?: boolean
  /** Ctrl-C takes away what is typed, and leaves an empty line only. */
  canClear?: boolean
}

/** Where lines of the person come from. */
export interface Input {
  /** The next line, trimmed; null at the end of the input, at Ctrl-C, or when it is left. */
  ask(question: string, options?: AskOptions): Promise<string | null>
  /** The next of these keys; null at Ctrl-C, Ctrl-D or Esc. Absent where no keys are heard, as from a pipe. */
  key?: (question: string, keys: readonly string[]) => Promise<string | null>
  /** A text as the person leaves it: in their own editor, or on one line where they named none; null: it is left. */
  edit?: (text: string, name: string, prompt: string) => Promise<string | null>
  /** Whether it was Ctrl-C that ended the last question. */
  interrupted(): boolean
  /** Until it is called off: what is typed where nothing is asked begins a line, which is asked for then behind a prompt. */
  overhear(begins: (ask: Input['ask']) => void): () => void
  close(): void
}

const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
const ESCAPE = '\u001b'
/** A lone Esc is told from the begin of an arrow by then. */
const ESCAPE_MS = 50
/** Arrows, Enter and the like begin no line. */
const BEGINS_LINE = /^[^\p{Cc}]/u

/** Takes what is written and shows nothing. */
const unseen = () => new Writable({ write: (_chunk, _encoding, done) => done() })

/** One readline for each question: between questions Ctrl-C is a signal, and nothing typed ahead answers one. `marksPaste`: the terminal
 *  can say what is pasted. */
export function terminalInput(
  stdin: TerminalKeys,
  stderr: NodeJS.WritableStream,
  { editor, marksPaste = false }: { editor?: string | undefined; marksPaste?: boolean } = {},
): Input {
  const history: string[] = []
  let interrupted = false
  let begins: ((typed: string) => void) | null = null
  const hear = (chunk: Buffer | string) => {
    const typed = chunk.toString()
    // Where keys are heard one by one the terminal makes no signal of it.
    if (typed.includes(CTRL_C)) process.kill(process.pid, 'SIGINT')
    else if (BEGINS_LINE.test(typed)) begins?.(typed)
  }
  const listen = (isOn: boolean) => {
    stdin.off('data', hear)
    if (begins === null) return
    stdin.setRawMode(isOn)
    if (isOn) stdin.on('data', hear).resume()
    else stdin.pause()
  }
  const ask = (question: string, options: AskOptions = {}) =>
    new Promise<string | null>((resolve) => {
      const { prefilled = '', canLeave = false, isSecret = false, canClear = false } = options
      listen(false)
      const { keys, close } = keysOf(stdin)
      const mark = (text: string) => void (marksPaste && !isSecret && stderr.write(text))
      const lines = createInterface({
        input: keys,
        output: isSecret ? unseen() : withShownBreaks(stderr),
        terminal: true,
        history: isSecret ? [] : [...history],
        escapeCodeTimeout: ESCAPE_MS,
      })
      let ended = false
      const end = (answer: string | null) => {
        if (ended) return
        ended = true
        keys.off('keypress', onKey)
        if (answer === null || isSecret) stderr.write('\n')
        mark(MARKS_PASTE.off)
        resolve(answer)
        lines.close()
        close()
        listen(true)
      }
      const onKey = (_: unknown, key: { name?: string } | undefined) => {
        if (canLeave && key?.name === 'escape') end(null)
      }
      interrupted = false
      lines.on('SIGINT', () => {
        if (canClear && lines.line !== '') return clearLine(lines)
        interrupted = true
        end(null)
      })
      lines.once('close', () => end(null))
      keys.on('keypress', onKey)
      if (isSecret) stderr.write(question)
      mark(MARKS_PASTE.on)
      lines.question(question, (answer) => {
        if (answer.trim() !== '' && !canLeave && !isSecret) history.unshift(answer)
        end(asLines(answer).trim())
      })
      lines.write(onALine(prefilled))
    })
  const key = (question: string, keys: readonly string[]) =>
    new Promise<string | null>((resolve) => {
      listen(false)
      interrupted = false
      stderr.write(question)
      const end = (found: string | null) => {
        stdin.off('data', onData)
        stdin.setRawMode(false)
        stdin.pause()
        stderr.write(`${found ?? ''}\n`)
        resolve(found)
        listen(true)
      }
      const onData = (chunk: Buffer | string) => {
        const typed = chunk
          .toString()
          .replace(/[\r\n]+$/, '')
          .toLowerCase()
        interrupted = typed.includes(CTRL_C)
        if (interrupted || typed === ESCAPE || typed === CTRL_D) end(null)
        else if (keys.includes(typed)) end(typed)
      }
      stdin.setRawMode(true)
      stdin.on('data', onData).resume()
    })
  /** A whole object behind what stands there, as one that is pasted comes to be, is what is meant. */
  const editOnLine = async (prefilled: string, prompt: string) => {
    const line = await ask(prompt, { prefilled, canLeave: true })
    const behind = line?.startsWith(prefilled) ? line.slice(prefilled.length).trim() : ''
    return jsonObject(behind) ? behind : line
  }
  const edit = async (text: string, name: string, prompt: string) => {
    if (!editor) return editOnLine(onOneLine(text), prompt)
    listen(false)
    try {
      return await inEditor(editor, text, name)
    } finally {
      listen(true)
    }
  }
  return {
    close: () => {},
    interrupted: () => interrupted,
    ask,
    key,
    edit,
    overhear: (onLine) => {
      begins = (typed) => onLine((prompt) => ask(prompt, { prefilled: typed }))
      listen(true)
      return () => {
        listen(false)
        begins = null
      }
    },
  }
}

function clearLine(lines: Interface): void {
  lines.write(null, { ctrl: true, name: 'e' })
  lines.write(null, { ctrl: true, name: 'u' })
}

/** JSON as it may stand on a line; what is none loses its line breaks. */
function onOneLine(text: string): string {
  const value = parseJson(text)
  return value === undefined ? text.replaceAll(/\s+/g, ' ') : JSON.stringify(value)
}

/** Line by line from a pipe; questions are not shown. */
export function pipedInput(stdin: Readable): Input {
  let lines: Interface | undefined
  let source: AsyncIterator<string> | undefined
  return {
    close: () => lines?.close(),
    interrupted: () => false,
    overhear: () => () => {},
    ask: async () => {
      lines ??= createInterface({ input: stdin, terminal: false })
      source ??= lines[Symbol.asyncIterator]()
      const next = await source.next()
      return next.done ? null : next.value.trim()
    },
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** A Ctrl-C comes twice when it is both the terminal's and passed on by a parent: that is one. */
const SAME_MS = 250

/** Calls `onSignal` for the first signal to end, `onRepeat` for those after it, until it is closed. */
export function onInterrupt(onSignal: () => void, onRepeat: () => void): () => void {
  let first: number | undefined
  const handle = (signal: NodeJS.Signals) => {
    // The Ctrl-C of an editor is its own.
    if (signal === 'SIGINT' && isEditing()) return
    const now = Date.now()
    if (first === undefined) {
      first = now
      onSignal()
    } else if (now - first > SAME_MS) onRepeat()
  }
  for (const signal of SIGNALS) process.on(signal, handle)
  return () => {
    for (const signal of SIGNALS) process.off(signal, handle)
  }
}
