const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE
const KIB = 1_024
const MIB = 1_024 * KIB

/** Limits of the door for MCP clients; they are `LIMITS.mcpDoor`. */
export const MCP_DOOR_LIMITS = {
  /** A run that rests within so long answers its call itself. */
  answerMs: 5 * SECOND,
  /** A session of a client that was silent for so long is over; so many calls of it can be taken up again. */
  sessionMs: DAY,
  callsMax: 200,
  /** What a client says of itself. */
  clientBytesMax: 16 * KIB,
  /** Between two comments on a stream that has nothing to tell. */
  beatMs: 10 * SECOND,
  /** A client is to ask for a task that often, and may for so long. */
  pollMs: 2 * SECOND,
  taskMs: DAY,
  /** Rests of one run that are passed over to find where it stands. */
  restsMax: 1_000,
  /** Files that one answer names, and characters of what is told of progress. */
  filesMax: 100,
  progressCharsMax: 300,
  /** Of the arguments of a call that a human is shown. */
  argumentsCharsMax: 8_000,
  /** Sessions whose files are on one page of the list of resources, and the files of one. */
  resourceSessionsMax: 10,
  resourceFilesMax: 100,
  /** A file that is read as a resource. */
  resourceBytesMax: 10 * MIB,
  /** Skills that are offered as tools. */
  toolsMax: 100,
  /** A line of what is told of a run, as its session writes it. */
  lineCharsMax: 16 * MIB,
} as const
