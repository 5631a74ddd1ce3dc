import type { Language } from '../domain/language.ts'
import type { FinishReason } from '../domain/run.ts'

/** Every text of the terminal. One value a language; a text that is missing in one does not compile. */
export interface Texts {
  language: Language
  // config file
  unreadable: (reason: string) => string
  notJson: (detail: string) => string
  tooLarge: (bytesMax: number) => string
  unknownField: string
  expected: (what: string) => string
  atLeast: (minimum: number, origin: string) => string
  atMost: (maximum: number, origin: string) => string
  andMore: (count: number) => string
  // serve
  ready: (url: string) => string
  model: (name: string) => string
  modelUnknown: string
  keyless: string
  keyed: string
  secretMissing: (name: string, path: string) => string
  skillLeftOut: (skill: string, field: string, reason: string) => string
  stopping: string
  dataInUse: (folder: string) => string
  dataUnwritable: (folder: string, detail: string) => string
  portInUse: (port: number) => string
  portRefused: (port: number) => string
  notHealthy: (detail: string) => string
  ended: (code: number | null, lastLine: string) => string
  buildFailed: (detail: string) => string
  logUnwritable: (file: string) => string
  // clients
  unreachable: (server: string) => string
  refused: (detail: string) => string
  unauthorized: string
  badServer: string
  badPort: string
  emptyTask: string
  // a run
  starting: string
  thinking: (model: string) => string
  again: (attempt: number) => string
  working: (tool: string) => string
  waitingForTools: (server: string) => string
  answering: string
  continuing: string
  waits: string
  finish: Record<FinishReason, string>
  warning: string
  error: string
  approvalAsked: string
  planAsked: string
  planned: (round: number) => string
  teamRound: (round: number) => string
  questionAsked: string
  approved: string
  rejected: string
  answered: string
  expired: string
  cancelledItem: string
  decide: string
  decideAgain: string
  editPrompt: string
  editInvalid: string
  answerPrompt: string
  stale: string
  cancelling: string
  cancelled: string
  waitsForHuman: (id: string, command: string) => string
  // chat
  hello: (session: string | null, model: string) => string
  prompt: string
  help: string
  unknownCommand: (name: string) => string
  modelSet: (name: string) => string
  pickModel: string
  skillSet: (name: string) => string
  pickSkill: string
  noSkills: string
  pickSession: string
  noSessions: string
  nothingToCancel: string
  keptWaiting: (id: string) => string
  // read
  notAFile: (reason: string) => string
  // replay
  notAnExport: (where: string) => string
  notFoldable: (detail: string) => string
  replayDifference: (seq: number, recorded: string, now: string) => string
  replayNothing: string
  /** The first so many events are of no record. */
  replayUnrecorded: (events: number) => string
  replayConfig: string
  replaySame: (decisions: number) => string
  replayDiffers: (decisions: number, differences: number) => string
  // doctor
  doctorOk: string
  doctorBad: (count: number) => string
  nodeOk: (version: string) => string
  workerdOk: (version: string) => string
  workerdBad: (detail: string) => string
  configOk: (file: string) => string
  bundledConfig: string
  dataOk: (folder: string) => string
  portFree: (port: number) => string
  portTaken: (port: number) => string
  serverOk: (url: string, version: string) => string
  serverDown: (url: string) => string
  modelOk: (alias: string) => string
  modelBuiltIn: string
  modelDown: (alias: string, origin: string) => string
  modelRefuses: (alias: string, status: number) => string
  modelUnpriced: (alias: string) => string
}
