import type { LoggedDelivery, Once } from '../callbacks/outbox.ts'
import type { KeyLimits, KeyPatch, MadeKey } from '../domain/access.ts'
import type { AwaitedAnswer, AwaitedEnd, Awaiter } from '../domain/awaited.ts'
import type { AuditAct, AuditEntry, Walked } from '../domain/audit.ts'
import type { CallbackPatch } from '../domain/callback-input.ts'
import type { Callback, Delivery, News } from '../domain/callback.ts'
import type { SessionEvent } from '../domain/event.ts'
import type { Result } from '../domain/errors.ts'
import type { EndedRun, Preference, Remembered, RememberedTask, Round } from '../domain/memory.ts'
import type { KeptConnection } from '../domain/connection.ts'
import type { FeedbackData, FeedbackInput } from '../domain/feedback.ts'
import type { FileData, FileQuery } from '../domain/file.ts'
import type { Account, BudgetLimits, BudgetRefusal, BudgetReservation, Period, Settlement } from '../domain/budget.ts'
import type { Link } from '../domain/link.ts'
import type { ClientCall, McpClient, McpPlace, NewClientCall, RpcId } from '../domain/mcp-session.ts'
import type { ApiCatalogue, ApiCatalogueHead, ApiSource } from '../domain/openapi-tools.ts'
import type { McpGrantChange, McpProbe, McpRedirect, McpReturnProof, McpServer } from '../domain/mcp.ts'
import type { Message } from '../domain/message.ts'
import type { ListedPending } from '../domain/pending.ts'
import type { PlacedTeamMessage } from '../domain/ports.ts'
import type { SessionPatch } from '../domain/session-input.ts'
import type { SessionSummary, ThreadLead } from '../domain/session.ts'
import type { SkillDefinition } from '../domain/skill.ts'
import type { Firing } from '../domain/start.ts'
import type { UsageRow, UserCounts, UserJob } from '../domain/user-job.ts'
import type { AskedJob, JobOrder } from '../memory/user-jobs.ts'
import type { Measure } from '../domain/telemetry.ts'
import type { ListedTask, TaskQuery } from '../domain/task-id.ts'
import type { Spent, UsageSum } from '../domain/usage.ts'
import type { Schedule, SchedulePatch } from '../domain/schedule.ts'
import type { HeldSettings, SettingsVersion } from '../domain/settings.ts'
import type { SecretRotation, Webhook, WebhookPatch, WebhookTest } from '../domain/webhook.ts'
import type { Cursor } from '../log/deltas.ts'
import type { MessagesPart, PlacedPart, RunPart, SessionText, ThreadStand, ThreadTurn, View } from '../session/call.ts'
import type { ReportAnswer, LastReport, SessionReport } from '../run/ports.ts'
import type { AuditTrail, SessionCommands, TenantMost, TenantRules, TenantTaken } from '../service/ports.ts'
import type { SessionHead } from '../session/queries/projection.ts'
import type { FileConditions, FileContent, PutFile, PutOptions } from '../session/workspace.ts'
import type { KeptCallback } from '../store/callbacks.ts'
import type { Claim, Claimed, StoredResponse } from '../store/claims.ts'
import type { DeliveryQuery } from '../store/delivery-log.ts'
import type { ExpiredPart } from '../audit/parts.ts'
import type { AuditFilter, AuditRow, ChainEnd, PlacedEntry } from '../store/audit.ts'
import type { SessionFilter, WaitingFilter } from '../store/directory.ts'
import type { NamedWorkflow, StoredWorkflow, WorkflowDefinition } from '../domain/workflow.ts'
import type { FolderFile } from '../skills/folder.ts'
import type { Kept } from '../store/skills.ts'
import type { UsageQuery } from '../store/usage.ts'
import type { MeasureRow } from '../store/metrics.ts'
import type { MemoryPage, MemoryQuery } from '../store/memory-rows.ts'
import type { StoredTrigger } from '../store/triggers.ts'
import type { Received, WebhookTrial } from '../triggers/deliveries.ts'
import type { Timed } from '../triggers/schedule-spec.ts'
import type { TriggerPage } from '../triggers/trigger-store.ts'

/** What a session's object answers over RPC: plain data and byte streams. */
export interface SessionApi extends SessionCommands {
  teamMessages(after: number, limit: number): Promise<Result<PlacedTeamMessage[]>>
  /** `view`: how a door shows it; absent: as SessionData in JSON. */
  read(part: MessagesPart, view?: View): Promise<Result<SessionText>>
  /** The session without its messages. */
  head(): Promise<Result<SessionHead>>
  patch(input: SessionPatch, ifMatch: string | null): Promise<Result<SessionText>>
  /** What a person says of an answer. */
  rate(messageId: string, input: FeedbackInput): Promise<Result<FeedbackData>>
  remove(ifMatch?: string | null): Promise<Result<null>>
  /** The ids of its sockets that are counted. */
  socketIds(): Promise<string[]>
  /** Another session wants to be told when the run of this one is over. */
  awaited(awaiter: Awaiter): Promise<AwaitedAnswer>
  /** The run of the session is over that this one waits for by an item. */
  told(item: string, end: AwaitedEnd): Promise<void>
  /** True: there was something to go on with that no alarm stood for. */
  takeUpIfLost(): Promise<boolean>
  /** Its process ended while it was open: go on with what is left to do. */
  takeUp(): Promise<void>
  export(atSeq: number | null, secrets: boolean): Promise<Result<ReadableStream<Uint8Array>>>
  /** The upgrade of a WebSocket. */
  fetch(request: Request): Promise<Response>
  messages(after: number, limit: number): Promise<Result<Message[]>>
  events(after: number, limit: number): Promise<Result<SessionEvent[]>>
  observe(from: Cursor, view?: View): Promise<Result<ReadableStream<Uint8Array>>>
  newestPart(): Promise<Result<Pick<RunPart, 'runId' | 'fromSeq'> | null>>
  run(part: RunPart, view: View): Promise<Result<ReadableStream<Uint8Array>>>
  openRun(view: View): Promise<Result<{ runId: string; body: ReadableStream<Uint8Array> } | null>>
  threadStand(): Promise<Result<ThreadStand>>
  threadTurns(): Promise<Result<ThreadTurn[]>>
  goOnIn(session: string, from: string): Promise<Result<string>>
  mayGoOnIn(lead: ThreadLead | null): Promise<Result<null>>
  withdraw(part: PlacedPart & { isAll: boolean }): Promise<Result<null>>
  result(callId: string): Promise<Result<string>>
  files(query: FileQuery): Promise<Result<FileData[]>>
  file(path: string): Promise<Result<FileContent>>
  filesZip(): Promise<Result<ReadableStream<Uint8Array>>>
  putFile(path: string, bytes: Uint8Array, options: PutOptions): Promise<Result<PutFile>>
  removeFile(path: string, conditions: FileConditions): Promise<Result<null>>
}

/** What a user's memory answers over RPC. */
export interface MemoryApi {
  load(sessionId: string): Promise<Remembered>
  save(user: string, runs: readonly EndedRun[]): Promise<void>
  search(query: string, count: number): Promise<Round[]>
  put(user: string, preference: Preference): Promise<void>
  /** Null: there is none. */
  preference(key: string): Promise<Preference | null>
  preferences(query: MemoryQuery): Promise<MemoryPage<Preference>>
  /** False: there was none. */
  remove(key: string): Promise<boolean>
  rounds(query: MemoryQuery): Promise<MemoryPage<Round>>
  tasks(query: MemoryQuery): Promise<MemoryPage<RememberedTask>>
  clear(): Promise<void>
  /** Begin a job on all that there is of the user, unless one is there. */
  askJob(order: JobOrder): Promise<AskedJob>
  /** Newest first. */
  jobs(): Promise<UserJob[]>
  /** Null: there is no such export, any more or yet. */
  readExport(id: string): Promise<ReadableStream<Uint8Array> | null>
}

/** Who may do what in a tenant, and how much of it. */
export interface AccessApi extends TenantRules {
  /** `done`: kept with the key. */
  putKey(key: MadeKey, hash: string, done: StoredResponse | null): Promise<Kept>
  apiKey(id: string): Promise<{ key: MadeKey; remaining: KeyLimits } | null>
  /** Newest first, those older than the cursor. */
  apiKeys(cursor: string | undefined, limit: number): Promise<MadeKey[]>
  patchKey(id: string, patch: KeyPatch): Promise<MadeKey | null>
  /** False: there was none. */
  revokeKey(id: string): Promise<boolean>
  /** Hold what a model call may take, once under its id; null: it may be made. */
  reserveBudget(hold: BudgetReservation): Promise<BudgetRefusal | null>
  settleBudget(id: string, spent: Settlement): Promise<void>
  /** Let a user spend more in these periods; `done`: kept with that. */
  creditUser(user: string, periods: readonly Period[], amounts: Settlement, done: StoredResponse | null): Promise<void>
  /** What an account was topped up by, and what is left of its budgets. */
  budgetStand(account: Account): Promise<{ credit: BudgetLimits; remaining: BudgetLimits }>
  /** What is left of the budgets of these accounts. */
  remainingBudgets(accounts: readonly Account[]): Promise<BudgetLimits[]>
  /** The proof that the token of this new link needs; `done`: kept with it. Null: there are as many as there may be. */
  mintLink(link: Link, done: StoredResponse | null): Promise<string | null>
  /** Newest first, those older than the cursor. */
  sessionLinks(sessionId: string, cursor: string | undefined, limit: number): Promise<Link[]>
  /** False: the session has no such link. */
  revokeLink(sessionId: string, id: string): Promise<boolean>
  /** Make every link of the tenant worthless. */
  rotateLinks(): Promise<void>
}

/** What a tenant's triggers answer over RPC. `request`: the key under which the same may come again. */
export interface TriggerApi {
  addWebhook(tenant: string, webhook: Webhook, request: string | null): Promise<Result<Webhook>>
  webhook(id: string): Promise<Result<Webhook>>
  /** Newest first. */
  webhooks(page: TriggerPage): Promise<Webhook[]>
  patchWebhook(id: string, patch: WebhookPatch): Promise<Result<Webhook>>
  rotateWebhook(id: string, rotation: SecretRotation, request: string | null): Promise<Result<Webhook>>
  removeWebhook(id: string): Promise<Result<null>>
  /** Newest first. */
  deliveries(id: string, page: TriggerPage): Promise<Result<Firing[]>>
  testWebhook(id: string, test: WebhookTest, request: string | null): Promise<Result<WebhookTrial>>
  receive(id: string, headers: Readonly<Record<string, string>>, bytes: Uint8Array): Promise<Result<Received>>
  addSchedule(tenant: string, schedule: Timed, request: string | null): Promise<Result<StoredTrigger<Schedule>>>
  schedule(id: string): Promise<Result<StoredTrigger<Schedule>>>
  /** Newest first. */
  schedules(page: TriggerPage): Promise<StoredTrigger<Schedule>[]>
  patchSchedule(id: string, patch: SchedulePatch): Promise<Result<StoredTrigger<Schedule>>>
  removeSchedule(id: string): Promise<Result<null>>
  /** Newest first. */
  scheduledRuns(id: string, page: TriggerPage): Promise<Result<Firing[]>>
  /** A run that is not waited for. */
  startSchedule(id: string, request: string | null): Promise<Result<Firing>>
}

/** What a tenant's directory answers over RPC. */
export interface DirectoryApi extends AccessApi {
  /** Of the one object that keeps the secret of the server. */
  serverSecret(): Promise<string>
  /** Since when (Unix ms) the tenant has callbacks; null: it has none. */
  /** `shards`: over how many the lists of the tenant are taken to be spread. */
  put(tenant: string, report: SessionReport, shards?: number): Promise<number | null | ReportAnswer>
  /** Have written what sessions reported: the server is about to end. */
  settle(): Promise<void>
  /** Over how many they are for good: as many as are wanted, where there is nothing yet. */
  fixShards(wanted: number): Promise<number>
  /** The list of another directory tells how a session stands that has a place. */
  reportRun(session: string, isInProgress: boolean): Promise<void>
  /** The list of another directory has forgotten a session: so does this one, of its links and places. */
  forgetSession(id: string): Promise<void>
  remove(tenant: string, id: string, left: LastReport): Promise<number | null>
  /** Bring to the audit what was told of it. */
  forwardActs(tenant: string): Promise<void>
  claim(wanted: Claim): Promise<Claimed>
  /** A call that holds a key goes on. */
  renewRunning(key: string): Promise<void>
  /** Whether it has a session of this id. */
  lists(id: string): Promise<boolean>
  noteCallbacks(are: boolean): Promise<void>
  spend(spent: Spent): Promise<void>
  usage(query: UsageQuery): Promise<{ data: UsageSum[]; nextCursor: string | null }>
  /** What was spent in a user's name, row by row. */
  usageOfUser(
    user: string,
    cursor: string | null,
    limit: number,
  ): Promise<{ data: UsageRow[]; nextCursor: string | null }>
  /** Take a user's name from what was spent, with the links that it made; how many that were. */
  forgetUser(user: string): Promise<Pick<UserCounts, 'links' | 'usage_rows'>>
  /** What there is, or is being made, of what is bounded. */
  taken(max: TenantMost): Promise<TenantTaken>
  takeSession(id: string, max: TenantMost, elsewhere?: TenantTaken): Promise<'taken' | 'sessions' | 'bytes'>
  sessionCounts(): Promise<{ status: string; count: number }[]>
  tasks(query: TaskQuery): Promise<{ tasks: ListedTask[]; total: number }>
  list(filter: SessionFilter, shards?: number): Promise<{ data: SessionSummary[]; nextCursor: string | null }>
  waiting(filter: WaitingFilter): Promise<ListedPending[]>
  /** Until when (Unix ms) the runs of sessions hold a place of a key; those that hold none are left out. */
  leases(sessions: readonly string[]): Promise<Record<string, number>>
  skill(name: string): Promise<SkillDefinition | null>
  /** Those behind a name, without their prompts. */
  skills(after: string, limit: number): Promise<Omit<SkillDefinition, 'prompt'>[]>
  skillSummaries(limit: number): Promise<Pick<SkillDefinition, 'name' | 'description'>[]>
  /** Skills that can be given sub-tasks. */
  workerSkills(limit: number): Promise<SkillDefinition[]>
  /** `done`: kept with what is made. */
  /** `files`: those of its folder; null: as they were. */
  putSkill(
    skill: SkillDefinition,
    mayReplace: boolean,
    files?: readonly FolderFile[] | null,
    done?: StoredResponse | null,
  ): Promise<Kept>
  skillFile(name: string, path: string): Promise<Uint8Array | null>
  skillFiles(name: string): Promise<FolderFile[]>
  /** False: there was none. */
  removeSkill(name: string): Promise<boolean>
  /** `version` null: the newest. */
  workflow(name: string, version: number | null): Promise<StoredWorkflow | null>
  /** The newest version of each, those behind a name. */
  workflows(after: string, limit: number): Promise<StoredWorkflow[]>
  /** Newest first. */
  workflowNames(): Promise<NamedWorkflow[]>
  workflowVersions(name: string): Promise<StoredWorkflow[]>
  putWorkflow(definition: WorkflowDefinition, mayReplace: boolean, done?: StoredResponse | null): Promise<Kept>
  /** False: there was none. */
  removeWorkflow(name: string): Promise<boolean>
  /** What runs need to know of the tenant. `known`: the version of settings that the asker has; then they are not told again. */
  snapshot(known: number): Promise<{
    servers: McpServer[]
    settings: HeldSettings | 'known' | null
    connections: KeptConnection[]
    /** Whether any of its users ever had some. */
    hasUserConnections: boolean
  }>
  /** `user` null: the tenant's own. */
  connections(user: string | null): Promise<KeptConnection[]>
  putConnection(connection: KeptConnection, mayReplace: boolean, done?: StoredResponse | null): Promise<Kept>
  /** False: there was none. */
  removeConnection(
    name: string,
    user: string | null,
  ): Promise<{ isRemoved: boolean; grants: { holder: string; text: string }[] }>
  /** `version` null: the newest. Null: there is none. */
  settings(version: number | null): Promise<SettingsVersion | null>
  /** Newest first, those before a version. */
  settingsVersions(before: number | null, limit: number): Promise<SettingsVersion[]>
  /** False: another change was there first. */
  putSettings(given: SettingsVersion, done?: StoredResponse | null): Promise<boolean>
  mcpServers(): Promise<McpServer[]>
  putMcpServer(server: McpServer, mayReplace: boolean, done?: StoredResponse | null): Promise<Kept>
  /** False: there was none. */
  removeMcpServer(name: string): Promise<boolean>
  mcpProbe(name: string): Promise<McpProbe | null>
  keepMcpProbe(name: string, probe: McpProbe): Promise<void>
  apis(): Promise<ApiSource[]>
  putApi(source: ApiSource, catalogue: ApiCatalogue, mayReplace: boolean, done?: StoredResponse | null): Promise<Kept>
  /** False: there was none. */
  removeApi(name: string): Promise<boolean>
  apiCatalogue(name: string): Promise<ApiCatalogue | null>
  /** By name. */
  apiCatalogueHeads(): Promise<Record<string, ApiCatalogueHead>>
  keepApiCatalogue(name: string, catalogue: ApiCatalogue): Promise<void>
  mcpGrant(server: string): Promise<string | null>
  /** False: another one is there already. */
  keepMcpGrant(server: string, change: McpGrantChange): Promise<boolean>
  /** False: it is being refreshed, or another than `from` by now. */
  leaseMcpGrant(server: string, from: string): Promise<boolean>
  keepMcpRedirect(redirect: McpRedirect): Promise<void>
  /** Null: none is awaited. `other`: not who shows this. */
  takeMcpRedirect(state: string, proof: McpReturnProof): Promise<McpRedirect | 'other' | null>
}

/** What a tenant's audit answers over RPC. */
export interface AuditApi extends AuditTrail {
  add(acts: readonly AuditAct[]): Promise<void>
  list(cursor: string | null, filter: AuditFilter, limit: number): Promise<AuditEntry[]>
  page(after: number, filter: AuditFilter): Promise<PlacedEntry[]>
  walk(after: number): Promise<Walked>
  /** What an older part of it is asked, which is an object of the same class. */
  keepPart(before: ChainEnd, rows: readonly AuditRow[]): Promise<void>
  partBefore(seq: number | null, filter: AuditFilter, limit: number): Promise<PlacedEntry[]>
  partPage(after: number, filter: AuditFilter): Promise<PlacedEntry[]>
  seqInPart(id: string): Promise<number | null>
  expirePart(before: number): Promise<ExpiredPart>
  dropPart(): Promise<void>
}

/** What a tenant's counters answer over RPC. */
export interface MetricsApi {
  add(measures: readonly Measure[]): Promise<void>
  read(): Promise<MeasureRow[]>
}

/** What a tenant's outbox answers over RPC. `key`: of a request that may come again; what it did is then answered again. */
export interface OutboxApi {
  put(news: readonly News[]): Promise<void>
  forget(sessionId: string): Promise<void>
  create(callback: Callback, key: string | null): Promise<Result<Once<KeptCallback>>>
  /** Newest first, those before the id. */
  list(before: string | null, limit: number): Promise<KeptCallback[]>
  get(id: string): Promise<Result<KeptCallback>>
  patch(id: string, patch: CallbackPatch): Promise<Result<KeptCallback>>
  rotate(id: string, secret: string, key: string | null): Promise<Result<Once<KeptCallback>>>
  remove(id: string): Promise<Result<null>>
  deliveries(id: string, query: DeliveryQuery): Promise<Result<Delivery[]>>
  delivery(id: string, of: string): Promise<Result<LoggedDelivery>>
  retry(id: string, of: string, key: string | null): Promise<Result<Once<LoggedDelivery>>>
  sendTest(id: string, key: string | null): Promise<Result<Once<LoggedDelivery>>>
  putPush(callback: Callback & Required<Pick<Callback, 'push'>>): Promise<Result<null>>
  pushes(sessionId: string): Promise<Callback[]>
  removePush(id: string): Promise<boolean>
}

/** What the session of an MCP client answers over RPC. `owner`: the principal that began it; to another there is none. */
export interface McpSessionApi {
  open(owner: string, client: McpClient): Promise<void>
  /** Null: there is no such session. `call`: its number, where one came. */
  enter(owner: string, call: NewClientCall | null): Promise<{ client: McpClient; call: number | null } | null>
  /** Which run a call began. `isCancelled`: it was taken back before. */
  place(n: number, place: McpPlace): Promise<{ isCancelled: boolean }>
  find(by: { n: number } | { rpc: RpcId }): Promise<ClientCall | null>
  /** Its user decided nothing. */
  putOff(n: number): Promise<void>
  /** The call is not wanted any more; null: none that is kept. */
  takeBack(rpc: RpcId): Promise<ClientCall | null>
  end(): Promise<void>
}
