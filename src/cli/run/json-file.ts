import { text } from 'node:stream/consumers'
import type { Context } from '../context.ts'
import { parsedJson } from '../serve/json-text.ts'
import { readText } from '../serve/config-file.ts'

/** What a file of JSON holds, or standard input (`-`), and how it is called in messages. Throws what ends a command with exit 2, in one line that
 *  names it. */
export async function jsonFile(
  file: string,
  { stdin, texts }: Pick<Context, 'stdin' | 'texts'>,
): Promise<{ name: string; value: unknown }> {
  const name = file === '-' ? 'stdin' : file
  const written = file === '-' ? await text(stdin) : readText(file, texts)
  return { name, value: parsedJson(name, written, texts) }
}
