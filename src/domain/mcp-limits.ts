const SECOND = 1_000
const MINUTE = 60 * SECOND
const KIB = 1_024
const MIB = 1_024 * KIB

/** Limits of MCP servers and their tools; they are `LIMITS.mcp`. */
export const MCP_LIMITS = {
  /** Servers that a tenant may add, and those of the config file. */
  serversMax: 100,
  descriptionCharsMax: 2_000,
  headersMax: 32,
  headerCharsMax: 4_096,
  /** Tools of one server that are taken, pages of its list, and the JSON of one tool's schema and how deep it is. */
  toolsMax: 500,
  listPagesMax: 50,
  schemaCharsMax: 64 * KIB,
  schemaDepthMax: 64,
  /** JSON of all tools of one server. */
  listCharsMax: MIB,
  /** A tool's name, what is shown of one that is longer, and what is told of tools that are not as they have to be. */
  toolNameCharsMax: 256,
  shownNameChars: 100,
  warningsMax: 20,
  /** Servers whose tools are missing that a prompt names. */
  missingShownMax: 20,
  /** What a model is told of a tool and of a parameter. */
  toolDescriptionChars: 1_024,
  parameterDescriptionChars: 300,
  parametersMax: 64,
  /** Bytes of one answer, all events of a stream included. */
  answerBytesMax: 8 * MIB,
  /** A server has so long to say what it offers, cold starts and two handshakes included. A run waits as long for a list that nobody has,
   *  of a server that is not known to be down; no longer than `loadMs` for one that gave no answer last time, or whose tools have changed. */
  probeMs: 10 * SECOND,
  loadMs: 2 * SECOND,
  /** Who waits for a request of another looks so often whether it is over. Whoever asks gives a sign of life so often; after such a silence, or
   *  so long after it began, the request is taken for lost. */
  askLookMs: 50,
  askSignMs: 500,
  askLostMs: 2 * SECOND,
  askedMsMax: 15 * SECOND,
  callMs: MINUTE,
  /** A list of tools is asked for anew after so long, after a failure after so long. */
  listKeptMs: 10 * MINUTE,
  retryMs: 30 * SECOND,
  /** The servers of a tenant are taken from memory for so long. */
  serversKeptMs: 5 * SECOND,
  /** A session with a server is kept open for so long after its last call. */
  idleMs: 30 * SECOND,
  /** Pictures and other bytes of one result that are stored. */
  filesPerResultMax: 16,
  errorExcerptChars: 500,
  /** Tokens that the tools of servers may take in a request; above, they are found with `find_tools`. */
  schemaTokensMax: 10_000,
  queryCharsMax: 200,
  /** Times that one call may ask the user, and what is shown of a question. */
  roundsMax: 10,
  questionCharsMax: 2_000,
  /** Questions of one server at a time of which it is known what call they are of. */
  questionsMax: 100,
  /** Tools that one search gives, what is shown of the schema of each, and those that stay offered. */
  foundMax: 8,
  foundSchemaChars: 2_000,
  foundKeptMax: 40,
  /** Servers and tenants that are kept in memory. */
  keptMax: 1_000,
  /** Whoever was sent to an authorisation server has so long to come back, and so many of a tenant may be away. */
  redirectMs: 10 * MINUTE,
  redirectsMax: 100,
  /** A token is refreshed so long before it ends, by one at a time for at most so long; whoever waits for that looks so often. */
  refreshAheadMs: MINUTE,
  refreshLeaseMs: 15 * SECOND,
  refreshLookMs: 250,
  /** Of a request to an authorisation server, and of its answer. */
  authorisationMs: 10 * SECOND,
  authorisationBytesMax: 256 * KIB,
  /** What comes back with the one who was sent away. */
  callbackCharsMax: 4_096,
} as const
