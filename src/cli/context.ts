import { loadEnvironment, type Environment } from './serve/environment.ts'
import { terminalLanguage, textsOf, type TerminalTexts } from './texts.ts'

/** What every command is given. */
export interface Context {
  env: Environment
  texts: TerminalTexts
  stdin: NodeJS.ReadStream
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
}

/** `language`: named for this command, before what the environment says. */
export function processContext(language?: string): Context {
  const { stdin, stdout, stderr } = process
  const named = language === undefined ? {} : { LC_ALL: language }
  const env = { ...loadEnvironment(process.env), ...named }
  return { env, texts: textsOf(terminalLanguage(env)), stdin, stdout, stderr }
}
