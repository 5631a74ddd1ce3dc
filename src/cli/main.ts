// The commands of `yaa`. Runs under Node 24 (see yaa.mjs); Ctrl-C and exit codes are in exit.ts.
import { readFileSync } from 'node:fs'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { ROOT } from '../build/bundle.ts'
import { ApiProblem, Unreachable } from '../client/client.ts'
import type { ChatFlags } from './commands/chat.ts'
import type { DeployFlags } from './commands/deploy.ts'
import type { DoctorFlags } from './commands/doctor.ts'
import type { ReadFlags } from './commands/read.ts'
import type { ReplayFlags } from './commands/replay.ts'
import type { ServeFlags } from './commands/serve.ts'
import type { SessionsFlags } from './commands/sessions.ts'
import type { SkillsFlags } from './commands/skills.ts'
import type { TaskFlags } from './commands/task.ts'
import { processContext, type Context } from './context.ts'
import { CommandError, EXIT } from './exit.ts'
import { helpIn } from './help.ts'
import { terminalLanguage } from './texts.ts'

const DEFAULT_PORT = 8787
const ORPHAN_LOOK_MS = 100

function programOf(context: Context, end: (code: number) => void): Command {
  const { texts } = context
  const run = (code: Promise<number>) => code.then(end)
  const port = new Option('--port <n>', 'port on 127.0.0.1; 0: any free one')
    .default(DEFAULT_PORT)
    .argParser((text) => portOf(text, texts.badPort))
  const config = () => new Option('--config <file>', 'server config, a JSON file')
  const data = () => new Option('--data <dir>', 'folder of the sessions').argParser(notEmpty)
  const client = (command: Command) =>
    command
      .addOption(
        new Option('--server <url>', 'a running server; without it one is started').argParser((text) =>
          serverOf(text, texts.badServer),
        ),
      )
      .addOption(
        new Option('--key <key>', 'API key of the server (else YAA_API_KEY, else the key in --data)').argParser(
          notEmpty,
        ),
      )
      .addOption(config())
      .addOption(data())

  const program = new Command('yaa')
    .description('an agent backend for the edge')
    .version(versionOf(), '--version')
    .exitOverride()
  program.configureHelp({ showGlobalOptions: true })
  program
    .command('serve')
    .description('serve on http://localhost:PORT until SIGINT or SIGTERM')
    .addOption(port)
    .addOption(config())
    .addOption(data().default('.yaa'))
    .addOption(new Option('--log <file>', 'append the log to a file').argParser(notEmpty))
    .action((flags: ServeFlags) => run(import('./commands/serve.ts').then(({ serve }) => serve(context, flags))))
  const user = () => new Option('--user <name>', 'whose memory a new session has').argParser(notEmpty)
  const orchestrator = () =>
    new Option('--orchestrator <name>', 'how a new session works').choices(['agent', 'plan', 'route'])
  const team = () => new Option('--team <name>', 'the team that works in a new session').argParser(notEmpty)
  const attach = () =>
    new Option('--attach <file>', 'a file, or an address, that goes along; may be given again').argParser(
      (text: string, all: string[] | undefined) => [...(all ?? []), notEmpty(text)],
    )
  client(program.command('task'))
    .description('work on one task and print the answer')
    .argument('<task>', 'what is to be done')
    .addOption(user())
    .addOption(
      new Option('--skill <name>', 'the skill that works on it; yaa chat lists them by /skill').argParser(notEmpty),
    )
    .addOption(orchestrator())
    .addOption(team())
    .addOption(new Option('--schema <file>', 'the JSON Schema that the answer has to fit').argParser(notEmpty))
    .addOption(attach())
    .option('--yes', 'approve every tool call')
    .option('--json', 'print the whole answer as JSON')
    .action((text: string, flags: TaskFlags) =>
      run(import('./commands/task.ts').then(({ task }) => task(context, flags, text))),
    )
  client(program.command('chat'))
    .description('talk; /help lists its commands')
    .addOption(new Option('--session <id>', 'carry a session on').argParser(notEmpty))
    .addOption(user())
    .addOption(orchestrator())
    .addOption(team())
    .addOption(attach())
    .action((flags: ChatFlags) => run(import('./commands/chat.ts').then(({ chat }) => chat(context, flags))))
  client(program.command('sessions'))
    .description('list the sessions, newest first')
    .addOption(new Option('--limit <n>', 'how many').default(20).argParser(limitOf))
    .option('--json', 'print the list as JSON')
    .action((flags: SessionsFlags) =>
      run(import('./commands/sessions.ts').then(({ listSessions }) => listSessions(context, flags))),
    )
  client(program.command('skills'))
    .description('list the skills, and what of them does not work; or add folders with a SKILL.md')
    .argument('[folder...]', 'folders (or a SKILL.md each) to add, or to replace what has their name')
    .option('--json', 'print the list as JSON')
    .action((folders: string[], flags: SkillsFlags) =>
      run(import('./commands/skills.ts').then(({ skills }) => skills(context, flags, folders))),
    )
  program
    .command('read')
    .description('print what the agent would see of pages, PDFs, Office files and books: addresses, or files on disk')
    .argument('<source...>', 'http or https addresses, or files')
    .option('--json', 'one line of JSON a source, as soon as it is read')
    .addOption(new Option('--focus <words>', 'what is wanted of long pages').argParser(notEmpty))
    .addOption(config())
    .action((sources: string[], flags: ReadFlags) =>
      run(import('./commands/read.ts').then(({ read }) => read(context, flags, sources))),
    )
  program
    .command('doctor')
    .description('check what yaa needs, and say what to do')
    .addOption(
      new Option('--port <n>', 'port that the server is to have')
        .default(DEFAULT_PORT)
        .argParser((text) => portOf(text, texts.badPort)),
    )
    .addOption(config())
    .addOption(data().default('.yaa'))
    .action((flags: DoctorFlags) => run(import('./commands/doctor.ts').then(({ doctor }) => doctor(context, flags))))
  program
    .command('key')
    .description('print the key that clients on this machine show')
    .addOption(data().default('.yaa'))
    .action(({ data: folder }: { data: string }) =>
      run(
        import('./serve/admin-key.ts').then(({ knownKey }) => printed(context, knownKey(context.env, folder, texts))),
      ),
    )
  program
    .command('replay')
    .description('decide again over an exported session; exit 1 where today would decide otherwise')
    .argument('<export>', 'a file from GET /v1/sessions/{id}/export')
    .addOption(config())
    .action((file: string, flags: ReplayFlags) =>
      run(import('./commands/replay.ts').then(({ replayFile }) => replayFile(context, flags, file))),
    )
  program
    .command('dev')
    .description('`wrangler dev` with reload; makes a key in .dev.vars if there is none; options go to it')
    .allowUnknownOption()
    .argument('[options...]')
    .action((rest: string[]) => run(import('./commands/deploy.ts').then(({ dev }) => dev(context, rest))))
  program
    .command('deploy')
    .description('deploy to Cloudflare with a config bundled in; other options go to `wrangler deploy`')
    .addOption(config())
    .allowUnknownOption()
    .argument('[options...]')
    .action((rest: string[], flags: DeployFlags) =>
      run(import('./commands/deploy.ts').then(({ deploy }) => deploy(context, flags, rest))),
    )
  for (const command of program.commands) command.exitOverride().showHelpAfterError(false)
  helpIn(terminalLanguage(context.env), program)
  return program
}

function printed({ stdout }: Context, line: string): number {
  stdout.write(`${line}\n`)
  return EXIT.ok
}

function portOf(text: string, expected: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError(expected)
  return Number(text)
}

function serverOf(text: string, expected: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) throw new InvalidArgumentError(expected)
  return text
}

function limitOf(text: string): number {
  if (!/^\d{1,3}$/.test(text) || Number(text) < 1 || Number(text) > 100)
    throw new InvalidArgumentError('expected 1 to 100')
  return Number(text)
}

function notEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('expected a text that is not empty')
  return text
}

const versionOf = () => (JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { version: string }).version

/** Seed 001: `yaa --serve --port N` is `yaa serve --port N`. */
const argumentsOf = (argv: readonly string[]) =>
  argv.includes('--serve') ? ['serve', ...argv.filter((word) => word !== '--serve')] : argv

/** The exit code of an error, told in one line on stderr. */
function codeOf(error: unknown, { texts, stderr }: Context): number {
  // Commander has told already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
  const say = (line: string) => void stderr.write(`yaa: ${line}\n`)
  if (error instanceof CommandError) {
    say(error.message)
    return error.exitCode
  }
  if (error instanceof Unreachable) say(texts.unreachable(error.server))
  else if (error instanceof ApiProblem && error.status === 401) say(texts.unauthorized)
  else if (error instanceof ApiProblem) say(texts.refused(`${error.message} (${error.code})`))
  else say(error instanceof Error ? (error.stack ?? error.message) : String(error))
  return EXIT.failed
}

async function main(argv: readonly string[]): Promise<number> {
  const context = processContext()
  let code: number = EXIT.ok
  try {
    await programOf(context, (ended) => {
      code = ended
    }).parseAsync(argumentsOf(argv), { from: 'user' })
    return code
  } catch (error) {
    return codeOf(error, context)
  }
}

// A reader that has enough (`| head`) is no failure of ours.
process.stdout.on('error', () => process.exit(EXIT.ok))
// yaa.mjs under an older Node holds this channel: when it is gone, so are we.
process.on('disconnect', () => process.exit(EXIT.failed))
process.channel?.unref()

// So is npm or npx, which passes no SIGKILL on and leaves us behind: no orphan may hold the port and the data folder.
if (process.env['npm_command'] !== undefined) {
  const parent = process.ppid
  setInterval(() => process.ppid === parent || process.exit(EXIT.failed), ORPHAN_LOOK_MS).unref()
}

const code = await main(process.argv.slice(2))
process.stdout.write('', () => process.exit(code))
