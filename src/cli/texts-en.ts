import type { Language } from '../domain/language.ts'
import type { FinishReason } from '../domain/run.ts'

const unit = (origin: string) => (origin === 'string' ? ' characters' : origin === 'array' ? ' entries' : '')

const language = (one: Language) => one

export const en = {
  language: language('en'),
  // config file
  unreadable: (reason: string) => `cannot be read (${reason})`,
  notJson: (detail: string) => `expected JSON (${detail})`,
  tooLarge: (bytesMax: number) => `expected at most ${bytesMax} bytes`,
  unknownField: 'unknown field',
  expected: (what: string) => `expected ${what}`,
  atLeast: (minimum: number, origin: string) => `at least ${minimum}${unit(origin)}`,
  atMost: (maximum: number, origin: string) => `at most ${maximum}${unit(origin)}`,
  andMore: (count: number) => ` (and ${count} more)`,
  // serve
  ready: (url: string) => `yaa ready on ${url}`,
  model: (name: string) => `model: ${name}`,
  modelUnknown: 'not told',
  placeIgnored: 'place is ignored: everything is kept on this machine',
  keptKey: 'a key is needed: `npx yaa key` prints it (Authorization: Bearer KEY)',
  openConsole: (address: string) => `open ${address} (the console with its key; shown this once)`,
  noWayIn: 'nobody is let in: auth in the config names nobody, so all but /healthz is 503 (set YAA_API_KEY)',
  devVarsMade: (names: readonly string[]) => `.dev.vars: made ${names.join(' and ')}; \`npx yaa key\` prints the key`,
  noKey: (folder: string) => `${folder} has no key: \`npm start\` makes one at its first start`,
  keyed: 'a key is needed (Authorization: Bearer KEY)',
  skillAdded: (skill: string) => `skill ${skill} is there`,
  noSkillFile: (folder: string) => `${folder} holds no SKILL.md with a name`,
  skillLeftOut: (skill: string, field: string, reason: string) =>
    `skill ${skill} is left out: ${field === '' ? '' : `${field}: `}${reason}`,
  secretMissing: (name: string, path: string) => `warning: ${name} is not set (${path})`,
  stopping: 'stopping',
  dataInUse: (folder: string) => `${folder} is in use by another yaa; end it or name another folder with --data`,
  dataUnwritable: (folder: string, detail: string) =>
    `${folder} cannot be written (${detail}); name another folder with --data`,
  keptTooShort: (file: string, minimum: number) =>
    `${file}: expected at least ${minimum} characters; remove it and a new one is made`,
  portInUse: (port: number) => `port ${port} is in use; name another with --port (0: any free one)`,
  portRefused: (port: number) => `port ${port} may not be opened; name another with --port (0: any free one)`,
  checkoutNeeded: 'a package is not deployed from: git clone yaa, npm ci, and do it there',
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
  unreachable: (server: string) => `${server} cannot be reached; is it running? (\`npm start\` starts one)`,
  refused: (detail: string) => `the server refuses: ${detail}`,
  unauthorized: 'the server wants another key: give it with --key or YAA_API_KEY (`npx yaa key` prints that of --data)',
  badServer: 'expected an http or https address',
  badPort: 'expected a port from 0 to 65535',
  emptyTask: 'TASK: expected a text that is not empty',
  // a run
  starting: 'starting',
  thinking: (model: string) => `${model} is thinking`,
  reading: (model: string) => `the model ${model} is reading`,
  again: (attempt: number) => `asking the model again (attempt ${attempt})`,
  working: (tool: string) => `${tool} is working`,
  waitingForTools: (server: string) => `waiting for the tools of ${server}`,
  answering: 'writing the answer',
  notAnswer: 'that was not the answer',
  cutReply: 'the reply was stopped here',
  continuing: 'going on',
  waits: 'waiting for you',
  finish: {
    completed: 'completed',
    interrupted: 'waits for an approval',
    waiting_feedback: 'waits for an answer',
    iteration_limit: 'ended: the limit of iterations is reached',
    budget_exhausted: 'ended: the budget is spent',
    deadline: 'ended: the time is over',
    stuck: 'ended: no progress any more',
    max_rounds: 'ended: the limit of rounds is reached',
    no_money: 'ended: no money left',
    cancelled: 'cancelled',
    failed: 'failed',
  } satisfies Record<FinishReason, string>,
  warning: 'warning',
  error: 'error',
  approvalAsked: 'wants to run',
  callAsked: 'waits for whoever has the tool to call',
  planAsked: 'wants to work by this plan:',
  planned: (round: number) => `plan, round ${round}`,
  teamRound: (round: number) => `team, round ${round}`,
  questionAsked: 'asks',
  approved: 'approved',
  rejected: 'refused',
  answered: 'answered',
  expired: 'expired',
  cancelledItem: 'cancelled',
  decide: 'Run it? y(es) / n(o) / e(dit): ',
  decideAgain: 'Please type y, n or e: ',
  editPrompt: 'Arguments as one line of JSON: ',
  editInvalid: 'That is not a JSON object; once more: ',
  answerPrompt: 'Your answer: ',
  resultPrompt: 'Its result as one line of JSON, or ! and why it failed: ',
  resultInvalid: 'That is no JSON; once more: ',
  stale: 'that was decided or has expired in the meantime',
  cancelling: 'cancelling the run',
  cancelled: 'cancelled',
  waitsForHuman: (id: string, command: string) => `session ${id} waits for you; carry it on with: ${command}`,
  // chat
  hello: (session: string | null, model: string) =>
    `${session ?? 'a new session'} · ${model} · /help lists the commands`,
  prompt: 'you> ',
  help: [
    '/help             this list',
    '/model [NAME]     choose the model of this session',
    '/skill [NAME]     a new session that works by a skill',
    '/sessions [ID]    list the sessions, or go to one',
    '/attach FILE      a file, or an address, that goes along with the next message',
    '/cancel           stop what is under way or waits',
    '/exit             leave (Ctrl-D too)',
  ].join('\n'),
  unknownCommand: (name: string) => `${name} is not a command; /help lists them`,
  modelSet: (name: string) => `model: ${name}`,
  pickModel: 'Which model?',
  skillSet: (name: string) => `new session with skill ${name}`,
  pickSkill: 'Which skill?',
  noSkills: 'this server has no skills',
  pickSession: 'Which session?',
  noSessions: 'no sessions yet',
  nothingToCancel: 'nothing to cancel',
  keptWaiting: (id: string) => `session ${id} still waits for you`,
  // read
  attached: (name: string) => `+ ${name}`,
  attachedTooLarge: (max: string) => `at most ${max} can go along`,
  attachWhat: '/attach FILE: expected a file, or an address',
  notAFile: (reason: string) =>
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
  portTaken: (port: number) => `port ${port} is taken by something that is not yaa: use --port`,
  serverOk: (url: string, version: string) => `yaa ${version} answers on ${url}`,
  serverDown: (url: string) => `no server on ${url}: \`npm start\` starts one (task and chat start their own)`,
  modelOk: (alias: string) => `model ${alias} answers`,
  shardsOfNew:
    'directory_shards counts for tenants that begin from now on; a tenant that has sessions stays as it is (see docs/storage.md)',
  modelBuiltIn: 'model built-in (needs no network); for a real one: --config configs/deepseek.json and its key',
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
