const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const KIB = 1_024
const MIB = 1_024 * KIB

/** Limits of the doors for clients of others, and of what they are told by push. */
export const DOOR_LIMITS = {
  door: {
    /** Histories of a tenant by which threads are found again; the oldest go, and those of this age. */
    historiesMax: 10_000,
    historyKeptMs: 30 * DAY,
    /** Names that are told where one is unknown, and where a client that knows no pages asks for all. */
    namesMax: 100,
    modelsMax: 1_000,
    /** Texts before which an answer is to end. */
    stopsMax: 4,
    stopCharsMax: 200,
    /** An id of a thread, or of something in one. */
    idCharsMax: 256,
    /** What is told of a plan or a team beside the answer. */
    noteCharsMax: 4_000,
    /** What a door keeps of a request in the log. */
    keptBytesMax: 64 * KIB,
    /** After such a time a session that leads to another notes that it does, so that it is kept as long as it is in use. */
    leadsMs: DAY,
    /** Sessions that are asked one after the other for the one in which a thread goes on. */
    leadsMax: 50,
    /** Parts of a message in a history that a client sends again. */
    saidPartsMax: 10_000,
    /** What a client shares as its state, and what of a conversation is told again at once. */
    stateBytesMax: 256 * KIB,
    snapshotBytesMax: 4 * MIB,
    /** Texts of a client that are told on from where it has them. */
    heldMax: 50,
    /** Answers to what waits in one request. */
    resumeMax: 200,
    /** Of a response that is read back. */
    responseBytesMax: 32 * MIB,
    /** Of a file that a run wrote: a larger one is told by its address. */
    rawFileBytesMax: 256 * KIB,
    /** Tasks of a page. */
    tasksMax: 100,
    tasksDefault: 50,
    /** Media types that a client takes. */
    modesMax: 32,
  },
  /** Who is told of one task of a door, beside the callbacks of the tenant. */
  push: {
    tokenCharsMax: 2_048,
    perTaskMax: 10,
    perTenantMax: 10_000,
    keptMs: 30 * DAY,
  },
} as const
