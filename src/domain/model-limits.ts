const SECOND = 1_000
const MINUTE = 60 * SECOND
const KIB = 1_024
const MIB = 1_024 * KIB

/** Limits of models and their calls. */
export const MODEL_LIMITS = {
  /** Silence before the first byte of an answer, and between two, where a config says nothing. A model on this machine reads long. */
  firstByteMs: MINUTE,
  firstByteLocalMs: 5 * MINUTE,
  idleMs: MINUTE,
  timeoutMsMax: 10 * MINUTE,
  /** Bytes that come keep a call alive, but no longer than so. */
  streamMsMax: 60 * MINUTE,
  maxTokens: 4_096,
  /** No service writes faster (the fastest of 2026 write some 3,000). */
  tokensPerSecondMax: 10_000,
  retryTimes: 3,
  /** Failures in a row after which an alias is left alone, and for how long. */
  breakerFailuresMax: 5,
  breakerOpenMs: MINUTE,
  /** Tenants for which an alias is open before it is for all. */
  breakerTenants: 2,
  /** Aliases that breakers are kept for, and tenants of each. */
  circuitsMax: 1_000,
  /** A key that was refused, or that is over its rate and names no time, is not used for so long. */
  keyRefusedMs: 10 * MINUTE,
  keyRateMs: MINUTE,
  /** What a model was found not to take, such as a schema for its reply, it is not sent for so long. */
  findingsMs: 10 * MINUTE,
  /** Calls that wait for a service with `max_concurrency`. */
  waitingMax: 1_000,
  /** How often who waits looks whether there is room, and after what silence it is taken to be gone. */
  slotLookMs: 50,
  slotLostMs: 2 * SECOND,
  /** More tokens of one kind than one call can take: such a report is not believed. */
  usageTokensMax: 20_000_000,
  /** Once more after a time-out, and no more. */
  timeoutRetriesMax: 1,
  /** What a service is told by `extra_body` and `extra_headers`. */
  extraCharsMax: 16 * KIB,
  extraHeadersMax: 32,
  retryDelayMs: 500,
  retryDelayMsMax: 30 * SECOND,
  replyCharsMax: 2 * MIB,
  errorExcerptChars: 300,
  errorBodyCharsMax: 64 * KIB,
  /** A body that tells its length is read at once, if it has no more. */
  wholeBodyBytesMax: 256 * KIB,
  /** Chunks in a row that repeat no earlier one, after which none is expected to. */
  chunkMissesMax: 4,
  /** A connection is kept for so long after the last event of an answer, so that it can be used again. */
  lingerMs: 100,
  contextTokens: 32_000,
  /** A window of fewer has no room for all tools and a conversation. */
  narrowWindowTokens: 4_000,
  callsPerReplyMax: 64,
  /** Addresses of one task that the built-in model reads. */
  builtInAddressesMax: 16,
  builtInContextTokens: 1_000_000,
  messagesPerCallMax: 400,
  /** As many messages are summarised however short they are, so that none is left out of a call unseen. */
  messagesUnfoldedMax: 300,
  /** A longer id of an answer is none. */
  responseIdChars: 200,
} as const
