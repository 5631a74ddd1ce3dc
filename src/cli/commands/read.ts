import { randomBytes } from 'node:crypto'
import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'
import { createOpener, type Opened } from '../run/open-source.ts'
import { pageLine } from '../view/page-line.ts'
import { readConfigFile } from '../serve/config-file.ts'
import { terminalLanguage } from '../texts.ts'
import { pageReport } from '../../tools/page-report.ts'

export interface ReadFlags {
  json?: boolean
  focus?: string
  config?: string
}

/** Reads addresses and files one after the other and prints each as soon as it is read; 1 when one of them failed. */
export async function read(context: Context, flags: ReadFlags, sources: readonly string[]): Promise<number> {
  const config = flags.config === undefined ? {} : readConfigFile(flags.config, context.texts)
  const open = createOpener(config.web ?? {}, terminalLanguage(context.env), context.texts)
  let failures = 0
  for (const source of sources) {
    const opened = await open(source)
    if (!opened.ok) failures += 1
    if (flags.json) await print(context, `${JSON.stringify(pageLine(source, opened, flags.focus))}\n`)
    else await printReport(context, source, opened, flags.focus)
  }
  return failures === 0 ? EXIT.ok : EXIT.failed
}

async function printReport(context: Context, source: string, opened: Opened, focus: string | undefined): Promise<void> {
  if (!opened.ok) return void context.stderr.write(`yaa: ${source}: ${opened.reason}\n`)
  const report = await pageReport({
    url: source,
    visited: opened.visited,
    wanted: { focus, page: undefined, task: '' },
    language: terminalLanguage(context.env),
    isStored: false,
    secret: randomBytes(16).toString('hex'),
  })
  await print(context, `${report.ok ? report.text : report.reason}\n`)
}

/** Waits until a slow reader has taken it: thousands of pages do not pile up in memory. */
async function print({ stdout }: Context, text: string): Promise<void> {
  if (!stdout.write(text)) await new Promise<void>((resolve) => stdout.once('drain', resolve))
}
