import { withSchemaWords } from '../domain/schema-words.ts'
import type { Language } from '../domain/language.ts'
import type { Money } from '../domain/usage.ts'
import type { ListedModel } from '../domain/model.ts'
import type { ListedSkill } from '../domain/skill.ts'
import type { FinishReason, Status } from '../domain/run.ts'
import { asideIn, countIn, durationIn, listIn, moneyIn, toldIn } from '../lib/in-language.ts'

const unit = (origin: string) => (origin === 'string' ? ' characters' : origin === 'array' ? ' entries' : '')

/** Seconds as a person says them. */
const timeText = (seconds: number): string =>
  seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`

const language = (one: Language) => one

/** Why a file cannot be read, by the code of the system. */
const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'a folder, where a file is wanted',
}

/** Why a folder cannot be written, by the code of the system. */
const UNWRITABLE: Readonly<Record<string, string>> = {
  EACCES: 'not allowed',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'it is a file, or within one',
  ENOENT: 'nothing can be made there',
}

/** What is wrong with the arguments of a command, by the kind that commander tells. */
type Usage = Partial<Readonly<Record<string, (what: string, value: string, why: string) => string>>>

export const en = {
  language: language('en'),
  took: (ms: number) => durationIn('en', ms),
  list: (names: readonly string[]) => listIn('en', names),
  told: (what: string, words: string) => toldIn('en', what, words),
  aside: (what: string, words: string) => asideIn('en', what, words),
  // config file
  /** What is wrong with a value, in the language of the terminal; null: by what was expected. */
  misfit: (_message: string): string | null => null,
  unreadable: (reason: string) => UNREADABLE[reason] ?? `cannot be read (${reason})`,
  notJson: (lineNumber: number, column: number) => `expected JSON (line ${lineNumber}, column ${column})`,
  jsonObject: 'a JSON object',
  /** What a value should have been, where the word of the parser is none that people use. */
  kindsOf: { record: 'object', int: 'whole number', array: 'list' } as Readonly<Record<string, string>>,
  tooLarge: (bytesMax: number) => `expected at most ${bytesMax} bytes`,
  unknownField: 'unknown field',
  expected: (what: string) => `expected ${what}`,
  atLeast: (minimum: number, origin: string) => `at least ${minimum}${unit(origin)}`,
  atMost: (maximum: number, origin: string) => `at most ${maximum}${unit(origin)}`,
  andMore: (count: number, places: string) => ` (and ${count} more: ${places})`,
  // arguments
  notEmpty: 'a text that is not empty',
  portNumber: (max: number) => `a port from 0 to ${max}`,
  webAddress: 'an http or https address',
  fromTo: (from: number, to: number) => `${from} to ${to}`,
  usage: {
    unknownCommand: (name) => `unknown command '${name}'`,
    unknownOption: (name) => `unknown option '${name}'`,
    missingArgument: (name) => `missing argument <${name}>`,
    optionMissingArgument: (name) => `${name}: the value is missing`,
    missingMandatoryOptionValue: (name) => `${name} is required`,
    excessArguments: () => 'too many arguments',
    invalidArgument: (name, value, why) => `${name}: ${why}, got '${value}'`,
  } as Usage,
  usageMeant: (name: string) => `; did you mean ${name}?`,
  usageHelp: (command: string) => `; see \`${command} --help\``,
  // serve
  ready: (url: string) => `yaa ready on ${url}`,
  bannerModel: 'model',
  bannerBuiltIn: (name: string) => `${name}; connect a real model in the browser`,
  bannerData: 'data',
  bannerKey: 'key',
  modelUnknown: 'unknown',
  placeIgnored: 'place is ignored: everything is kept on this machine',
  keptKey: (options: string) => `\`npx yaa key${options}\` prints it`,
  openConsole: (address: string) => `open in a browser: ${address}`,
  openWithKey: 'open in a browser (shown only this once, with the key):',
  noWayIn:
    'nobody can get in: auth in the config lists nobody, so everything but /healthz answers 503 (set YAA_API_KEY)',
  noKey: (folder: string) => `${folder} has no key: \`npx yaa serve\` makes one at its first start`,
  keyed: 'required (Authorization: Bearer KEY)',
  workflowAdded: (workflow: string, version: number) => `added workflow ${workflow}, version ${version}`,
  noWorkflowFile: (file: string, why: string) => `${file} is not a workflow: ${why}`,
  skillAdded: (skill: string) => `added skill ${skill}`,
  noSkillFile: (folder: string) => `${folder} has no SKILL.md with a name`,
  skillLeftOut: (skill: string, field: string, reason: string) =>
    `skill ${skill} is left out: ${field === '' ? '' : `${field}: `}${reason}`,
  secretMissing: (name: string, path: string) =>
    `${name} is not set (${path}): set it in the environment or in .dev.vars, then start again`,
  modelKeyMissing: (name: string) => `the model needs ${name}: export it, or add the line ${name}=… to .dev.vars`,
  stopping: 'stopping',
  dataInUse: (folder: string) => `${folder} is in use by another yaa; stop it, or choose another folder with --data`,
  /** Of who needs a server, and may use the one that is there. */
  dataServed: (folder: string, url: string) =>
    `${folder} is in use by the server on ${url}: add --server ${url}, or choose another folder with --data`,
  otherFolder: (folder: string, url: string, own: string) =>
    `${folder} is in use by the server on ${url}; this uses ${own} (add --server ${url} for that one's sessions)`,
  dataUnwritable: (folder: string, detail: string) =>
    `${folder} cannot be written (${UNWRITABLE[detail] ?? detail}); choose another folder with --data`,
  keptTooShort: (file: string, minimum: number) =>
    `${file}: expected at least ${minimum} characters; remove it and a new one is made`,
  portInUse: (port: number) => `port ${port} is in use; choose another with --port (0: any free port)`,
  portRefused: (port: number) => `port ${port} may not be opened; choose another with --port (0: any free port)`,
  checkoutNeeded: 'this needs a checkout of yaa: git clone it, run npm ci, and try again there',
  notHealthy: (detail: string) => `the server started but does not answer /healthz: ${detail}`,
  ended: (code: number | null, lastLine: string) =>
    `workerd ended${code === null ? '' : ` with code ${code}`}${lastLine === '' ? '' : `: ${lastLine}`}`,
  startsAgain: (code: number | null, lastLine: string) =>
    `workerd ended by itself${code === null ? '' : ` with code ${code}`}${lastLine === '' ? '' : ` (${lastLine})`}; it is started again`,
  endedTooOften: (times: number, lastLine: string) =>
    `workerd ended by itself and is not started again (at most ${times} times a minute)${lastLine === '' ? '' : `: ${lastLine}`}`,
  fewFiles: (max: number, minimum: number) =>
    `warning: only ${max} files may be open, and each session in use holds some: allow ${minimum} or more (ulimit -n, LimitNOFILE of systemd)`,
  buildFailed: (detail: string) => `the Worker could not be built: ${detail}`,
  logUnwritable: (file: string) => `${file}: expected a file that can be written (--log)`,
  // clients
  unreachable: (server: string) => `${server} cannot be reached; is it running? (\`npx yaa serve\` starts one)`,
  refused: (detail: string) => `the server refused: ${detail}`,
  notYaa: (status: number, came: string) =>
    `what answers there is no yaa server (HTTP ${status}${came === '' ? '' : `, ${came}`}): check --server`,
  notAnswering: (status: number) =>
    `the server behind this address is not answering now (HTTP ${status} of a proxy): try again in a moment; if it stays so, ask whoever runs the server`,
  unauthorized:
    'the server does not accept this key: pass another with --key or YAA_API_KEY (`npx yaa key` prints the one in --data)',
  emptyTask: 'TASK: expected a text that is not empty',
  // a run
  thinking: (model: string) => `${model} is thinking`,
  reading: (model: string) => `the model ${model} is reading`,
  askedAgain: (why: string) => `asking the model again: ${why}`,
  again: (attempt: number) => `asking the model again (attempt ${attempt})`,
  working: (tool: string) => `${tool} is working`,
  waitingForTools: (server: string) => `waiting for the tools of ${server}`,
  answering: 'writing the answer',
  notAnswer: 'that was not the answer',
  repeated: 'the model kept repeating itself; this is the best that it said:',
  cutReply: 'the reply was stopped here',
  tooLongReply: "the answer was cut here at the model's max_tokens; raise max_tokens of the model, or ask it to go on",
  finish: {
    completed: 'completed',
    interrupted: 'waiting for a decision',
    waiting_feedback: 'waiting for an answer',
    iteration_limit: 'stopped: model call limit reached',
    budget_exhausted: 'stopped: budget spent',
    deadline: 'stopped: out of time',
    stuck: 'stopped: it made no progress',
    max_rounds: 'stopped: last round finished',
    no_money: 'stopped: out of money',
    cancelled: 'cancelled',
    failed: 'failed',
  } satisfies Record<FinishReason, string>,
  /** What a service said, with what is said of it. */
  detail: (logged: string) => logged,
  schemaWords: (said: string) => withSchemaWords('en', said),
  /** Words first; the code stands last, for who looks it up. */
  because: (why: string, code: string) => asideIn('en', why.replace(/\.$/, ''), code),
  sentences: (...all: readonly string[]) =>
    all
      .filter((one) => one !== '')
      .map((one, at, said) => (at < said.length - 1 && !/[.!?:;]$/.test(one) ? `${one}.` : one))
      .join(' ')
      .trim(),
  worked: (seconds: number, tokens: number) =>
    `${timeText(seconds)}${tokens === 0 ? '' : ` · ${countIn('en', tokens)} tokens`}`,
  approvalAsked: (call: string, why: string) => `wants to run: ${call}${why === '' ? '' : ` (${why})`}`,
  callAsked: (call: string) => `waits for the result of a tool of yours: ${call}`,
  planAsked: 'wants to work by this plan:',
  stepAsked: 'The workflow needs your approval',
  planned: (round: number) => `plan, round ${round}`,
  teamRound: (round: number) => `team, round ${round}`,
  approved: 'approved',
  rejected: 'refused',
  answered: 'answered',
  expired: 'expired',
  cancelledItem: 'cancelled',
  decide: 'Run it? y(es) / n(o) / e(dit): ',
  decideKeys: 'y run · n refuse · r refuse + reason · e edit · Esc later ',
  decideStep: 'Approve? y(es) / n(o): ',
  decideStepKeys: 'y approve · n refuse · r refuse + reason · Esc later ',
  decideStepAgain: 'Please type y or n: ',
  reasonPrompt: 'Why not? (Esc: back) ',
  editNothing: 'Nothing was changed.',
  edited: (call: string) => `? as edited: ${call}`,
  decideAgain: 'Please type y, n or e: ',
  editPrompt: 'Arguments as one line of JSON (Esc: back): ',
  editInvalid: 'That is not a JSON object.',
  answerPrompt: 'Your answer: ',
  secretPrompt: (name: string, origin: string) =>
    `The secret of ${name} for ${origin} (not shown; empty: do not give it): `,
  grantPrompt: 'Enter once you have authorised it, or n to decline: ',
  granted: 'done',
  formPrompt: 'Your answer, as one line of JSON: ',
  formInvalid: 'This is no JSON object. Your answer, as one line of JSON: ',
  resultPrompt: 'Its result as one line of JSON, or ! and why it failed: ',
  resultInvalid: 'That is no JSON; once more: ',
  cancelling: 'cancelling the run',
  cancelled: 'cancelled',
  goesOnBy: (command: string) => `to try again, type /continue in: ${command}`,
  lostTouch: (server: string, command: string) =>
    `${server} cannot be reached any more. What was begun is kept; once it is back, go on with: ${command}`,
  lostHere: 'what was begun is kept: /continue goes on once the server is back',
  goOnHere: '/continue tries again from there, /retry does the task anew',
  waitsForHuman: (command: string) => `this session waits for you; continue with: ${command}`,
  // chat
  hello: (session: string | null, model: string) =>
    `${session ?? 'a new session'} · ${model} · /help lists the commands`,
  prompt: 'you> ',
  asidePrompt: 'tell it> ',
  afterRun: (line: string) => `${line} will run when this is done`,
  notSaid: (line: string) => `not sent: the run needs your decision first: ${line}`,
  help: [
    '/help             this list',
    '/model [NAME]     choose the model of this session',
    '/skill [NAME]     start a new session with a skill',
    '/sessions [ID]    list the sessions, or go to one',
    '/attach FILE      attach a file or URL to the next message',
    '/clear            start over; the session is kept',
    '/continue         go on with a run that stopped or failed',
    '/retry            redo the last task, in a copy',
    '/state            status of this session, and its cost',
    '/mode [NAME]      new session as agent, plan, team or route',
    '/session [ID]     show this session, or go to another',
    '/cancel           stop what is running or waiting',
    '/exit             leave (Ctrl-D too)',
    'What you type while a run works goes to it at once.',
  ].join('\n'),
  unknownCommand: (name: string) => `${name} is not a command; /help lists them`,
  noChoice: (name: string, there: string) => `${name}: expected ${there}`,
  modelSet: (name: string) => `model: ${name}`,
  pickKeys: '↑/↓ move, Enter chooses, Esc leaves',
  pickModel: 'Which model?',
  skillSet: (name: string) => `new session with skill ${name}`,
  pickSkill: 'Which skill?',
  noSkills: 'this server has no skills',
  pickSession: 'Which session?',
  noSessions: 'no sessions yet',
  noApis: 'no APIs yet; add one: yaa openapi-tools --add NAME --url URL',
  sources: { shipped: 'built in', tenant: 'added' } satisfies Record<ListedSkill['source'], string>,
  kinds: { agent: 'agent', model: 'model', team: 'team', skill: 'skill', workflow: 'workflow' } satisfies Record<
    ListedModel['kind'],
    string
  >,
  priceOf: (prompt: number, completion: number, currency: string) =>
    `${prompt} in, ${completion} out (${currency} per million tokens)`,
  noPrice: 'no price',
  byEachUser: 'each user gives their own',
  authorised: (is: boolean): string => (is ? 'authorised' : 'not authorised yet'),
  noConnections: 'no connections yet; add one: yaa connections --add NAME --origin URL',
  noSecret: 'no secret was given: type it when asked, or pipe it in',
  secretOf: (name: string) => `The secret of ${name} (not shown)`,
  noVersions: 'nothing has been set yet',
  setIn: (version: number, time: string, by: string): string => `version ${version}, ${time}, ${by}`,
  ofFile: (isLocked: boolean): string => (isLocked ? 'config file, locked' : 'config file'),
  status: {
    idle: 'idle',
    in_progress: 'running',
    interrupted: 'waiting',
    completed: 'completed',
    failed: 'failed',
    cancelled: 'cancelled',
  } satisfies Record<Status, string>,
  nothingToCancel: 'nothing to cancel',
  nothingToRetry: 'there is no task yet',
  stillWaits: 'still waiting for you: press Enter to decide',
  stateSpent: (tokens: number, cost: Money | null) =>
    `${countIn('en', tokens)} tokens${cost === null ? '' : `, ${moneyIn('en', cost)}`}`,
  stateWaits: 'waits for you',
  modes: {
    agent: 'one agent',
    plan: 'plan first',
    team: 'team',
    route: 'one worker',
    workflow: 'workflow',
  } as Readonly<Record<string, string>>,
  noSessionYet: 'no session yet: the next message begins one',
  cleared: 'the next message begins a new session',
  pickMode: 'How is the next session to work?',
  modeSet: (name: string) => `new session: ${name}`,
  // read
  attached: (name: string) => `+ ${name}`,
  attachedTooLarge: (max: string) => `at most ${max} can be attached to one message`,
  otherScheme: 'only addresses that begin with http:// or https:// can be attached',
  attachWhat: '/attach FILE: expected a file, or an address',
  notAFile: (reason: string) =>
    UNREADABLE[reason] ??
    `expected a file that can be read (${reason}), or an address that begins with http:// or https://`,
  // replay
  notAnExport: (where: string) => `expected the export of a session, with its events (${where})`,
  notFoldable: (detail: string) => `expected the log of a session, in its order (${detail})`,
  replayDifference: (seq: number, recorded: string, now: string) => `event ${seq}: recorded ${recorded}; now ${now}`,
  replayNothing: 'nothing',
  replayUnrecorded: (events: number) =>
    `the first ${events} events do not say what was decided: they are read, not compared`,
  replayConfig: '(the config was another then)',
  replaySame: (decisions: number) => `${decisions} ${decisions === 1 ? 'decision' : 'decisions'}, all as today`,
  replayDiffers: (decisions: number, differences: number) =>
    `${differences} of ${decisions} decisions would be others today`,
  // doctor
  doctorOk: 'everything is fine',
  doctorBad: (count: number) => `${count} ${count === 1 ? 'thing needs' : 'things need'} your attention`,
  nodeOk: (version: string) => `Node ${version}`,
  workerdOk: (version: string) => version,
  workerdBad: (detail: string) =>
    `workerd does not run (${detail}): run \`npm ci\` again, with install scripts allowed`,
  configOk: (file: string) => `config ${file} is valid`,
  bundledConfig: 'config: configs/default.json is valid',
  dataOk: (folder: string) => `data folder ${folder} is free and writable`,
  portFree: (port: number) => `port ${port} is free`,
  portFreeAnd: (free: string, down: string) => `${free}; ${down}`,
  portTaken: (port: number) => `port ${port} is taken by something that is not yaa: use --port`,
  serverOk: (url: string, version: string) => `yaa ${version} answers on ${url}`,
  serverDown: (url: string) => `no server on ${url}: \`npx yaa serve\` starts one (task and chat start their own)`,
  modelOk: (alias: string) => `model ${alias} answers`,
  modelOnPlatform: (alias: string) =>
    `model ${alias} is of Workers AI, which a Worker reaches by a binding alone: take the comment signs from [ai] in wrangler.toml, then deploy; a server on this machine has none, and its runs fail`,
  shardsOfNew:
    'directory_shards counts for tenants that begin from now on; a tenant that has sessions stays as it is (see docs/storage.md)',
  modelBuiltIn: (file: string) => `model built-in (needs no network); for a real one: --config ${file} and its key`,
  modelDown: (alias: string, origin: string) =>
    `model ${alias}: ${origin} cannot be reached; check api_url and the network`,
  modelRefuses: (alias: string, status: number) => `model ${alias}: HTTP ${status}; check its key and api_url`,
  boundUnheld: (alias: string, path: string, currency: string) =>
    `model ${alias} has no price in ${currency}, so ${path} refuses its runs (unpriced_model): set models.${alias}.price {"prompt_per_mtok", "completion_per_mtok", "currency": "${currency}"}, or take ${path} out`,
  modelUnpriced: (alias: string) =>
    `model ${alias}: no price is known; its cost is not counted and max_cost is refused (set models.${alias}.price)`,
}

/** Every text of the terminal, in any language: one that is missing in another does not compile. */
export type TerminalTexts = typeof en
