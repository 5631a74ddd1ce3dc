const SECOND = 1_000
const MINUTE = 60 * SECOND
const KIB = 1_024
const MIB = 1_024 * KIB

/** Limits of tools, of those that the caller runs, of schemas, and of the files of a session. */
export const TOOL_LIMITS = {
  tool: {
    timeoutMs: MINUTE,
    outputCharsMax: 8_000,
    outputLinesMax: 500,
    /** So short a result is not held against the window of the model. */
    shortChars: 200,
    /** Of a text that is over its limits so much is looked through for what speaks of the task. */
    relevanceCharsMax: MIB,
    /** Tools that a session remembers to be approved, and what each says of itself; one that says more is asked about each time. */
    rememberedMax: 32,
    rememberedCharsMax: 16 * KIB,
    /** News of one call that watchers are told, and the text of each. */
    newsMax: 100,
    newsCharsMax: 500,
    /** What a model is told of arguments that a human changed. */
    editedCharsMax: 2_000,
    /** A whole result that is kept for reading on. */
    keptCharsMax: 8 * MIB,
  },
  /** Hooks that are asked about calls, patterns of tools in each, and how long one has to answer. */
  toolHook: {
    hooksMax: 10,
    patternsMax: 100,
    timeoutMs: 5 * SECOND,
    timeoutMsMax: 30 * SECOND,
    answerBytesMax: 256 * KIB,
    reasonCharsMax: 1_000,
    /** What one is told of a result. */
    contentCharsMax: 64 * KIB,
  },
  /** Tools that a caller brings along and runs itself. */
  /** Holding one value against a JSON Schema. */
  schema: {
    /** Schemas that are looked at, each with the values that it lists, and of what a new schema is tried with. */
    stepsMax: 100_000,
    probeStepsMax: 5_000,
    /** Values that are compared where a list is to hold each once; longer lists are not looked at for that. */
    comparisonsMax: 2_000_000,
  },
  clientTool: {
    /** Of one request, and what all of them take as JSON. */
    toolsMax: 128,
    bytesMax: 256 * KIB,
    descriptionCharsMax: 4_096,
    /** JSON of the parameters of one, and how deep they are. */
    schemaBytesMax: 64 * KIB,
    schemaDepthMax: 64,
    /** The longest id that a model is given. */
    idCharsMax: 64,
    /** A result, as text or as JSON, and what is said of a failure. */
    resultBytesMax: 768 * KIB,
    errorCharsMax: 20_000,
  },
  files: {
    /** UTF-16 units of a whole path, and the names in it. */
    pathCharsMax: 200,
    depthMax: 16,
    /** Of one session. */
    filesMax: 1_000,
    sessionBytesMax: 20 * MIB,
    fileBytesMax: 10 * MIB,
    partBytesMax: MIB,
    /** What one `read_file` gives; with its heading it stays within the output limit. */
    pageCharsMax: 4_400,
    pageLinesMax: 180,
    readCharsMax: 5_000,
    readLinesMax: 200,
    mapCharsMax: 10_000,
    mapLinesMax: 1_000,
    searchCharsMax: 6_000,
    searchLinesMax: 100,
    /** Hits that one search gives, and what is shown of the line of each. */
    hitsMax: 90,
    hitCharsMax: 200,
    /** A pattern, the states that it may have, what is looked at of a line, and the steps of one search. */
    patternCharsMax: 500,
    patternStatesMax: 2_000,
    patternDepthMax: 50,
    lineCharsMax: 20_000,
    searchStepsMax: 10_000_000,
    /** Bytes of a zip that are made at once. */
    zipSliceBytes: 256 * KIB,
  },
} as const
