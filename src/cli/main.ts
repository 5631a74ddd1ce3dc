// The commands of `yaa`. Runs under Node 24 (see yaa.mjs); Ctrl-C and exit codes are in exit.ts.
import { readFileSync } from 'node:fs'
import { Command, CommanderError, Option } from 'commander'
import { ROOT } from '../build/bundle.ts'
import { ApiProblem, Unreachable } from '../client/client.ts'
import type { ChatFlags } from './commands/chat.ts'
import type { DeployFlags } from './commands/deploy.ts'
import type { DoctorFlags } from './commands/doctor.ts'
import type { ModelsFlags } from './commands/models.ts'
import type { ProcessFlags } from './commands/process.ts'
import type { ReadFlags } from './commands/read.ts'
import type { ReplayFlags } from './commands/replay.ts'
import type { ServeFlags } from './commands/serve.ts'
import type { ConnectionsFlags } from './commands/connections.ts'
import type { OpenApiToolsFlags } from './commands/openapi-tools.ts'
import type { SettingsFlags } from './commands/settings.ts'
import type { SessionsFlags } from './commands/sessions.ts'
import type { SkillsFlags } from './commands/skills.ts'
import type { RunFlags, WorkflowsFlags } from './commands/workflows.ts'
import type { TaskFlags } from './commands/task.ts'
import { languageIn, valueReaders } from './arguments.ts'
import { processContext, type Context } from './context.ts'
import { CommandError, EXIT } from './exit.ts'
import { helpIn } from './help.ts'
import { DATA_FOLDER } from './serve/data-folder.ts'
import { terminalLanguage } from './texts.ts'
import { usageText } from './usage.ts'
import { refusedText } from './view/refused-text.ts'
import { columnsOf, wrap } from './view/text.ts'

const DEFAULT_PORT = 8787
const ORPHAN_LOOK_MS = 100
/** Help is not broken into lines shorter than this, in columns. */
const NARROW = 12

function programOf(context: Context, end: (code: number) => void): Command {
  const { texts } = context
  const { notEmpty, each, ...values } = valueReaders(texts)
  const run = (code: Promise<number>) => code.then(end)
  const port = new Option('--port <n>', 'port on 127.0.0.1 (0: any free port)')
    .default(DEFAULT_PORT)
    .argParser(values.port)
  const config = () => new Option('--config <file>', 'server config, a JSON file')
  const data = () => new Option('--data <dir>', 'folder that keeps the sessions').argParser(notEmpty)
  const client = (command: Command) =>
    command
      .addOption(new Option('--server <url>', 'a running server; without it, one is started').argParser(values.server))
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
    .addOption(
      new Option('--lang <language>', 'en or zh-CN (default: the language of the terminal)').argParser(notEmpty),
    )
    .exitOverride()
  program.configureHelp({
    showGlobalOptions: true,
    minWidthToWrap: NARROW,
    displayWidth: columnsOf,
    boxWrap: (text, columns) => wrap(text, columns).join('\n'),
  })
  program
    .command('serve')
    .description('start the server on http://localhost:PORT; Ctrl-C stops it')
    .addOption(port)
    .addOption(config())
    .addOption(data().default(DATA_FOLDER))
    .addOption(new Option('--log <file>', 'append the log to this file').argParser(notEmpty))
    .action((flags: ServeFlags) => run(import('./commands/serve.ts').then(({ serve }) => serve(context, flags))))
  const user = () => new Option('--user <name>', 'whose memory a new session uses').argParser(notEmpty)
  const orchestrator = () =>
    new Option('--orchestrator <name>', 'how a new session works').choices(['agent', 'plan', 'route'])
  const team = () => new Option('--team <name>', 'the team for a new session').argParser(notEmpty)
  const attach = () => new Option('--attach <file>', 'a file or URL to attach; repeat for more').argParser(each)
  client(program.command('task'))
    .description('do one task and print the answer')
    .argument('<task>', 'what to do')
    .addOption(user())
    .addOption(new Option('--skill <name>', 'the skill to use; `yaa skills` lists them').argParser(notEmpty))
    .addOption(orchestrator())
    .addOption(team())
    .addOption(new Option('--schema <file>', 'a JSON Schema that the answer must match').argParser(notEmpty))
    .addOption(attach())
    .option('--yes', 'approve every tool call without asking')
    .option('--json', 'print the whole response as JSON')
    .action((text: string, flags: TaskFlags) =>
      run(import('./commands/task.ts').then(({ task }) => task(context, flags, text))),
    )
  client(program.command('chat'))
    .description('have a conversation; /help lists its commands')
    .addOption(new Option('--session <id>', 'continue a session').argParser(notEmpty))
    .addOption(user())
    .addOption(orchestrator())
    .addOption(team())
    .addOption(attach())
    .action((flags: ChatFlags) => run(import('./commands/chat.ts').then(({ chat }) => chat(context, flags))))
  client(program.command('sessions'))
    .description('list the sessions, newest first')
    .addOption(new Option('--limit <n>', 'how many to list').default(20).argParser(values.listed))
    .option('--json', 'print the list as JSON')
    .action((flags: SessionsFlags) =>
      run(import('./commands/sessions.ts').then(({ listSessions }) => listSessions(context, flags))),
    )
  client(program.command('skills'))
    .description('list skills and their problems, or add folders with a SKILL.md')
    .argument('[folder...]', 'folders with a SKILL.md; a skill of the same name is replaced')
    .option('--json', 'print the list as JSON')
    .action((folders: string[], flags: SkillsFlags) =>
      run(import('./commands/skills.ts').then(({ skills }) => skills(context, flags, folders))),
    )
  client(program.command('run'))
    .description('run a workflow and print its result')
    .argument('<workflow>', 'its name; `yaa workflows` lists them')
    .addOption(new Option('--input <name=value>', 'one of its inputs; repeat for more').argParser(each))
    .addOption(new Option('--inputs <file>', 'all of its inputs, as a JSON object').argParser(notEmpty))
    .addOption(new Option('--task <words>', 'what to do, in words').argParser(notEmpty))
    .addOption(user())
    .option('--yes', 'approve every tool call without asking')
    .option('--json', 'print the whole response as JSON')
    .action((name: string, flags: RunFlags) =>
      run(import('./commands/workflows.ts').then(({ runWorkflow }) => runWorkflow(context, flags, name))),
    )
  client(program.command('retry'))
    .description('run a finished workflow step again, and the steps that depend on it')
    .argument('<session>', 'the id of the session')
    .argument('<step>', 'the path of the step, such as review or each[3].read')
    .option('--yes', 'approve every tool call without asking')
    .option('--json', 'print the whole response as JSON')
    .action((session: string, step: string, flags: TaskFlags) =>
      run(
        import('./commands/workflows.ts').then(({ retryWorkflowStep }) =>
          retryWorkflowStep(context, flags, session, step),
        ),
      ),
    )
  client(program.command('workflows'))
    .description('list workflows, or add them from YAML or JSON files')
    .argument('[file...]', 'files with one workflow each; a name that exists gets a new version')
    .option('--json', 'print the list as JSON')
    .action((files: string[], flags: WorkflowsFlags) =>
      run(import('./commands/workflows.ts').then(({ workflows }) => workflows(context, flags, files))),
    )
  client(program.command('settings'))
    .description("show the tenant's settings, after making these changes")
    .argument('[changes...]', 'FIELD=VALUE, such as limits.max_iterations=8; null removes a field')
    .option('--versions', 'list the versions, newest first')
    .option('--json', 'print the settings, or the versions, as JSON')
    .addOption(new Option('--rollback <version>', 'go back to this version').argParser(values.version))
    .action((changes: string[], flags: SettingsFlags) =>
      run(import('./commands/settings.ts').then(({ settings }) => settings(context, flags, changes))),
    )
  client(program.command('connections'))
    .description("list the tenant's connections, or add one (its secret is read from stdin)")
    .addOption(new Option('--add <name>', 'store a secret under this name').argParser(notEmpty))
    .addOption(new Option('--origin <url>', 'the only place the secret is ever sent to').argParser(notEmpty))
    .addOption(new Option('--delete <name>', 'revoke the connection of this name').argParser(notEmpty))
    .addOption(new Option('--user <name>', 'the connections of this user').argParser(notEmpty))
    .action((flags: ConnectionsFlags) =>
      run(import('./commands/connections.ts').then(({ connections }) => connections(context, flags))),
    )
  client(program.command('openapi-tools'))
    .description('list the APIs whose operations are tools, or add one by the URL of its OpenAPI document')
    .addOption(new Option('--add <name>', 'add an API under this name').argParser(notEmpty))
    .addOption(new Option('--url <url>', 'the URL of its OpenAPI document').argParser(notEmpty))
    .addOption(new Option('--connection <name>', 'the connection to use for it').argParser(notEmpty))
    .addOption(new Option('--delete <name>', 'delete the API of this name').argParser(notEmpty))
    .action((flags: OpenApiToolsFlags) =>
      run(import('./commands/openapi-tools.ts').then(({ printApis }) => printApis(context, flags))),
    )
  client(program.command('models'))
    .description('list models and their prices')
    .option('--json', 'print the list as JSON')
    .action((flags: ModelsFlags) =>
      run(import('./commands/models.ts').then(({ printModels }) => printModels(context, flags, ['model']))),
    )
  client(program.command('agents'))
    .description('list who can take a task: agents, teams, skills, workflows')
    .option('--json', 'print the list as JSON')
    .action((flags: ModelsFlags) =>
      run(
        import('./commands/models.ts').then(({ printModels }) =>
          printModels(context, flags, ['agent', 'team', 'skill', 'workflow']),
        ),
      ),
    )
  client(program.command('process'))
    .description('run a session from a file and print the response as JSON; nothing is stored')
    .addOption(
      new Option('--file <file>', 'SessionData as JSON; - reads it from stdin')
        .argParser(notEmpty)
        .makeOptionMandatory(),
    )
    .action((flags: ProcessFlags) =>
      run(import('./commands/process.ts').then(({ processFile }) => processFile(context, flags))),
    )
  program
    .command('read')
    .description('print what the agent would see of web pages, PDFs, Office files and books')
    .argument('<source...>', 'URLs or files')
    .option('--json', 'print one line of JSON per source, as soon as it is read')
    .addOption(new Option('--focus <words>', 'what to look for in long pages').argParser(notEmpty))
    .addOption(config())
    .action((sources: string[], flags: ReadFlags) =>
      run(import('./commands/read.ts').then(({ read }) => read(context, flags, sources))),
    )
  program
    .command('doctor')
    .description('check that everything yaa needs is in place')
    .addOption(new Option('--port <n>', 'port the server will use').default(DEFAULT_PORT).argParser(values.port))
    .addOption(config())
    .addOption(data().default(DATA_FOLDER))
    .action((flags: DoctorFlags) => run(import('./commands/doctor.ts').then(({ doctor }) => doctor(context, flags))))
  program
    .command('key')
    .description('print the API key of this machine')
    .addOption(data().default(DATA_FOLDER))
    .action(({ data: folder }: { data: string }) =>
      run(
        import('./serve/admin-key.ts').then(({ knownKey }) => printed(context, knownKey(context.env, folder, texts))),
      ),
    )
  program
    .command('replay')
    .description('replay an exported session; exit 1 if yaa would decide differently today')
    .argument('<export>', 'a file from GET /v1/sessions/{id}/export')
    .addOption(config())
    .action((file: string, flags: ReplayFlags) =>
      run(import('./commands/replay.ts').then(({ replayFile }) => replayFile(context, flags, file))),
    )
  program
    .command('dev')
    .description('run under `wrangler dev`, reloading on changes; other options go to wrangler')
    .allowUnknownOption()
    .argument('[options...]')
    .action((rest: string[]) => run(import('./commands/dev.ts').then(({ dev }) => dev(context, rest))))
  program
    .command('deploy')
    .description('deploy to Cloudflare with this config; other options go to wrangler')
    .addOption(config())
    .allowUnknownOption()
    .argument('[options...]')
    .action((rest: string[], flags: DeployFlags) =>
      run(import('./commands/deploy.ts').then(({ deploy }) => deploy(context, flags, rest))),
    )
  for (const command of [program, ...program.commands])
    command
      .exitOverride()
      .showHelpAfterError(false)
      .configureOutput({
        outputError: () => {
          misused = command === program ? 'yaa' : `yaa ${command.name()}`
        },
      })
  helpIn(terminalLanguage(context.env), program)
  return program
}

function printed({ stdout }: Context, line: string): number {
  stdout.write(`${line}\n`)
  return EXIT.ok
}

const versionOf = () => (JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { version: string }).version

/** Seed 001: `yaa --serve --port N` is `yaa serve --port N`. */
const argumentsOf = (argv: readonly string[]) =>
  argv.includes('--serve') ? ['serve', ...argv.filter((word) => word !== '--serve')] : argv

/** `yaa help NAME` of a command that there is not is refused as `yaa NAME` is: commander shows the help of all. */
function askedForHelp(argv: readonly string[], { commands }: Command): readonly string[] {
  const at = argv.indexOf('help')
  const isFirst = at === 0 || (at === 1 && argv[0]?.startsWith('--lang=')) || (at === 2 && argv[0] === '--lang')
  const name = argv[at + 1]
  const isUnknown = isFirst && name !== undefined && !name.startsWith('-') && name !== 'help'
  return isUnknown && !commands.some((one) => one.name() === name) ? argv.toSpliced(at, 1) : argv
}

/** The command whose arguments are wrong, as it is typed. */
let misused: string | null = null

/** The exit code of an error, told in one line on stderr. */
function codeOf(error: unknown, { texts, stderr }: Context): number {
  const say = (line: string) => void stderr.write(`yaa: ${line}\n`)
  if (error instanceof CommanderError) {
    if (misused !== null) say(usageText(error, misused, texts))
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage
  }
  if (error instanceof CommandError) {
    say(error.message)
    return error.exitCode
  }
  if (error instanceof Unreachable) say(texts.unreachable(error.server))
  else if (error instanceof ApiProblem && error.status === 401) say(texts.unauthorized)
  else if (error instanceof ApiProblem && error.code === 'unknown') say(refusedText(error, texts))
  else if (error instanceof ApiProblem) say(texts.refused(texts.because(refusedText(error, texts), error.code)))
  else say(error instanceof Error ? (error.stack ?? error.message) : String(error))
  return EXIT.failed
}

async function main(argv: readonly string[]): Promise<number> {
  const context = processContext(languageIn(argv))
  let code: number = EXIT.ok
  try {
    const program = programOf(context, (ended) => {
      code = ended
    })
    await program.parseAsync(askedForHelp(argumentsOf(argv), program), { from: 'user' })
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
