import type { ReplyPiece } from '../../client/reply-filter.ts'
import { type Colors, columnsOf, cutTo, visible, wrap, wrappedFlow } from './text.ts'

export type LineStyle = 'call' | 'good' | 'bad' | 'dim' | 'ask'

/** What a terminal is to show. `flow` pieces follow each other without a line break; `status` replaces the last one. */
export type ViewPart =
  | { type: 'line'; style: LineStyle; text: string }
  | { type: 'flow'; kind: ReplyPiece['kind'] | 'answer'; text: string }
  /** A reply is over, or void: whether the text that came of it is the answer. `isRejected`: what it gave as the answer is none. */
  | { type: 'reply'; isAnswer: boolean; isRejected?: true }
  /** A model is asked, perhaps again: what was told before and is no answer stays as it is. */
  | { type: 'turn' }
  /** `isLong`: it may last, so that it is said where no spinner shows it. Null: nothing works any more. */
  | { type: 'status'; text: string | null; isLong?: true }
  /** Tokens that a model call took. */
  | { type: 'spent'; tokens: number }

/** A stream that text is written to; `columns` only where it is a terminal. */
interface Output {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
}

export interface Screen {
  show(part: ViewPart): void
  /** Ends an open line and takes the spinner away, so that something else can be written. */
  clear(): void
  /** Says again what works, where something else was written meanwhile. */
  resume(): void
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 80
/** A status that lasts longer is said on a line of its own where there is no spinner. */
const LONG_MS = 3_000
/** Columns of a status line beside its texts. */
const ROOM = 6
/** Stands before what a model thinks. */
const THINKING = '… '
const ERASE_LINE = '\r\u001b[2K'

/** Plain lines, without thinking and without a spinner, but what lasts is said: for pipes and files. A reply is written when it is known that it is not the
 *  answer, which is given elsewhere. */
export function plainScreen(output: Output): Screen {
  let held = ''
  let lasting: ReturnType<typeof setTimeout> | undefined
  const wait = ({ text, isLong }: ViewPart & { type: 'status' }) => {
    if (!isLong || text === null) return
    lasting = setTimeout(() => output.write(`… ${text}\n`), LONG_MS)
    lasting.unref()
  }
  const clear = () => {
    clearTimeout(lasting)
    for (const line of held.split('\n')) if (line.trim() !== '') output.write(`${line.trimEnd()}\n`)
    held = ''
  }
  return {
    clear,
    resume: () => {},
    show: (part) => {
      clearTimeout(lasting)
      if (part.type === 'status') return wait(part)
      if (part.type === 'spent') return
      if (part.type === 'flow') {
        if (part.kind === 'text') held += visible(part.text, true)
        return
      }
      if (part.type === 'reply' && part.isAnswer) held = ''
      clear()
      if (part.type === 'line') output.write(`${part.text}\n`)
    },
  }
}

/** Colours, text word by word, thinking dimmed, a spinner while nothing comes: for terminals. */
export function liveScreen(output: Output, colors: Colors, worked: Worked = workedText): Screen {
  const spinner = createSpinner(output, colors, worked)
  const styles = { call: colors.cyan, good: colors.green, bad: colors.red, dim: colors.dim, ask: colors.yellow }
  const wrapped = wrappedFlow(() => output.columns || 80)
  let open: 'text' | 'thinking' | null = null
  let blank = true
  let doing: string | null = null
  const write = (text: string) => void (text === '' || output.write(open === 'thinking' ? colors.dim(text) : text))
  const close = () => {
    spinner.stop()
    write(wrapped.flush())
    if (open !== null && !blank) output.write('\n')
    open = null
    blank = true
  }
  const flow = (kind: 'text' | 'thinking', text: string) => {
    if (open !== kind) close()
    const shown = blank ? visible(text, true).trimStart() : visible(text, true)
    if (shown === '') return
    spinner.stop()
    // Where there are no colours it has to be told from the answer, too.
    const mark = kind === 'thinking' && open === null ? THINKING : ''
    open = kind
    write(wrapped.push(mark + shown))
    blank = shown.endsWith('\n')
  }
  return {
    clear: close,
    resume: () => {
      if (doing !== null && open === null) spinner.start(doing)
    },
    show: (part) => {
      if (part.type === 'flow') return part.kind === 'answer' ? undefined : flow(part.kind, part.text)
      if (part.type === 'status') {
        close()
        doing = part.text
        return part.text === null ? spinner.rest() : spinner.start(part.text)
      }
      if (part.type === 'spent') return spinner.count(part.tokens)
      if (part.type === 'reply' || part.type === 'turn') return
      close()
      output.write(`${styles[part.style](folded(part.text, output.columns || 80))}\n`)
    },
  }
}

/** A text whose lines are broken between words, what goes on below a little to the right. A word that is too long is left to the
 *  terminal, which gives it back whole to who copies it. */
function folded(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) => foldedLine(line, columns))
    .join('\n')
}

function foldedLine(line: string, columns: number): string[] {
  if (columnsOf(line) < columns) return [line]
  const [indent = ''] = /^ */.exec(line) ?? []
  const [first = '', ...below] = wrap(line.slice(indent.length), Math.max(10, columns - indent.length - 3))
  return [`${indent}${first}`, ...below.map((one) => `${indent}  ${one}`)]
}

/** What is said of work that goes on: whole seconds, and tokens so far. */
type Worked = (seconds: number, tokens: number) => string

const workedText: Worked = (seconds, tokens) => `${seconds} s${tokens === 0 ? '' : ` · ${tokens} tokens`}`

/** A line that moves, with how long it has worked and what that took; `rest` ends the count of the time. */
function createSpinner(output: Output, colors: Colors, worked: Worked) {
  let timer: ReturnType<typeof setInterval> | undefined
  let since: number | null = null
  let tokens = 0
  let frame = 0
  let drawn = 0
  /** A terminal that became narrower has broken the line. */
  const erased = () => {
    const above = Math.ceil(drawn / (output.columns || 80)) - 1
    return above > 0 ? `\u001b[${above}A\r\u001b[J` : ERASE_LINE
  }
  const stop = () => {
    if (timer === undefined) return
    clearInterval(timer)
    timer = undefined
    output.write(erased())
    drawn = 0
  }
  const start = (text: string) => {
    stop()
    const begin = (since ??= Date.now())
    const draw = () => {
      const aside = worked(Math.floor((Date.now() - begin) / 1_000), tokens)
      const room = (output.columns || 80) - columnsOf(aside) - ROOM
      const line = `${cutTo(text, Math.max(10, room))} · ${aside}`
      output.write(`${erased()}${colors.cyan(FRAMES[frame++ % FRAMES.length] ?? '')} ${colors.dim(line)}`)
      drawn = columnsOf(line) + 2
    }
    draw()
    timer = setInterval(draw, FRAME_MS)
    timer.unref()
  }
  return {
    start,
    stop,
    rest: () => {
      since = null
    },
    count: (more: number) => {
      tokens += more
    },
  }
}
