const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE
const KIB = 1_024
const MIB = 1_024 * KIB

/** Defaults of the limits that a session's config may set (api.md, "Session config"). Wire names: they are the interface. */
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
  run: {
    /** Times that one move is started without an end before its run fails. */
    attemptsMax: 3,
    /** A run whose driver gives no sign for so long is taken up by the next alarm. */
    watchdogMs: 30 * SECOND,
    /** One alarm starts no new move after so long (the platform ends an alarm after 15 minutes). */
    backgroundBatchMs: 2 * MINUTE,
    /** Messages that wait for a run to end. */
    queuedMessagesMax: 100,
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
  http: {
    bodyBytesMax: MIB,
    importBytesMax: 32 * MIB,
    jsonDepthMax: 32,
    /** Places that are named in one problem. */
    issuesMax: 50,
    /** Messages that a client may bring along in one body. */
    messagesMax: 10_000,
    listDefault: 20,
    listMax: 100,
    headerBytesMax: 16 * KIB,
  },
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
    messagesPerPage: 100,
    /** An active run's state is written after so many events, beside the events themselves. */
    snapshotEventsMax: 64,
    /** Newest messages of a session that stay in memory while its object does. */
    recentMessagesMax: 512,
    recentCharsMax: MIB,
  },
  text: {
    titleCharsMax: 200,
    titleFromTaskChars: 60,
    nameCharsMax: 200,
    instructionsCharsMax: 20_000,
    metadataKeysMax: 50,
    metadataValueCharsMax: 2_000,
    feedbackCharsMax: 20_000,
    contentCharsMax: MIB,
    directoryTaskChars: 2_000,
  },
  model: {
    timeoutMs: MINUTE,
    timeoutMsMax: 10 * MINUTE,
    maxTokens: 4_096,
    retryTimes: 3,
    /** Failures in a row after which an alias is left alone, and for how long. */
    breakerFailuresMax: 5,
    breakerOpenMs: MINUTE,
    retryDelayMs: 500,
    retryDelayMsMax: 30 * SECOND,
    replyCharsMax: 2 * MIB,
    errorExcerptChars: 300,
    errorBodyCharsMax: 64 * KIB,
    /** A connection is kept for so long after the last event of an answer, so that it can be used again. */
    lingerMs: 100,
    contextTokens: 32_000,
    callsPerReplyMax: 64,
    /** Addresses of one task that the built-in model reads. */
    builtInAddressesMax: 16,
    builtInContextTokens: 1_000_000,
    messagesPerCallMax: 400,
    /** As many messages are summarised however short they are, so that none is left out of a call unseen. */
    messagesUnfoldedMax: 300,
  },
  tool: {
    timeoutMs: MINUTE,
    outputCharsMax: 8_000,
    outputLinesMax: 500,
    /** A whole result that is kept for reading on. */
    keptCharsMax: 8 * MIB,
  },
  web: {
    timeoutMs: 15 * SECOND,
    bodyBytesMax: 5 * MIB,
    redirectsMax: 5,
    urlCharsMax: 4_096,
    /** Text of a page that stays in the session's store, so that reading on needs no visit. */
    keptPageCharsMax: MIB,
    /** Results of one search, and the words that ask for them. */
    searchResultsDefault: 8,
    searchResultsMax: 20,
    queryCharsMax: 500,
    searchBytesMax: MIB,
    searchOutputCharsMax: 6_000,
    searchOutputLinesMax: 100,
  },
  client: {
    /** A stream without a byte for so long is taken for broken: three heartbeats. */
    silenceMsMax: 30 * SECOND,
    /** Times in a row that a broken stream is taken up again without an event; the wait doubles up to 16-fold. */
    resumesMax: 5,
    resumeDelayMs: 250,
    eventCharsMax: 16 * MIB,
    /** Between two looks at a run whose move of the last batch is still under way, and how many of them. */
    busyDelayMs: SECOND,
    busyTriesMax: 600,
  },
} as const

export type RunLimitName = keyof typeof RUN_LIMIT_DEFAULTS
