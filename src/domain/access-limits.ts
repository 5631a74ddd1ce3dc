const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE

/** Limits of keys, links and budgets. */
export const ACCESS_LIMITS = {
  /** Keys that a tenant has made and not revoked, and revoked ones that are remembered. */
  keysMax: 1_000,
  revokedKeysMax: 1_000,
  /** A key is not written to have been used more often than so. */
  lastUsedMs: MINUTE,
  /** How old the last look at the key may be when something is told in a stream or by a socket that it opened. */
  keyLookMs: SECOND,
  /** Tenants whose keys are asked in memory where their object lives in the same isolate, and for how long after it was heard of. */
  nearMax: 1_000,
  /** Objects that the lists of a tenant may be spread over. */
  shardsMax: 64,
  nearMs: 250,
  /** Of keys and secrets that somebody chose: fewer characters can be guessed. */
  secretCharsMin: 16,
  /** Wrong keys that are taken of one address, and addresses that are remembered for them, in an isolate. */
  wrongKeysPerMinuteMax: 20,
  wrongKeyAddressesMax: 10_000,
  /** What `Authorization` may hold. */
  credentialCharsMax: 8_192,
  requestsPerMinuteMax: 60_000,
  /** Requests that a key's stand is written ahead of, as a share of those of a minute: after a restart so many are lost. */
  rateAheadShare: 0.1,
  /** Keys whose stand is kept in memory. */
  ratesKept: 10_000,
  /** A run in progress that tells nothing for so long gives its place among those of its key back; when to try again. */
  runLeaseMs: 15 * MINUTE,
  runRetryMs: 5 * SECOND,
  /** Where all places of a key are taken, sessions that told nothing for so long are asked whether they run: so many at a time, and so often. */
  runAskedMs: 10 * SECOND,
  runsAskedMax: 16,
  runsAskedEveryMs: SECOND,
  sessionsAtOnceMax: 10_000,
  /** Sessions that a tenant may have, as the config says. One that is being made is counted for so long until the list has it; sessions of a
   *  tenant that has all of its own are not counted again for so long. */
  sessionsOfTenantMax: 10_000_000,
  /** All that a number counts; of no global, so that a bundle which asks for none of these leaves them out. */
  bytesOfTenantMax: 2 ** 53 - 1,
  placeKeptMs: MINUTE,
  fullKeptMs: SECOND,
  /** Streams, and sockets, that a tenant may have open. A stream of which nothing is heard for so long is over; its holder says so often that it
   *  is not. A socket is not looked for sooner than so; of so many sessions it is asked at a time which they have. */
  connectionsOfTenantMax: 1_000_000,
  streamHeardMs: MINUTE,
  streamSignMs: 20 * SECOND,
  socketTrustedMs: 5 * SECOND,
  socketSessionsAskedMax: 50,
  /** Keys of an issuer of tokens are kept for so long, asked for again no sooner, in so much time and so many bytes. */
  keysKeptMs: 10 * MINUTE,
  keysAgainMs: 30 * SECOND,
  keysFetchMs: 5 * SECOND,
  keysBytesMax: 262_144,
  /** Clocks of issuers may differ from ours by so much. */
  clockToleranceMs: 30 * SECOND,
  /** Links of a session and of a tenant that are not over. */
  linksPerSessionMax: 100,
  linksMax: 20_000,
  linkMsDefault: 7 * DAY,
  linkMsMin: SECOND,
  linkMsMax: 366 * DAY,
  /** A link that is over is told to be so for this long, then it is unknown. */
  linkOverMs: 30 * DAY,
  linkTokenCharsMax: 200,
} as const
