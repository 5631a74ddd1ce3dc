const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const KIB = 1_024

/** Limits of a run, of the search for runs that lost their alarm, and of what the model waits for. */
export const RUN_LIMITS = {
  /** The search of a tenant for sessions whose alarm was lost. */
  sweep: {
    everyMs: 60 * MINUTE,
    /** Of those in progress that were told of before, nothing is asked. */
    ageMsMax: 24 * 60 * MINUTE,
    /** One that rests is asked when it should have gone on so long ago. */
    overdueMs: 2 * MINUTE,
    /** Sessions that are asked at the same time, and by one sweep of those in progress, as of those that rest. */
    batchMax: 20,
    sessionsMax: 1_000,
    /** Until the next one, which goes on where a sweep stopped that had asked as many. */
    restMs: MINUTE,
    /** A run that gave no sign for so long is stuck. */
    stuckMs: 10 * MINUTE,
    /** Sessions that one call cancels, and those at the same time. */
    cancelMax: 100,
    cancelBatchMax: 10,
  },
  /** What the model waits for by tools of its own: a time, a delivery, the answer to a form. */
  wait: {
    msMax: 366 * DAY,
    /** How long a delivery or a session is waited for where the call names no time. */
    keyMsMax: 30 * DAY,
    /** Sessions that wait for one, and the characters that they are told of its answer. */
    awaitersMax: 100,
    answerCharsMax: 100_000,
    reasonCharsMax: 500,
    sessionIdCharsMax: 64,
    /** What the model is shown of what came; the log has the whole. */
    deliveredCharsMax: 16_000,
    /** Sessions that one delivery wakes. */
    wokenMax: 20,
    formBytesMax: 8 * KIB,
    formDepthMax: 6,
    /** The to-do list of a run. */
    notesMax: 50,
    noteCharsMax: 300,
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
    /** Events of moves that take no time that are written together, before whoever else waits has a turn. */
    eventsTogetherMax: 256,
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
} as const
