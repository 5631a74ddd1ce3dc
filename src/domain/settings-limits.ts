const SECOND = 1_000
const KIB = 1_024

/** Limits of what tenants set for themselves. */
export const SETTINGS_LIMITS = {
  settings: {
    /** Settings as JSON, in UTF-16 units. */
    charsMax: 256 * KIB,
    /** Versions of one tenant that are kept. */
    versionsMax: 100,
    /** A tenant's settings and MCP servers are taken from memory for so long: with the time to read them, a change holds within 5 s. */
    keptMs: 4 * SECOND,
    /** A run waits so long between two moves for settings that are older than that. */
    awaitedMs: 0.8 * SECOND,
    /** Tenants whose settings are kept in the memory of an isolate. */
    tenantsMax: 1_000,
    /** A change that others overtook is made again so often: that many may come at the same time. */
    triesMax: 50,
    /** Connections of a tenant, and of each of its users; those of all its users. */
    connectionsMax: 100,
    userConnectionsMax: 10_000,
    /** Tokens whose servers are told that they count no more, when a connection goes. */
    revokedMax: 50,
    /** Items that wait for a connection and are answered when it is given, and after which time the tenant has heard of all that were asked. */
    waitingMax: 100,
    askedHeardMs: 2.5 * SECOND,
    /** Users whose connections are kept in the memory of an isolate. */
    usersMax: 1_000,
    /** The end of a secret is shown of those that have so many characters at least. */
    shownSecretCharsMin: 16,
    /** Fields that a config locks, and the length of such a name. */
    lockedMax: 100,
    pathCharsMax: 300,
    /** Fields whose change a version names. */
    changedMax: 200,
  },
} as const
