import type { BudgetPort } from '../domain/budget.ts'
import type { ModelWish, SessionConfig } from '../domain/config.ts'
import type { InputIssue, Result } from '../domain/errors.ts'
import type { NewEvent, RunMode, TeamBounds } from '../domain/event.ts'
import type { Language, Localized } from '../domain/language.ts'
import type { McpWorker, MissingServer } from '../domain/mcp.ts'
import type { MemoryOf } from '../domain/memory.ts'
import type { ToolCall } from '../domain/message.ts'
import type { ModelChoice, Models, ModelSpec } from '../domain/model.ts'
import type { Pending } from '../domain/pending.ts'
import type { ServerConfig } from '../domain/server-config.ts'
import type { OrchestratorName } from '../domain/run.ts'
import type { SessionRecord } from '../domain/session.ts'
import type { ContinueInput, NewSession } from '../domain/session-input.ts'
import type { HeldSettings } from '../domain/settings.ts'
import type { SessionSkill, SkillDefinition, SkillValue } from '../domain/skill.ts'
import type { OpenCall, Reservation, RunState, SessionState } from '../domain/state.ts'
import type { TeamFile, TeamMessageInput, TeamSpec, TeamSurroundings } from '../domain/team.ts'
import type { Tool } from '../domain/tool.ts'
import type { NamedWorkflow, StoredWorkflow, WorkflowDefinition } from '../domain/workflow.ts'
import type { McpRegistry } from '../mcp/registry.ts'
import type { ApiRegistry } from '../openapi-tools/registry.ts'
import type { KnownSecret } from '../net/secrets.ts'
import type { GuardedFetch } from '../net/outcome.ts'
import type { ApiPorts } from '../tools/openapi/tool.ts'
import type { ToolHooks } from '../callbacks/tool-hooks.ts'
import type { SkillRegistry } from '../skills/registry.ts'
import type { Journal } from '../log/journal.ts'
import type { Reduce, Reducer } from '../log/reduce/reducer.ts'
import type { Job, Outcome, ToollessCall } from './job.ts'
import type { Decide, Move, MoveOf, Moves, RunView } from './move.ts'
import type {
  BegunTask,
  BranchOutcome,
  BranchPart,
  Cast,
  Closing,
  Executor,
  GivenTask,
  Progress,
  SessionPart,
  TakenTask,
  TaskAct,
  TenantParty,
} from './work.ts'

/** What every session of a server shares: its config, its models and its tools. */
export interface Engine {
  config: ServerConfig
  models: Models
  /** All tools that exist, switched off ones too. */
  tools: readonly Tool[]
  skills: SkillRegistry
  /** The teams that come with the product. */
  teams: () => Promise<readonly TeamFile[]>
  /** A workflow of a tenant, or one that comes with the product, in words of a language: its newest version. Null: there is none. */
  workflows: (tenant: string, name: string, language: Language) => Promise<StoredWorkflow | null>
  /** Those that a tenant can name, by name. */
  namedWorkflows: (tenant: string | null, language: Language) => Promise<NamedWorkflow[]>
  /** The MCP servers that there are. */
  mcp: McpRegistry
  /** The APIs whose operations are tools, and the way to these. */
  apis: ApiRegistry
  apiPorts: ApiPorts
  /** MCP servers and APIs that can be given a branch. */
  workers: readonly McpWorker[]
  /** The ways in which a run can go on. */
  orchestrators: Orchestrators
  /** MCP servers and APIs whose tools are not there. */
  missing: readonly MissingServer[]
  /** The model that a session's config chooses, or one of its branches. */
  chooseModel(wish: ModelWish): ModelChoice
  /** Whether a client may name this address for its own model. Null: it may. */
  refuseAddress(url: string): Promise<string | null>
  /** Who is asked about calls of tools; null: nobody is. */
  hooks: ToolHooks | null
  /** Secrets of the config and connections, each for its origin. */
  secrets: readonly KnownSecret[]
  /** The guarded way out, for what a message brings along by its address. */
  fetchGuarded: GuardedFetch
  /** What is remembered of users; null: nothing is. */
  memory: MemoryOf | null
  /** What the tenant's budgets allow; null: nothing is kept of them. */
  budgets: BudgetPort | null
  /** Shown to the model as its operating system. */
  runtime: string
  /** What tenants have set in the place of the config; absent: nobody can. */
  tenants?: TenantEngines
}

/** The engine as it holds for tenants that have set something, and for users who have connections. */
export interface TenantEngines {
  /** By what was read lately; where nothing ever was, by `last`. */
  of(party: TenantParty, last: HeldSettings | null): Engine
  /** What was read lately; null: the tenant has set nothing; undefined: nothing ever was. */
  held(tenant: string): HeldSettings | null | undefined
  /** Have at hand what holds now; null: it is. */
  load(party: TenantParty): Promise<unknown> | null
  /** Read anew, beside those who use it, what will be too old before long; null: there is no need. */
  refresh(party: TenantParty): Promise<unknown> | null
  /** What was read lately does not count any more. */
  forget(party: TenantParty): void
}

/** A log, and who can read it. */
export interface LogContext {
  journal: Journal
  engine: Pick<Engine, 'orchestrators'>
}

export interface MoveContext extends LogContext {
  engine: Engine
}

/** What a step is handed beside the log and the engine. */
export interface StepContext extends MoveContext {
  /** One call of a model without tools: held against the budgets, made, tried again, and settled. */
  modelCall(call: ToollessCall, choice: ModelChoice): Job
  /** Ids of calls that send out what untrusted text may have had made; null: nothing untrusted is in the context. */
  unseenCalls(calls: readonly ToolCall[]): Promise<string[]> | null
}

/** How moves of one kind are made: `prepare` of one that takes time (its job says what is written before, performs it, and settles it),
 *  `settle` of one that is only written. */
export interface Step<M> {
  prepare?(move: M, context: StepContext): Job
  settle?(move: M, context: StepContext): NewEvent[] | Outcome | Promise<NewEvent[] | Outcome>
}

export type Steps = { readonly [K in keyof Moves]?: Step<MoveOf<K>> }

/** Whose work it is. */
export interface ExecutionContext {
  engine: Pick<Engine, 'config' | 'tools' | 'skills' | 'orchestrators' | 'hooks' | 'chooseModel'>
  record: Pick<SessionRecord, 'config' | 'skill' | 'team' | 'workers' | 'workerTeams' | 'remembered' | 'outputSchema'>
  state: Pick<SessionState, 'run'>
}

/** A pending item that is no call of a tool, and whose it is. */
export interface ApprovalPart {
  isOwn: (item: Pending) => boolean
  /** What is wrong with arguments that a human wrote. */
  issues: (args: Record<string, unknown>) => InputIssue[]
  /** The config in which such items are approved for the rest of the session. */
  remember: (config: SessionConfig) => SessionConfig
}

/** What a session's team is to whoever runs it. Paths of issues are under `team`. */
export interface TeamPart {
  /** What is wrong with a team that a skill names or brings along. */
  givenIssues: (given: unknown, around: TeamSurroundings & { hasTeam(name: string): boolean }) => InputIssue[]
  /** What is wrong here with a team that another server kept. */
  issues: (engine: Engine, team: TeamSpec, session: Pick<NewSession, 'config'>) => InputIssue[]
  /** What the team may spend from here on. */
  bounds: (
    engine: Engine,
    record: SessionRecord,
    given: Pick<ContinueInput, 'n_round' | 'investment'>,
  ) => Result<TeamBounds>
  /** What a message of the user writes while the run is not over. */
  hear: (journal: Journal, said: TeamMessageInput) => NewEvent[]
}

/** A way in which a run goes on: one folder of src/orchestrators, and one line of its registry. `decide` and, where there is state,
 *  `reduce` are pure. What is not given is as for an agent. */
export interface Orchestrator {
  name: OrchestratorName
  /** How it works, for people who choose. One that is `isBeside` needs none. */
  description?: Localized
  decide: Decide
  /** The same in a branch that another orchestrator gives it. */
  movesIn?: (branch: string, view: RunView) => Move[]
  /** What a call of a tool needs whose calls are moves of its own (`Tool.isMove`); null: it is not its tool. */
  movesForCall?: (call: OpenCall, view: RunView) => Move[] | null
  /** What a call of such a tool is told that is open when its run comes to a bound; null: what any other is told. */
  leftOpen?: (call: OpenCall, context: MoveContext) => string | null
  /** What goes on beside the loop of a run that is another's, and what is to be done with it before that run ends; null: nothing does. */
  beside?: (view: RunView) => { moves: Move[]; atEnd: Move[] } | null
  /** What its events, and those of others, change in what it keeps. */
  reduce?: Reducer
  /** Its own moves. */
  steps?: Steps
  /** What a run or a branch leaves at its end. `code`: why it failed; null for a good end. */
  outcome?: (context: MoveContext, branch: string | null, code: string | null) => BranchOutcome
  view?: (context: LogContext) => SessionPart
  progress?: (context: LogContext) => Progress | null
  viewIn?: (context: LogContext, branch: string) => BranchPart
  /** Whether all that it has open in a branch waits for a human. */
  waits?: (context: LogContext, branch: string) => boolean

  /** Bounds of its runs that hold where nobody says others. */
  limits?: NonNullable<SessionConfig['limits']>
  /** It has a part in runs of others, and no run of its own. */
  isBeside?: true
  /** Its own line of work is an agent's: the prompt of that tells what is remembered of the user. */
  hasPrompt?: true
  /** Runs on a history that its caller keeps. */
  isStateless?: true
  /** Its answer can be held to a schema: one model writes it, and is asked again. */
  fitsSchema?: true
  /** Whether it is meant where a session names none. */
  isImplied?: (cast: Cast) => boolean
  /** Whom it is cast with. */
  cast?: (engine: Engine, tenant: string, input: NewSession, skill: SessionSkill | null) => Promise<Result<Cast>>
  /** What is wrong with a session that is to go on by it (`isChosen`), or by another. */
  issues?: (input: NewSession, cast: Cast, isChosen: boolean) => InputIssue[]
  /** Whether skills of the tenant may work for it. */
  hasWorkers?: (record: SessionRecord) => boolean

  /** Who does a branch of its own; null: it is none. `executorOf`: who does another. */
  executor?: (
    about: ExecutionContext,
    branch: string,
    executorOf: (branch: string | null) => Executor,
  ) => Executor | null
  /** What a branch of its own is to do, in words for the prompt; null: its task as it was said. */
  taskText?: (context: LogContext, branch: string) => string | null
  /** What fills the prompt of the skill that does a branch of its own; null: nothing beside what all skills are given. */
  inputs?: (context: LogContext, branch: string) => Record<string, SkillValue> | null
  /** When it has something to do though nobody said anything (Unix ms); null: never. Such a run rests until then. */
  due?: (state: SessionState) => number | null
  /** What it writes of all that is due by now. */
  dueEvents?: (state: SessionState, now: number) => NewEvent[]
  /** When something of it that is under way will have taken too long, should its run stay active (Unix ms); null: nothing will. */
  lateTime?: (run: RunState, limits: NonNullable<SessionConfig['limits']>, now: number) => number | null
  /** Take a sub-task of another, or say, for a person, why it cannot; null: its worker does it alone. */
  takeTask?: (
    task: GivenTask,
    context: MoveContext,
  ) => Promise<{ ok: true; value: TakenTask | null } | { ok: false; error: string }>
  /** End one sub-task of its own, or do it once more; null: it has none of this id. */
  changeTask?: (context: MoveContext, id: string, act: TaskAct, mode: RunMode) => Result<NewEvent[]> | null
  /** Do a declared step once more that has ended, with all that goes by it, though the run is over; null: it has no steps. */
  retryStep?: (context: MoveContext, path: string, mode: RunMode) => Result<NewEvent[]> | null
  /** Why a run that failed is not carried on, as the status that it has; null: it may be. */
  notCarriedOn?: (context: LogContext) => string | null
  approvals?: ApprovalPart
  teams?: TeamPart

  /** Why a call may not be made for it, beside what bounds the run; null: it may. */
  refusal?: (
    state: SessionState,
    branch: string | null,
    specs: readonly ModelSpec[],
    wanted: Reservation,
  ) => string | null
  /** Whether a call that was refused may fit once others that are under way have ended. */
  mayFitLater?: (run: RunState, branch: string | null, code: string) => boolean
  /** Whether a call that was refused ends its branch alone, and the others finish. */
  endsAlone?: (run: RunState, branch: string, code: string) => boolean
  /** What is wrong with a message that is to begin a run of it. Absent: it takes words alone. */
  taskIssues?: (record: SessionRecord, said: { words: string } & Pick<BegunTask, 'inputs'>) => InputIssue[]
  /** What a new task of the user is for it, and what it may spend. */
  begin?: (
    journal: Journal,
    said: BegunTask,
    before: 'cancelled' | 'ended',
  ) => { bounds: TeamBounds; events: NewEvent[] }
  /** What a message of the user that joins its run writes beside itself; `said`: it as a model is told it. */
  steer?: (journal: Journal, said: string) => NewEvent[]
  /** Why no message joins its run; absent: one may. */
  hearsNothing?: string
  close?: (context: LogContext, why: Closing) => NewEvent[]
  /** What is wrong with a skill that it is to run; `find`: the workflow of a name. */
  skillIssues?: (
    skill: SkillDefinition,
    find: (name: string) => Promise<WorkflowDefinition | null>,
  ) => Promise<InputIssue[]>
  /** What it has open in a branch that was given to it, and is closed. */
  closeBranch?: (context: LogContext, branch: string) => NewEvent[]
}

/** All that there are, in the order of the registry. */
export interface Orchestrators {
  readonly all: readonly Orchestrator[]
  find: (name: string) => Orchestrator | undefined
  /** Throws where there is none of the name. */
  get: (name: string) => Orchestrator
  /** Throws `NotLoaded` on a log in which one has a part that is not there yet. */
  reduce: Reduce
  /** Whether it is there once all were loaded, and not before. */
  isLater: (name: string) => boolean
  /** Have all there that there are. Null: they are. */
  load: () => Promise<void> | null
}
