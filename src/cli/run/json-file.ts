import { readFileSync } from 'node:fs'
import { usageError } from '../exit.ts'
import type { TerminalTexts } from '../texts.ts'

/** What a file of JSON holds. Throws what ends a command with exit 2, in one line that names the file. */
export function jsonFile(file: string, texts: TerminalTexts): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : null
    throw usageError(`${file}: ${code === null ? texts.notJson('') : texts.unreadable(code)}`)
  }
}
