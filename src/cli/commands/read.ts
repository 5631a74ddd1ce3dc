import { randomBytes } from 'node:crypto'
import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { OutputLimits } from '../../domain/tool.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'
import { createOpener, type Opened } from '../run/open-source.ts'
import { readConfigFile } from '../serve/config-file.ts'
import { terminalLanguage } from '../texts.ts'
import { pageReport, type VisitOutcome } from '../../tools/web-access/visit-page.ts'
import type { ReadPage } from '../../reader/page.ts'
import { focusOn } from '../../reader/focus.ts'

export interface ReadFlags {
  json?: boolean
  focus?: string
  config?: string
}

/** Reads addresses and files one after the other and prints each as soon as it is read; 1 when one of them failed. */
export async function read(context: Context, flags: ReadFlags, sources: readonly string[]): Promise<number> {
  const config = flags.config === undefined ? {} : readConfigFile(flags.config, context.texts)
  const language = terminalLanguage(context.env)
  const open = createOpener(config.web ?? {}, language, context.texts, (name) => context.env[name])
  let failures = 0
  for (const source of sources) {
    const opened = await open(source)
    const shown = opened.ok ? await shownPage(source, opened, flags, language) : opened
    if (shown.ok) await print(context, `${shown.text}\n`)
    else {
      failures += 1
      context.stderr.write(`yaa: ${context.texts.told(source, shown.reason)}\n`)
    }
  }
  return failures === 0 ? EXIT.ok : EXIT.failed
}

/** What the agent is given of a page unless config says otherwise. */
const OUTPUT: OutputLimits = {
  charsMax: LIMITS.tool.outputCharsMax,
  linesMax: LIMITS.tool.outputLinesMax,
  strategy: 'head_tail',
}

type OpenedPage = Extract<Opened, { ok: true }>

async function shownPage(
  source: string,
  { visited, ms }: OpenedPage,
  { json, focus }: ReadFlags,
  language: Language,
): Promise<VisitOutcome> {
  if (json) return { ok: true, text: JSON.stringify(pageLine(source, visited.page, ms, focus)) }
  const wanted = { focus, page: undefined, task: '' }
  const secret = randomBytes(16).toString('hex')
  return pageReport({ url: source, visited, wanted, language, output: OUTPUT, isStored: false, secret })
}

/** Waits until a slow reader has taken it: thousands of pages do not pile up in memory. */
async function print({ stdout }: Context, text: string): Promise<void> {
  if (!stdout.write(text)) await new Promise<void>((resolve) => stdout.once('drain', resolve))
}

/** What `read --json` prints of a page: wire names; `ms` is the time of the extraction alone. */
function pageLine(file: string, page: ReadPage, ms: number, focus: string | undefined): Record<string, unknown> {
  const focused = focus === undefined ? null : focusOn(page, focus)
  return {
    file,
    title: page.title,
    byline: page.byline,
    published_time: page.publishedTime,
    language: page.language,
    kind: page.kind,
    type: page.type?.name ?? null,
    type_confidence: page.type?.sure ?? null,
    confidence: Math.round(page.confidence * 1_000) / 1_000,
    markdown: focused?.markdown ?? page.markdown,
    text: page.text,
    ms: Math.round(ms * 1_000) / 1_000,
  }
}
