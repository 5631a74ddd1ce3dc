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

export function processContext(): Context {
  const { stdin, stdout, stderr } = process
  return { env: loadEnvironment(process.env), texts: textsOf(terminalLanguage(process.env)), stdin, stdout, stderr }
}
