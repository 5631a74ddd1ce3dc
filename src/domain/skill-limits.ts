const SECOND = 1_000
const KIB = 1_024
const MIB = 1_024 * KIB

/** Limits of skills and of the memory. */
export const SKILL_LIMITS = {
  memory: {
    /** UTF-16 units of the words of a round, each, and of those of a task. */
    textCharsMax: 32 * KIB,
    taskCharsMax: 4 * KIB,
    keyCharsMax: 100,
    valueCharsMax: 1_000,
    /** Of one user; the oldest go. */
    roundsMax: 10_000,
    tasksMax: 10_000,
    preferencesMax: 100,
    /** What a run is told of its user, each task and its result cut to so much, and the share of the model's window that all
     *  of it may take. */
    loadedRounds: 3,
    loadedTasks: 5,
    loadedTaskChars: 200,
    windowShare: 0.5,
    /** A run goes on without its user's memory after so long; a save is tried again later. */
    loadMs: 2 * SECOND,
    saveMs: 5 * SECOND,
    /** Runs that are saved in one call. */
    savedAtOnceMax: 20,
    /** Words of a search that are looked for. */
    queryCharsMax: 400,
    queryWordsMax: 32,
    /** Newest rounds that are ranked by how well they fit, when none holds all of the words. */
    rankedMax: 5_000,
    /** Rounds that `recall` gives, and how much of each text. */
    recallDefault: 5,
    recallMax: 20,
    recallTextChars: 1_000,
    recallOutputCharsMax: 6_000,
    recallOutputLinesMax: 100,
  },
  skill: {
    /** A SKILL.md, or a skill as JSON: a prompt of Chinese takes three bytes a character. */
    fileBytesMax: 1 * MIB,
    /** The YAML of a SKILL.md: its keys are compared with each other. */
    frontMatterCharsMax: 16 * KIB,
    promptCharsMax: 100_000,
    /** The folder of a skill as a zip; what is in it, unpacked; and one of its files. */
    zipBytesMax: 4 * MIB,
    folderBytesMax: 4 * MIB,
    folderFileBytesMax: 512 * KIB,
    filesMax: 200,
    /** Entries of a zip, those too that are no files of the skill. */
    zipEntriesMax: 1_000,
    /** Paths of files that a prompt names. */
    /** Of each earlier task and answer that a template repeats, in UTF-16 units. */
    historyChars: 2_000,
    filesListedMax: 50,
    descriptionCharsMax: 1_024,
    toolsMax: 100,
    inputsMax: 50,
    toolIterationsMax: 1_000,
    schemaCharsMax: 64 * KIB,
    /** Sections of a template within each other. */
    sectionDepthMax: 16,
    /** Skills of one tenant beside the shipped ones. */
    perTenantMax: 500,
    /** Skills that a prompt names, each with so much of its description. */
    listedMax: 50,
    listedDescriptionChars: { en: 50, 'zh-CN': 24 },
    /** Skills of a tenant that can be given sub-tasks at a time, and the text of all of them. */
    workersMax: 50,
    workersCharsMax: 400_000,
    /** Tenants whose skills are kept in memory. */
    tenantsKept: 1_000,
    /** The list of a tenant's skills is taken from memory for so long. */
    listKeptMs: 5 * SECOND,
    /** Times that an answer which does not fit the output schema is asked for again. */
    answerRetriesMax: 2,
    /** Places of an answer that are told to be wrong. */
    answerIssuesMax: 10,
    /** Repeats without an end in one pattern of a schema, and how much of a text is held against patterns. */
    patternRepeatsMax: 4,
    patternedCharsMax: 300,
    /** The example that is made of a schema. */
    exampleValuesMax: 300,
    exampleCharsMax: 4_000,
  },
} as const
