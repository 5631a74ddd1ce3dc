import { appendFileSync, readFileSync } from 'node:fs'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { terminalLanguage } from '../../domain/language.ts'
import { BadScript, parseScriptText } from './script.ts'
import { type RecordedRequest, startMockModel } from './server.ts'

interface Options {
  script: string
  port: number
  record?: string
}

const USAGE_ERROR = 2
const FAILED = 1

/** `npm run mock-model -- --script FILE --port N [--record FILE]`. Exit 2: a wrong option or script; 1: it cannot listen. */
async function main(argv: string[]): Promise<void> {
  const options = readOptions(argv)
  const script = readScript(options.script)
  const onRequest = options.record === undefined ? undefined : recorder(options.record)
  const server = await startMockModel({ script, port: options.port, ...(onRequest && { onRequest }) })
  console.log(`mock model ready on ${server.url}`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void server.close().then(() => process.exit(0)))
  }
}

const TEXTS = {
  'zh-CN': {
    about: '按脚本应答并记录请求的 OpenAI 兼容模型服务。',
    script: 'JSON 脚本：步骤的列表',
    port: '127.0.0.1 上的端口；0：任意空闲端口',
    record: '把每个请求作为一行 JSON 追加到文件',
  },
  en: {
    about: 'An OpenAI-compatible model server that plays a script and records requests.',
    script: 'JSON script: a list of steps',
    port: 'port on 127.0.0.1; 0: any free one',
    record: 'append each request as a line of JSON',
  },
} as const

function readOptions(argv: string[]): Options {
  const texts = TEXTS[terminalLanguage(process.env)]
  const command = new Command('mock-model')
    .description(texts.about)
    .requiredOption('--script <file>', texts.script)
    .addOption(new Option('--port <number>', texts.port).argParser(portOf).default(0))
    .option('--record <file>', texts.record)
    .exitOverride()
  command.parse(argv)
  return command.opts<Options>()
}

function portOf(text: string): number {
  const port = Number(text)
  if (text.trim() !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new InvalidArgumentError('a port from 0 to 65535 was expected.')
}

function readScript(file: string) {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new BadScript(
      `--script: cannot read ${file} (${error instanceof Error && 'code' in error ? String(error.code) : 'error'})`,
    )
  }
  return parseScriptText(text)
}

function recorder(file: string): (request: RecordedRequest) => void {
  return (request) => appendFileSync(file, `${JSON.stringify(request)}\n`)
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_ERROR
  console.error(error instanceof Error ? error.message.split('\n')[0] : String(error))
  return error instanceof BadScript ? USAGE_ERROR : FAILED
}

try {
  await main(process.argv)
} catch (error) {
  process.exitCode = exitCodeOf(error)
}
