import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import type { Context } from '../context.ts'
import { usageError } from '../exit.ts'

/** What a file of JSON holds, or standard input (`-`), and how it is called in messages. Throws what ends a command with exit 2, in one line that
 *  names it. */
export async function jsonFile(
  file: string,
  { stdin, texts }: Pick<Context, 'stdin' | 'texts'>,
): Promise<{ name: string; value: unknown }> {
  const name = file === '-' ? 'stdin' : file
  try {
    return { name, value: JSON.parse(file === '-' ? await text(stdin) : readFileSync(file, 'utf8')) }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : null
    throw usageError(`${name}: ${code === null ? texts.notJson('') : texts.unreadable(code)}`)
  }
}
