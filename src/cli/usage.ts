import type { CommanderError } from 'commander'
import type { TerminalTexts } from './texts.ts'

/** What is wrong with the arguments of a command, in the language of the terminal, and where to look. */
export function usageText({ code, message }: CommanderError, command: string, texts: TerminalTexts): string {
  const told = texts.usage[kindOf(code)]
  if (told === undefined) return message.replace(/^error: /, '').replaceAll('\n', ' ')
  const [what = '', value = ''] = [...message.matchAll(/'([^']*)'/g)].map(([, quoted]) => quoted)
  const [, meant] = /\(Did you mean (?:one of )?(.+)\?\)/.exec(message) ?? []
  const [, why = ''] = / is invalid(?: for argument '[^']*')?\. (.*)$/s.exec(message) ?? []
  const problem = told(what, value, reasonIn(why, texts))
  if (meant !== undefined) return `${problem}${texts.usageMeant(meant)}`
  return code === 'commander.invalidArgument' ? problem : `${problem}${texts.usageHelp(command)}`
}

type Kind = keyof TerminalTexts['usage']

function kindOf(code: string): Kind {
  return code.replace('commander.', '')
}

/** Of an option with choices commander writes the reason itself. */
function reasonIn(why: string, texts: TerminalTexts): string {
  const [, choices] = /^Allowed choices are (.+)\.$/.exec(why) ?? []
  return choices === undefined ? why : texts.expected(choices.split(', ').join(' | '))
}
