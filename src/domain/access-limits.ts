const MINUTE = 60_000

/** Limits of keys, links and budgets. */
export const ACCESS_LIMITS = {
  /** Keys that a tenant has made and not revoked, and revoked ones that are remembered. */
  keysMax: 1_000,
  revokedKeysMax: 1_000,
  /** A key is not written to have been used more often than so. */
  lastUsedMs: MINUTE,
  /** What `Authorization` may hold. */
  credentialCharsMax: 8_192,
  requestsPerMinuteMax: 100_000,
  /** Requests that a key's stand is written ahead of, as a share of those of a minute: after a restart so many are lost. */
  rateAheadShare: 0.1,
  /** Keys whose stand is kept in memory. */
  ratesKept: 10_000,
} as const
