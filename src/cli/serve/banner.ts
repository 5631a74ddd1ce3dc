import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { TerminalTexts } from '../texts.ts'
import { columnsOf } from '../view/text.ts'

export interface Started {
  url: string
  /** Null: not told. */
  model: string | null
  dataFolder: string
  /** How clients are let in. */
  key: string
  /** A key that nobody knows yet. */
  newKey: string | null
}

/** What a person needs who has just started a server, a fact a line. */
export function bannerLines({ url, model, dataFolder, key }: Started, texts: TerminalTexts): string[] {
  const facts: [label: string, text: string][] = [
    [texts.bannerModel, model === 'built-in' ? texts.bannerBuiltIn(model) : (model ?? texts.modelUnknown)],
    [texts.bannerData, fromHome(resolve(dataFolder))],
    [texts.bannerKey, key],
  ]
  const width = Math.max(...facts.map(([label]) => columnsOf(label)))
  const lines = facts.map(([label, text]) => `  ${label}${' '.repeat(width - columnsOf(label))}  ${text}`)
  return [texts.ready(url), ...lines]
}

/** Where the console is; with a new key in the address, so that nobody has to look for it. */
export function openLine({ url, newKey }: Started, texts: TerminalTexts): string {
  return newKey === null ? `  ${texts.openConsole(url)}` : `  ${texts.openWithKey}\n  ${url}/#key=${newKey}`
}

function fromHome(path: string): string {
  const home = homedir()
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
}
