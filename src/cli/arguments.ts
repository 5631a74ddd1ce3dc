import { InvalidArgumentError } from 'commander'
import type { TerminalTexts } from './texts.ts'

const PORT_MAX = 65_535
const LISTED_MAX = 100

/** What reads the values of options; each throws what was expected instead. */
export function valueReaders(texts: TerminalTexts) {
  const refuse = (what: string): never => {
    throw new InvalidArgumentError(texts.expected(what))
  }
  const notEmpty = (text: string): string => (text.trim() === '' ? refuse(texts.notEmpty) : text)
  return {
    notEmpty,
    /** Of an option that may be given again. */
    each: (text: string, all: string[] | undefined): string[] => [...(all ?? []), notEmpty(text)],
    port: (text: string): number =>
      /^\d{1,5}$/.test(text) && Number(text) <= PORT_MAX ? Number(text) : refuse(texts.portNumber(PORT_MAX)),
    server: (text: string): string =>
      URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? text : refuse(texts.webAddress),
    listed: (text: string): number =>
      /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= LISTED_MAX
        ? Number(text)
        : refuse(texts.fromTo(1, LISTED_MAX)),
    /** Of settings; 0 is none of them. */
    version: (text: string): number => (/^\d{1,15}$/.test(text) ? Number(text) : refuse('0, 1, 2 …')),
  }
}

/** The language that `--lang` names among the arguments, in either form; undefined: it is not given. */
export function languageIn(argv: readonly string[]): string | undefined {
  const at = argv.findIndex((word) => word === '--lang' || word.startsWith('--lang='))
  return at < 0 ? undefined : (argv[at]?.split('=')[1] ?? argv[at + 1])
}
