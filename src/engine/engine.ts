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
  /** The workflows that a tenant can name, sorted by name. */
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
  /** MCP servers and APIs whose tools could not be loaded. */
  missing: readonly MissingServer[]
  /** The model that a session's config chooses, or one of its branches. */
  chooseModel(wish: ModelWish): ModelChoice
  /** Whether a client may name this address for its own model. Null: it may. */
  refuseAddress(url: string): Promise<string | null>
  /** Who is asked about calls of tools; null: nobody is. */
  hooks: ToolHooks | null
  /** Secrets of the config and connections, each for its origin. */
  secrets: readonly KnownSecret[]
  /** A fetch that refuses addresses of private networks: for files that a message names by their address. */
  fetchGuarded: GuardedFetch
  /** What is remembered of users; null: nothing is. */
  memory: MemoryOf | null
  /** What the tenant's budgets allow; null: nothing is kept of them. */
  budgets: BudgetPort | null
  /** What prompts name as the operating system. */
  runtime: string
  /** Engines with the settings of tenants in the place of the config's; absent: tenants cannot set anything. */
  tenants?: TenantEngines
}

/** The engines of tenants that have settings, and of users who have connections. Settings are read from the tenant's object and kept for some
 *  seconds. */
export interface TenantEngines {
  /** The engine by the settings that were read last. Where this isolate has never read any, by `last`, a copy that the session keeps. */
  of(party: TenantParty, last: HeldSettings | null): Engine
  /** The settings that were read last; null: the tenant has set nothing; undefined: this isolate has never read them. */
  held(tenant: string): HeldSettings | null | undefined
  /** Read the settings, unless those at hand are fresh; null: they are. */
  load(party: TenantParty): Promise<unknown> | null
  /** Read settings anew that will be too old before long, while others go on with those at hand; null: there is no need. */
  refresh(party: TenantParty): Promise<unknown> | null
  /** Have the next `load` read the settings anew. */
  forget(party: TenantParty): void
}

/** The log of a session, and the orchestrators whose events are in it. */
export interface LogContext {
  journal: Journal
  engine: Pick<Engine, 'orchestrators'>
}

export interface MoveContext extends LogContext {
  engine: Engine
}

/** What a step of an orchestrator works with. */
export interface StepContext extends MoveContext {
  /** A job that calls a model without tools: it reserves the call in the budgets, makes it, tries again, and settles it. */
  modelCall(call: ToollessCall, choice: ModelChoice): Job
  /** Ids of those calls that send out an address or a code which untrusted text may have made up; null: no untrusted text is in the context. */
  unseenCalls(calls: readonly ToolCall[]): Promise<string[]> | null
}

/** How moves of one kind are made. A step has `prepare`, if its moves take time: the job that it gives says what is written first, does the work and
 *  says what is written last. It has `settle`, if its moves only write events. */
export interface Step<M> {
  prepare?(move: M, context: StepContext): Job
  settle?(move: M, context: StepContext): NewEvent[] | Outcome | Promise<NewEvent[] | Outcome>
}

export type Steps = { readonly [K in keyof Moves]?: Step<MoveOf<K>> }

/** What decides who works in a branch, and with what: the server, the session, and the state of its run. */
export interface ExecutionContext {
  engine: Pick<Engine, 'config' | 'tools' | 'skills' | 'orchestrators' | 'hooks' | 'chooseModel'>
  record: Pick<SessionRecord, 'config' | 'skill' | 'team' | 'workers' | 'workerTeams' | 'remembered' | 'outputSchema'>
  state: Pick<SessionState, 'run'>
}

/** Pending items that stand for no call of a tool, such as a plan that a human is to approve. */
export interface ApprovalPart {
  /** Whether an item is one of these. */
  isOwn: (item: Pending) => boolean
  /** What is wrong with arguments that a human wrote. */
  issues: (args: Record<string, unknown>) => InputIssue[]
  /** The config in which such items are approved for the rest of the session. */
  remember: (config: SessionConfig) => SessionConfig
}

/** How sessions that have a team are checked and spoken to. Paths of issues are under `team`. */
export interface TeamPart {
  /** What is wrong with a team that a skill names or brings along. */
  givenIssues: (given: unknown, around: TeamSurroundings & { hasTeam(name: string): boolean }) => InputIssue[]
  /** Why this server cannot run a team that comes with an imported session. */
  issues: (engine: Engine, team: TeamSpec, session: Pick<NewSession, 'config'>) => InputIssue[]
  /** The rounds and the investment that the team has from here on. Fails where `given` does not fit the session. */
  bounds: (
    engine: Engine,
    record: SessionRecord,
    given: Pick<ContinueInput, 'n_round' | 'investment'>,
  ) => Result<TeamBounds>
  /** The events of a message that the user puts on the team's bus while the run goes on. */
  hear: (journal: Journal, said: TeamMessageInput) => NewEvent[]
}

/** A way in which a run goes on: one folder of src/orchestrators, and one line of the registry. `decide` and `reduce` are pure. Everything but
 *  `name` and `decide` may be left out; then a run behaves as that of the agent. */
export interface Orchestrator {
  name: OrchestratorName
  /** How it works, in a sentence for people who choose one. Absent for those that are `isBeside`. */
  description?: Localized
  decide: Decide
  /** What it does next in a branch that another orchestrator has given to it. */
  movesIn?: (branch: string, view: RunView) => Move[]
  /** The moves by which it makes a call of one of its tools (`Tool.isMove`); null: the tool is not one of its own. */
  movesForCall?: (call: OpenCall, view: RunView) => Move[] | null
  /** The result that such a call gets if the run fails while the call is open; null: the result that any other open call gets. */
  leftOpen?: (call: OpenCall, context: MoveContext) => string | null
  /** The moves that it makes beside those of the run's own orchestrator, and (`atEnd`) those that have to come before the run ends; null: it has
   *  nothing to do. */
  beside?: (view: RunView) => { moves: Move[]; atEnd: Move[] } | null
  /** How events change the part of the state that it keeps. */
  reduce?: Reducer
  /** How its own kinds of moves are made. */
  steps?: Steps
  /** The output of a run or a branch at its end. `code`: why it failed; null for a good end. */
  outcome?: (context: MoveContext, branch: string | null, code: string | null) => BranchOutcome
  /** What clients see of it in a session. */
  view?: (context: LogContext) => SessionPart
  /** How far its run is; null: it cannot tell. */
  progress?: (context: LogContext) => Progress | null
  /** What clients see of it in a branch. */
  viewIn?: (context: LogContext, branch: string) => BranchPart
  /** Whether everything that it has open in a branch waits for a human. */
  waits?: (context: LogContext, branch: string) => boolean

  /** Limits of its runs where neither the config nor the session sets others. */
  limits?: NonNullable<SessionConfig['limits']>
  /** It has a part in the runs of other orchestrators. No session can choose it. */
  isBeside?: true
  /** The main branch of its runs has an agent's prompt, which tells the model what is remembered of the user. */
  hasPrompt?: true
  /** It can run on a history that the caller keeps (POST /v1/agent). */
  isStateless?: true
  /** Its answers can be held to a JSON schema: one model writes the answer, and can be asked for it again. */
  fitsSchema?: true
  /** Whether a session that names no orchestrator means this one, because of its cast. */
  isImplied?: (cast: Cast) => boolean
  /** The team, workflow or workers that a new session gets for it. */
  cast?: (engine: Engine, tenant: string, input: NewSession, skill: SessionSkill | null) => Promise<Result<Cast>>
  /** What is wrong with a new session that has this orchestrator (`isChosen`), or another. */
  issues?: (input: NewSession, cast: Cast, isChosen: boolean) => InputIssue[]
  /** Whether its sub-tasks may be given to skills of the tenant, which have to be loaded then. */
  hasWorkers?: (record: SessionRecord) => boolean

  /** Who works in one of its branches; null: the branch is not its own. `executorOf`: who works in another branch. */
  executor?: (
    about: ExecutionContext,
    branch: string,
    executorOf: (branch: string | null) => Executor,
  ) => Executor | null
  /** The task of one of its branches, in words for the prompt; null: the task message as it stands. */
  taskText?: (context: LogContext, branch: string) => string | null
  /** Values for the prompt of the skill that works in one of its branches; null: only those that every skill gets. */
  inputs?: (context: LogContext, branch: string) => Record<string, SkillValue> | null
  /** When it has something to do without a message or decision (Unix ms), such as a step that waits; null: never. The run rests until then. */
  due?: (state: SessionState) => number | null
  /** The events of everything that is due by now. */
  dueEvents?: (state: SessionState, now: number) => NewEvent[]
  /** When something that is under way reaches its time limit, if the run stays active (Unix ms); null: nothing has a limit. */
  lateTime?: (run: RunState, limits: NonNullable<SessionConfig['limits']>, now: number) => number | null
  /** Take a sub-task of another orchestrator, or say, in words for a person, why it cannot. `value` null: the worker does the task as an agent. */
  takeTask?: (
    task: GivenTask,
    context: MoveContext,
  ) => Promise<{ ok: true; value: TakenTask | null } | { ok: false; error: string }>
  /** End one of its sub-tasks, or do it once more, as a human asked; null: it has none of this id. */
  changeTask?: (context: MoveContext, id: string, act: TaskAct, mode: RunMode) => Result<NewEvent[]> | null
  /** Do a declared step once more that has ended, and the steps that depend on it, even if the run is over; null: it has no declared steps. */
  retryStep?: (context: MoveContext, path: string, mode: RunMode) => Result<NewEvent[]> | null
  /** The status in which its run is over for good, so that `continue` is refused; null: the run may be continued. */
  notCarriedOn?: (context: LogContext) => string | null
  approvals?: ApprovalPart
  teams?: TeamPart

  /** The code of the reason for which it does not allow a model call in a branch, beside the limits of the run; null: it allows the call. */
  refusal?: (
    state: SessionState,
    branch: string | null,
    specs: readonly ModelSpec[],
    wanted: Reservation,
  ) => string | null
  /** Whether a model call that was refused may fit once other calls have ended. */
  mayFitLater?: (run: RunState, branch: string | null, code: string) => boolean
  /** Whether a model call that was refused ends only its branch, while other branches go on. */
  endsAlone?: (run: RunState, branch: string, code: string) => boolean
  /** What is wrong with a message that is to begin one of its runs. Absent: a task is words, and has no inputs. */
  taskIssues?: (record: SessionRecord, said: { words: string } & Pick<BegunTask, 'inputs'>) => InputIssue[]
  /** The events and bounds with which one of its runs begins. `before`: how the run before it was left. */
  begin?: (
    journal: Journal,
    said: BegunTask,
    before: 'cancelled' | 'ended',
  ) => { bounds: TeamBounds; events: NewEvent[] }
  /** Further events of a user's message that joins its run. `said`: the message as a model reads it. */
  steer?: (journal: Journal, said: string) => NewEvent[]
  /** Why no message can join its run; absent: one can. */
  hearsNothing?: string
  /** The events that close what it has open in a run that ends or is left. */
  close?: (context: LogContext, why: Closing) => NewEvent[]
  /** What is wrong with a skill that it is to run. `find`: finds a workflow by its name. */
  skillIssues?: (
    skill: SkillDefinition,
    find: (name: string) => Promise<WorkflowDefinition | null>,
  ) => Promise<InputIssue[]>
  /** The events that close what it has open in a branch that another orchestrator gave to it. */
  closeBranch?: (context: LogContext, branch: string) => NewEvent[]
}

/** All that there are, in the order of the registry. */
export interface Orchestrators {
  readonly all: readonly Orchestrator[]
  find: (name: string) => Orchestrator | undefined
  /** Throws where there is none of the name. */
  get: (name: string) => Orchestrator
  /** The reducer of all. Throws `NotLoaded` on an event of an orchestrator that is not loaded yet. */
  reduce: Reduce
  /** Whether an orchestrator of this name comes only with `load`. */
  isLater: (name: string) => boolean
  /** Load all that there are. Null: they are loaded. */
  load: () => Promise<void> | null
}
