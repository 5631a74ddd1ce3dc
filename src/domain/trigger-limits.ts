const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const KIB = 1_024

/** Milliseconds from one run of a schedule to the next. Apart, as the console needs them alone. */
export const EVERY_MS_MIN = SECOND
export const EVERY_MS_MAX = 366 * DAY

/** Limits of webhooks and schedules; they are `LIMITS.trigger`. */
export const TRIGGER_LIMITS = {
  /** Of one tenant. */
  webhooksMax: 1_000,
  schedulesMax: 10_000,
  descriptionCharsMax: 1_000,
  templateCharsMax: 20_000,
  keyTemplateCharsMax: 1_000,
  /** Names in one template. */
  namesMax: 200,
  /** Kinds of events that a webhook lets through. */
  eventsMax: 100,
  eventCharsMax: 200,
  secretCharsMax: 500,
  /** Random bytes of a secret that is made here. */
  secretBytes: 32,
  /** A secret that was replaced holds for so long, unless said otherwise, and no longer. */
  previousSecretMs: DAY,
  previousSecretMsMax: 30 * DAY,
  /** A signed time may be so far from ours. */
  toleranceMs: 5 * MINUTE,
  /** Signatures of one request that are looked at. */
  signaturesMax: 16,
  deliveryIdCharsMax: 255,
  /** Of one value in a task, and of a task. */
  valueCharsMax: 32 * KIB,
  taskCharsMax: 128 * KIB,
  sessionKeyCharsMax: 500,
  /** Sessions that the keys of one webhook lead to; the ones longest unused are forgotten. */
  threadsMax: 10_000,
  /** Deliveries that are remembered, so that a repeat starts nothing, of one webhook; and runs of one schedule. */
  deliveriesKeptMs: 7 * DAY,
  deliveriesMax: 50_000,
  runsKeptMs: 90 * DAY,
  runsMax: 200,
  /** Old entries of a log that go with each new one. */
  forgottenAtOnceMax: 20,
  /** Refused deliveries of one webhook that its log shows, and how many are written down in a minute. */
  refusedMax: 100,
  refusedPerMinuteMax: 60,
  /** Of a payload that the log shows. */
  excerptChars: 1_000,
  /** The start of a run that gave no sign for so long is tried again, up to so often. */
  retryMs: 30 * SECOND,
  attemptsMax: 5,
  /** The alarm stands no further ahead while runs are being started: what its process died over is started again by then. */
  guardMs: 4 * SECOND,
  /** Schedules that one alarm starts, and how many at the same time. */
  batchMax: 500,
  startsAtOnceMax: 32,
  everyMsMin: EVERY_MS_MIN,
  everyMsMax: EVERY_MS_MAX,
  jitterMsMax: HOUR,
  /** A run that is later than this was missed. */
  missedAfterMs: MINUTE,
  cronCharsMax: 200,
  /** Next runs that a schedule shows. */
  nextRunsMax: 5,
} as const
