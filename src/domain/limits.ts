import { ACCESS_LIMITS } from './access-limits.ts'
import { CLIENT_LIMITS } from './client-limits.ts'
import { MCP_LIMITS } from './mcp-limits.ts'
import { MODEL_LIMITS } from './model-limits.ts'
import { PART_LIMITS } from './part-limits.ts'
import { TRIGGER_LIMITS } from './trigger-limits.ts'
import { CALLBACK_LIMITS } from './callback-limits.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE
const KIB = 1_024
const MIB = 1_024 * KIB

/** Defaults of the limits that a session's config may set. Wire names: they are the interface. */
export const RUN_LIMIT_DEFAULTS = {
  max_iterations: 8,
  max_iterations_total: 200,
  errors_in_a_row_max: 16,
  repeats_max: 3,
  approval_ttl_ms: 7 * DAY,
  max_plan_rounds: 15,
  max_task_tool_calls: 15,
  max_parallel_tasks: 3,
  request_ms: 2 * MINUTE,
} as const

/** Every other limit of the product, by area. Each name ends in its unit; errors repeat the number. */
export const LIMITS = {
  /** The search of a tenant for sessions in progress whose alarm was lost. */
  sweep: {
    everyMs: 60 * MINUTE,
    /** Of those that were told of before, nothing is asked. */
    ageMsMax: 24 * 60 * MINUTE,
    /** Sessions that are asked at the same time, and by one sweep. */
    batchMax: 20,
    sessionsMax: 1_000,
    /** A run that gave no sign for so long is stuck. */
    stuckMs: 10 * MINUTE,
    /** Sessions that one call cancels, and those at the same time. */
    cancelMax: 100,
    cancelBatchMax: 10,
  },
  run: {
    /** Times that one move is started without an end before its run fails. */
    attemptsMax: 3,
    /** The alarm stands no further ahead while a run goes on: a run whose process died is taken up by then. */
    guardMs: 4 * SECOND,
    /** A run that goes on for so long is told to the list of sessions before it rests. */
    reportMs: 1_000,
    /** What could not be told, of a session that rests, is tried again after so long. */
    watchdogMs: 30 * SECOND,
    /** One alarm starts no new move after so long, and waits for no move longer (the platform ends it after 15 minutes). */
    backgroundBatchMs: 2 * MINUTE,
    alarmMs: 5 * MINUTE,
    /** Requests that the platform lets one invocation make, and the share of them after which it starts nothing new: what is under way
     *  may still make several. */
    subrequestsMax: 1_000,
    subrequestsShare: 0.5,
    /** Messages that wait for a run to end, and those that steer it and that its model was not told yet. */
    queuedMessagesMax: 100,
    steersMax: 100,
    /** Lines of work of one run. */
    scopesMax: 1_000,
    /** The longest cycle of turns that is seen as going in circles, and the turns that are remembered for it. */
    cycleTurnsMax: 6,
    trailTurnsMax: 60,
    /** The longest that a timer can be set for. */
    timerMsMax: 2_147_483_647,
    /** Moves of one run that are performed at the same time. */
    parallelMovesMax: 8,
  },
  plan: {
    /** Default of `deadline_ms` for runs that plan. */
    deadlineMs: 15 * MINUTE,
    /** Sub-tasks that one plan may have. */
    tasksMax: 50,
    /** Sub-tasks of one run: what is planned beyond is not run. */
    tasksTotalMax: 1_000,
    /** Share of the model's window that results may take in a request of the planner. */
    resultsShare: 0.5,
    /** Of a result, this much is repeated in each plan event. */
    repeatedResultChars: 200,
    /** Earlier questions and answers of the session that the planner is told, and how much of each. */
    earlierMessagesMax: 200,
    /** Addresses that a summary may name, and messages of one sub-task that are looked through for them. */
    sourcesMax: 50,
    sourceMessagesMax: 200,
    earlierAnswersMax: 5,
    earlierCharsMax: 2_000,
  },
  team: {
    rolesMax: 100,
    /** Teams within each other: a role's plan gives no work to another team. */
    depthMax: 1,
    actionsMax: 32,
    watchMax: 200,
    instructionCharsMax: 20_000,
    /** Default of `n_round`, and the most that it can be. */
    rounds: 5,
    roundsMax: 1_000,
    /** Messages that one role keeps as news, and those of a run that nobody heard; the oldest go. */
    newsMax: 256,
    unheardMax: 256,
    /** Messages in SessionData, and the UTF-16 units of all of them. */
    historyMax: 100,
    historyCharsMax: MIB,
    /** Share of the model's window that news may take in a request. */
    newsShare: 0.5,
    /** UTF-16 units of what a person is asked. */
    questionCharsMax: 20_000,
    /** Files that one output may hold. */
    filesMax: 100,
  },
  caution: {
    /** Messages that are looked through for an address, and how many at a time. */
    resultsMax: 400,
    messagesPerPage: 50,
    /** Hosts of the user's words that are remembered, and how much of a message is looked through for them. */
    namedHostsMax: 200,
    namedCharsMax: 200_000,
    taintSourcesMax: 20,
    /** Addresses and codes of one call that are looked for; a call with more of them asks. */
    soughtMax: 20,
  },
  http: {
    bodyBytesMax: MIB,
    /** Of a body that is too large, and so much of it is read before that is said. */
    droppedBytesMax: 128 * MIB,
    /** Of the entries of one page of a list, as JSON; the first is given whatever it has. */
    pageBytesMax: 4 * MIB,
    importBytesMax: 32 * MIB,
    jsonDepthMax: 32,
    /** An import holds what models wrote, a few levels down; logs of earlier releases, of any depth that a model thought of. */
    importDepthMax: 1_000,
    /** Places that are named in one problem. */
    issuesMax: 50,
    /** Messages that a client may bring along in one body. */
    messagesMax: 10_000,
    listDefault: 20,
    listMax: CLIENT_LIMITS.pageMax,
    /** Names and values of a request's headers. */
    headerBytesMax: 16 * KIB,
    /** For how long a browser may keep a file of a page, whose name changes with it. */
    assetSeconds: 31_536_000,
  },
  access: ACCESS_LIMITS,
  idempotency: {
    keyCharsMax: 255,
    keptMs: DAY,
    /** A stored answer of the stateless call; a longer one is computed again. */
    answerCharsMax: 4 * MIB,
    /** A stateless call that gave no sign for so long is taken for dead. */
    runningMsMax: 15 * MINUTE,
  },
  stream: {
    heartbeatMs: 10 * SECOND,
    eventsPerPull: 64,
    /** Newest events that stay in memory while somebody reads on; behind one with a longer text (UTF-16 units) they begin anew. */
    recentEventsMax: 64,
    recentTextCharsMax: 16 * KIB,
    retryMs: SECOND,
    /** An answer that is made in pieces is sent as a stream when it is longer. */
    wholeCharsMax: 256 * KIB,
    /** Deltas stay readable for so long after their message is written. */
    deltaKeptMs: MINUTE,
    deltaCharsMax: 4 * MIB,
  },
  store: {
    /** A longer text is kept in parts of this many UTF-16 units (a row holds 2 MB at most). */
    partCharsMax: 256 * KIB,
    /** Of one row. Source: limits of SQLite in Durable Objects. */
    rowBytesMax: 2_000_000,
    messagesPerPage: 100,
    /** Rows of one INSERT: as many as its 100 parameters allow. */
    rowsPerInsert: 14,
    /** Events of one row, so that to read one is not to read many. */
    eventsPerRow: 16,
    /** Events that are folded at a time, of a long log. */
    eventsPerFold: 1_000,
    /** The state of a session is written after so many events, beside the events themselves. */
    snapshotEventsMax: 64,
    /** Newest messages of a session that stay in memory while its object does. */
    recentMessagesMax: 512,
    /** Reports of sessions that come within this time are written together, or as many of them as wait at most. */
    reportGroupMs: 50,
    reportsPerGroup: 256,
    recentCharsMax: MIB,
  },
  transfer: {
    /** Of a document that comes or goes so much is held at a time, in UTF-16 units of JSON: it is written, or sent, and let go. */
    pageCharsMax: MIB,
    /** One value of a document: an event, a message, a result, a file in base64. */
    valueCharsMax: 16 * MIB,
    /** Events, and records, that are read at a time for a document that goes, and about how much of its lists is sent at a time. */
    eventsPerPage: 32,
    pieceChars: 64 * KIB,
    /** An import that gave no sign for so long died, and what it left is cleared away. How often another one of its id looks. */
    silentMs: 30 * SECOND,
    lookMs: 50,
  },
  text: {
    titleCharsMax: 200,
    titleFromTaskChars: 60,
    nameCharsMax: 200,
    instructionsCharsMax: 20_000,
    metadataKeysMax: 50,
    /** Of a session's metadata in all, as JSON. */
    metadataBytesMax: 16 * KIB,
    feedbackCharsMax: 20_000,
    contentCharsMax: MIB,
    directoryTaskChars: 2_000,
    /** Of each text of a run's error: as a log from elsewhere may bring it, and as lists show it. */
    errorCharsMax: 4_000,
    listedErrorChars: 500,
    /** Of the arguments of a call that waits, as JSON. */
    listedArgumentsChars: 16_384,
  },
  model: MODEL_LIMITS,
  parts: PART_LIMITS,
  usage: {
    /** Sums by run, day and model that a session keeps, and those of earlier runs among them when a new one begins. */
    rowsMax: 64,
    earlierRowsMax: 4,
    /** Aliases that a usage names as unpriced, and currencies of one run. */
    unpricedMax: 100,
    currenciesMax: 20,
    /** After so long a tenant's sums are kept by day, model and user alone. */
    sessionDays: 400,
  },
  memory: {
    /** UTF-16 units of the words of a round, each, and of those of a task. */
    textCharsMax: 32 * KIB,
    taskCharsMax: 4 * KIB,
    keyCharsMax: 100,
    valueCharsMax: 1_000,
    /** Of one user; the oldest go. */
    roundsMax: 10_000,
    tasksMax: 10_000,
    preferencesMax: 100,
    /** What a run is told of its user, each task and its result cut to so much, and the share of the model's window that all
     *  of it may take. */
    loadedRounds: 3,
    loadedTasks: 5,
    loadedTaskChars: 200,
    windowShare: 0.5,
    /** A run goes on without its user's memory after so long; a save is tried again later. */
    loadMs: 2 * SECOND,
    saveMs: 5 * SECOND,
    /** Runs that are saved in one call. */
    savedAtOnceMax: 20,
    /** Words of a search that are looked for. */
    queryCharsMax: 400,
    queryWordsMax: 32,
    /** Newest rounds that are ranked by how well they fit, when none holds all of the words. */
    rankedMax: 5_000,
    /** Rounds that `recall` gives, and how much of each text. */
    recallDefault: 5,
    recallMax: 20,
    recallTextChars: 1_000,
    recallOutputCharsMax: 6_000,
    recallOutputLinesMax: 100,
  },
  tool: {
    timeoutMs: MINUTE,
    outputCharsMax: 8_000,
    outputLinesMax: 500,
    /** So short a result is not held against the window of the model. */
    shortChars: 200,
    /** Of a text that is over its limits so much is looked through for what speaks of the task. */
    relevanceCharsMax: MIB,
    /** Tools that a session remembers to be approved, and what each says of itself; one that says more is asked about each time. */
    rememberedMax: 32,
    rememberedCharsMax: 16 * KIB,
    /** News of one call that watchers are told, and the text of each. */
    newsMax: 100,
    newsCharsMax: 500,
    /** A whole result that is kept for reading on. */
    keptCharsMax: 8 * MIB,
  },
  /** Tools that a caller brings along and runs itself. */
  clientTool: {
    /** Of one request, and what all of them take as JSON. */
    toolsMax: 128,
    bytesMax: 256 * KIB,
    descriptionCharsMax: 4_096,
    /** JSON of the parameters of one, and how deep they are. */
    schemaBytesMax: 64 * KIB,
    schemaDepthMax: 64,
    /** The longest id that a model is given. */
    idCharsMax: 64,
    /** A result, as text or as JSON, and what is said of a failure. */
    resultBytesMax: 768 * KIB,
    errorCharsMax: 20_000,
  },
  files: {
    /** UTF-16 units of a whole path, and the names in it. */
    pathCharsMax: 200,
    depthMax: 16,
    /** Of one session. */
    filesMax: 1_000,
    sessionBytesMax: 20 * MIB,
    fileBytesMax: 10 * MIB,
    partBytesMax: MIB,
    /** What one `read_file` gives; with its heading it stays within the output limit. */
    pageCharsMax: 4_400,
    pageLinesMax: 180,
    readCharsMax: 5_000,
    readLinesMax: 200,
    mapCharsMax: 10_000,
    mapLinesMax: 1_000,
    searchCharsMax: 6_000,
    searchLinesMax: 100,
    /** Hits that one search gives, and what is shown of the line of each. */
    hitsMax: 90,
    hitCharsMax: 200,
    /** A pattern, the states that it may have, what is looked at of a line, and the steps of one search. */
    patternCharsMax: 500,
    patternStatesMax: 2_000,
    patternDepthMax: 50,
    lineCharsMax: 20_000,
    searchStepsMax: 10_000_000,
    /** Bytes of a zip that are made at once. */
    zipSliceBytes: 256 * KIB,
  },
  door: {
    /** Histories of a tenant by which threads are found again; the oldest go, and those of this age. */
    historiesMax: 10_000,
    historyKeptMs: 30 * DAY,
    /** Names that are told where one is unknown. */
    namesMax: 100,
    /** Texts before which an answer is to end. */
    stopsMax: 4,
    stopCharsMax: 200,
    /** An id of a thread, or of something in one. */
    idCharsMax: 256,
    /** What is told of a plan or a team beside the answer. */
    noteCharsMax: 4_000,
    /** What a door keeps of a request in the log. */
    keptBytesMax: 64 * KIB,
    /** Of a response that is read back. */
    responseBytesMax: 32 * MIB,
  },
  request: {
    headersMax: 32,
    headerCharsMax: 4_096,
    bodyCharsMax: 256 * KIB,
    /** Text of an answer that is given or kept for reading on. */
    textCharsMax: MIB,
    secretCharsMax: 8_192,
  },
  skill: {
    /** A SKILL.md, or a skill as JSON. */
    fileBytesMax: 256 * KIB,
    /** The YAML of a SKILL.md: its keys are compared with each other. */
    frontMatterCharsMax: 16 * KIB,
    promptCharsMax: 100_000,
    /** The folder of a skill as a zip; what is in it, unpacked; and one of its files. */
    zipBytesMax: 4 * MIB,
    folderBytesMax: 4 * MIB,
    folderFileBytesMax: 512 * KIB,
    filesMax: 200,
    /** Entries of a zip, those too that are no files of the skill. */
    zipEntriesMax: 1_000,
    /** Paths of files that a prompt names. */
    filesListedMax: 50,
    descriptionCharsMax: 1_024,
    toolsMax: 100,
    inputsMax: 50,
    toolIterationsMax: 1_000,
    schemaCharsMax: 64 * KIB,
    /** Sections of a template within each other. */
    sectionDepthMax: 16,
    /** Skills of one tenant beside the shipped ones. */
    perTenantMax: 500,
    /** Skills that a prompt names, each with so much of its description. */
    listedMax: 50,
    listedDescriptionChars: { en: 50, 'zh-CN': 24 },
    /** Skills of a tenant that can be given sub-tasks at a time, and the text of all of them. */
    workersMax: 50,
    workersCharsMax: 400_000,
    /** Tenants whose skills are kept in memory. */
    tenantsKept: 1_000,
    /** The list of a tenant's skills is taken from memory for so long. */
    listKeptMs: 5 * SECOND,
    /** Times that an answer which does not fit the output schema is asked for again. */
    answerRetriesMax: 2,
    /** Places of an answer that are told to be wrong. */
    answerIssuesMax: 10,
    /** Schemas that are looked at for one value: of an answer, and of what a new schema is tried with. */
    schemaStepsMax: 100_000,
    probeStepsMax: 5_000,
    /** Repeats without an end in one pattern of a schema, and how much of a text is held against patterns. */
    patternRepeatsMax: 4,
    patternedCharsMax: 300,
    /** The example that is made of a schema. */
    exampleValuesMax: 300,
    exampleCharsMax: 4_000,
  },
  web: {
    timeoutMs: 15 * SECOND,
    bodyBytesMax: 5 * MIB,
    redirectsMax: 5,
    /** For a browser elsewhere to run the scripts of a page. */
    renderTimeoutMs: 30 * SECOND,
    /** A read that is lost so soon was lost with a connection that had been kept open; it is sent once more. */
    lostAtOnceMs: SECOND,
    urlCharsMax: 4_096,
    /** Text of a page that stays in the session's store, so that reading on needs no visit. */
    keptPageCharsMax: 8 * MIB,
    /** One result holds no more of a page, however high the limits of its tool are set. */
    pageOutputCharsMax: 100_000,
    pageOutputLinesMax: 5_000,
    /** Results of one search, and the words that ask for them. */
    searchResultsDefault: 8,
    searchResultsMax: 20,
    queryCharsMax: 400,
    searchBytesMax: MIB,
    searchOutputCharsMax: 6_000,
    searchOutputLinesMax: 100,
  },
  mcp: MCP_LIMITS,
  trigger: TRIGGER_LIMITS,
  callback: CALLBACK_LIMITS,
  client: CLIENT_LIMITS,
} as const

export type RunLimitName = keyof typeof RUN_LIMIT_DEFAULTS
