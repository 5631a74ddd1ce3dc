const SECOND = 1_000
const MIB = 1024 * 1024

/** Limits of the typed client; they are `LIMITS.client`. Apart, so that a bundle of the client holds no others. */
export const CLIENT_LIMITS = {
  /** Entries that a client asks for at once of a list that it wants whole: as many as a server gives. */
  pageMax: 100,
  /** Pages that a client takes of a list that it wants whole. */
  pagesMax: 100,
  /** A stream without a byte for so long is taken for broken: three heartbeats. */
  silenceMsMax: 30 * SECOND,
  /** Times in a row that a broken stream is taken up again without an event; the wait doubles up to 16-fold. */
  resumesMax: 5,
  resumeDelayMs: 250,
  eventCharsMax: 16 * MIB,
  /** Between two looks at a run whose move of the last batch is still under way, and how many of them. */
  busyDelayMs: SECOND,
  busyTriesMax: 600,
  /** A WebSocket that was silent for so long is asked for a sign. */
  pingMs: 10 * SECOND,
  /** Between an event that changes more than it says and the reading of the session. */
  headDelayMs: 150,
  /** The wait before a session is looked at again doubles so often. */
  doublingsMax: 6,
  /** Between two looks at what waits in all sessions. */
  lookMs: 5 * SECOND,
  /** Frames that wait until a WebSocket is open. */
  framesMax: 100,
} as const
