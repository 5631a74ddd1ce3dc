const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const KIB = 1_024
const MIB = 1_024 * KIB

/** Limits of what is kept, read as a stream, and carried from one session to another. */
export const STORE_LIMITS = {
  idempotency: {
    keyCharsMax: 255,
    keptMs: DAY,
    /** A process looks so often for those of a session that are too old. */
    tidyMs: HOUR,
    /** A stored answer of the stateless call; a longer one is computed again. */
    answerCharsMax: 4 * MIB,
    /** A stateless call under a key gives a sign so often; one that gave none for so long is taken for dead. */
    runningSignMs: 5 * SECOND,
    runningMsMax: 30 * SECOND,
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
    /** A row takes no further event once it has so many UTF-16 units. */
    rowCharsMax: 16 * KIB,
    /** Events that are folded at a time, of a long log. */
    eventsPerFold: 1_000,
    /** The state of a session is written after so many events, beside the events themselves. */
    snapshotEventsMax: 64,
    /** Newest messages of a session that stay in memory while its object does. */
    recentMessagesMax: 512,
    /** Reports of sessions that come within this time are written together, or as many of them as wait at most. */
    reportGroupMs: 500,
    reportsPerGroup: 256,
    /** So long after an answer its session is reported at the earliest. */
    reportDelayMs: 100,
    recentCharsMax: MIB,
  },
  transfer: {
    /** Of a document that comes or goes so much is held at a time, in UTF-16 units of JSON: it is written, or sent, and let go. */
    pageCharsMax: 256 * KIB,
    /** One value of a document: an event, a message, a result, a file in base64. */
    valueCharsMax: 16 * MIB,
    /** Events, and records, that are read at a time for a document that goes, and about how much of its lists is sent at a time. */
    eventsPerPage: 32,
    pieceChars: 64 * KIB,
    /** An import that gave no sign for so long died, and what it left is cleared away. How often another one of its id looks. */
    silentMs: 30 * SECOND,
    lookMs: 50,
  },
} as const
