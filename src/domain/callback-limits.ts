const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const KIB = 1_024

/** Limits of callbacks and their deliveries; they are `LIMITS.callback`. */
export const CALLBACK_LIMITS = {
  /** Of one tenant. */
  callbacksMax: 100,
  /** Bytes that a secret stands for: of one that is given, and of one that is made here. */
  secretBytesMin: 16,
  secretBytesMax: 64,
  secretBytes: 32,
  /** A secret that was replaced signs along for so long. */
  previousSecretMs: DAY,
  templateSecretCharsMax: 200,
  /** Waits before each retry where the callback names none of its own: eleven attempts over 27 hours and 43 minutes. */
  retryDelaysMs: [
    5 * SECOND,
    30 * SECOND,
    2 * MINUTE,
    10 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    4 * HOUR,
    8 * HOUR,
    12 * HOUR,
  ],
  /** Every wait is longer or shorter by up to this share of it. */
  retryJitterShare: 0.1,
  retryTimesMax: 50,
  retryDelayMsMax: DAY,
  /** A receiver that asks for a longer wait is asked again after this one. */
  retryAfterMsMax: 12 * HOUR,
  /** From the first byte of a delivery to the last one of its answer, and bytes of that answer. */
  attemptMs: 15 * SECOND,
  answerBytesMax: 256 * KIB,
  /** A delivery whose attempt gave no sign for so long is taken up again. */
  leaseMs: 30 * SECOND,
  /** Attempts at the same time: of a tenant, of one callback, of all callbacks that fail, and of one that fails. A Worker holds
   *  six connections. */
  parallelMax: 6,
  parallelPerCallbackMax: 3,
  parallelFailingMax: 3,
  parallelPerFailingMax: 1,
  /** One alarm starts so many attempts; the next goes on. */
  attemptsPerAlarmMax: 40,
  /** What is due and has no room, and whether what is under way still is, is looked at again after so long. */
  waitMs: 5 * SECOND,
  /** Deliveries that come forward at a time when their receiver is back, and the attempts after which one does not any more. */
  broughtForwardMax: 500,
  broughtForwardAttemptsMax: 100,
  /** Deliveries of one callback that wait; beyond it the oldest are given up. */
  pendingMax: 100_000,
  /** Deliveries that came to an end are kept for so long, and so many of one callback. */
  keptMs: 30 * DAY,
  keptMax: 10_000,
  /** Old or too many ones that go at a time, and how often that is looked at. */
  forgottenAtOnceMax: 500,
  tidyMs: MINUTE,
  /** Attempts of one delivery that its log shows; the newest stay. */
  attemptsShownMax: 50,
  /** Of an answer, this much is shown. */
  answerShownBytes: 1_000,
  errorCharsMax: 500,
  /** News that a session tells at a time, how long that may take, and when it is tried again. */
  newsPerNotifyMax: 50,
  notifyMs: 10 * SECOND,
  /** UTF-16 units of a result, and of the JSON of a call's arguments, that a payload holds whole. */
  resultCharsMax: 32 * KIB,
  argumentsCharsMax: 16 * KIB,
  questionCharsMax: 4 * KIB,
  /** Of longer arguments, this much is told. */
  argumentsExcerptChars: 2_000,
  /** Pending items of one payload, and addresses and paths that are told of one call. */
  pendingItemsMax: 20,
  touchedMax: 20,
  touchedCharsMax: 500,
  /** UTF-16 units of a text in a message for a chat, and of one line of it; Feishu takes 20 KB in all. */
  chatTextCharsMax: 1_000,
  chatLineCharsMax: 150,
} as const
