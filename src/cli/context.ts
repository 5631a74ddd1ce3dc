import { loadEnvironment, type Environment } from './serve/environment.ts'
import { terminalLanguage, textsOf, type Texts } from './texts.ts'

/** What every command is given. */
export interface Context {
  env: Environment
  texts: Texts
  stdin: NodeJS.ReadStream
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
}

export function processContext(): Context {
  const { stdin, stdout, stderr } = process
  return { env: loadEnvironment(process.env), texts: textsOf(terminalLanguage(process.env)), stdin, stdout, stderr }
}
