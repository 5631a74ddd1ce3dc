import type { Client, StreamEvent } from '../../client/client.ts'
import type { Context } from '../context.ts'
import { rawAnswer, renderedAnswer, type AnswerSink } from '../view/answer.ts'
import { brokenTo, colorsFor, visible, wrap } from '../view/text.ts'
import { renderMarkdown } from '../view/markdown.ts'
import { createRunView, type RunLines } from '../view/run-view.ts'
import { type LineStyle, liveScreen, plainScreen, type Screen } from '../view/screen.ts'
import { asking, leavingAll, type Decider } from './decide.ts'
import { namedEditor } from './editor.ts'
import { pipedInput, terminalInput, type Input } from './input.ts'

/** How a run is seen and steered in this process's terminal, or without one. */
export interface Terminal {
  /** Whether a person can be asked: stdin and stderr are a terminal. */
  interactive: boolean
  screen: Screen
  input: Input
  ask: Decider
  /** Take away what is written anew: the status line, and of an answer the block that is not complete. Anything else may be written then. */
  clear(): void
  /** A line of its own. */
  tell(style: LineStyle, text: string): void
  /** A function that shows the events of one run, and one that gives its answer. */
  newRun(): { show: (event: StreamEvent) => void; answer: AnswerSink }
}

interface Display {
  view: RunLines
  screen: Screen
  answer: AnswerSink
  /** The answer goes to a terminal. */
  isRendered: boolean
  /** What is said below an answer that is being written. */
  writing?: string
}

/** Names by which the text protocol may call the server's tools; without them calls would be shown as text. */
async function toolNamesOf(client: Client): Promise<string[]> {
  const { data } = await client.tools()
  return data.flatMap(({ id, names }) => [id, ...Object.values(names)])
}

export async function openTerminal({ stdin, stdout, stderr, env, texts }: Context, client: Client): Promise<Terminal> {
  const toolNames = await toolNamesOf(client)
  const interactive = stdin.isTTY && stderr.isTTY
  const screen = isLively(stderr, env) ? liveScreen(stderr, colorsFor(stderr, env), texts.worked) : plainScreen(stderr)
  const input = interactive
    ? terminalInput(stdin, stderr, { editor: namedEditor(env), marksPaste: isLively(stderr, env) })
    : pipedInput(stdin)
  let newest: AnswerSink | null = null
  const clear = () => {
    newest?.hide()
    screen.clear()
  }
  return {
    interactive,
    screen,
    input,
    clear,
    tell: (style, text) => {
      clear()
      screen.show({ type: 'line', style, text })
    },
    ask: interactive ? asking(input, texts) : leavingAll,
    newRun: () => {
      const view = createRunView(texts, toolNames)
      const answer = answerSink(stdout, env, screen)
      newest = answer
      const isRendered = isLively(stdout, env)
      return { show: showingOn({ view, screen, answer, isRendered, writing: texts.answering }), answer }
    },
  }
}

/** Whether lines that were written can be written anew. */
const isLively = (stream: NodeJS.WriteStream, env: Context['env']) => stream.isTTY && env['TERM'] !== 'dumb'

function answerSink(stdout: NodeJS.WriteStream, env: Context['env'], screen: Screen): AnswerSink {
  const write = (text: string) => {
    screen.clear()
    stdout.write(text)
  }
  const colors = colorsFor(stdout, env)
  if (!isLively(stdout, env)) return rawAnswer(write)
  const columns = () => stdout.columns || 80
  return renderedAnswer(
    write,
    (markdown) => renderMarkdown(markdown, { columns: columns(), colors }),
    (text) => draftLines(text, columns(), (markdown) => renderMarkdown(markdown, { columns: columns(), colors })),
    columns,
  )
}

/** What of a block is shown while it is written: lines that no terminal is too low for. */
const DRAFT_LINES = 8
const DRAFT_CHARS = 1_000
/** A longer block is rendered when it is complete. */
const RENDERED_CHARS_MAX = 4_000

/** The end of a block that is being written, as it will look, in lines that are no wider than the terminal. */
function draftLines(text: string, columns: number, render: (markdown: string) => string): string[] {
  if (text.trim() === '') return []
  const isShort = text.length <= RENDERED_CHARS_MAX
  const lines = isShort ? render(text).split('\n') : wrap(visible(text.slice(-DRAFT_CHARS), true), columns - 1)
  return lines.flatMap((line) => brokenTo(line, columns - 1)).slice(-DRAFT_LINES)
}

/** Shows events of a run. Any reply without a call may turn out to be the answer. Where answers are rendered while they are written,
 *  replies are too, so that none is shown twice. */
export function showingOn({ view, screen, answer, isRendered, writing }: Display): (event: StreamEvent) => void {
  let lastKind: 'text' | 'answer' = 'text'
  const pushText = (kind: 'text' | 'answer', text: string) => {
    if (kind !== lastKind) answer.pass()
    lastKind = kind
    answer.push(text)
    if (isRendered && writing !== undefined) screen.show({ type: 'status', text: writing })
  }
  return (event) => {
    for (const part of view.push(event)) {
      const isReply = part.type === 'flow' && part.kind === 'text' && isRendered
      if (part.type === 'line' || (part.type === 'flow' && part.kind === 'thinking')) answer.hide()
      if (part.type === 'flow' && isReply) pushText('text', part.text)
      if (part.type === 'flow' && part.kind === 'answer') pushText('answer', part.text)
      const isNoAnswer = part.type === 'reply' && !part.isAnswer && (lastKind === 'text' || part.isRejected === true)
      if (part.type === 'turn' || isNoAnswer) answer.pass()
      if (!isReply) screen.show(part)
    }
  }
}
