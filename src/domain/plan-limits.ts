const SECOND = 1_000
const MINUTE = 60 * SECOND
const KIB = 1_024
const MIB = 1_024 * KIB

/** Limits of plans and teams. */
export const PLAN_LIMITS = {
  plan: {
    /** Default of `deadline_ms` for runs that plan. */
    deadlineMs: 15 * MINUTE,
    /** Priorities are between this and its negative. */
    priorityMax: 100,
    /** The longest time-out of one sub-task. */
    taskMsMax: 366 * 24 * 60 * MINUTE,
    /** Sub-tasks that one plan may have. */
    tasksMax: 50,
    /** Sub-tasks of one run: what is planned beyond is not run. */
    tasksTotalMax: 1_000,
    /** Share of the model's window that results may take in a request of the planner. */
    resultsShare: 0.5,
    /** Of what may be left out of a request, so much is told: the first of these with which it fits the window. */
    toldShares: [1, 0.5, 0.25, 0.1, 0.03],
    /** Where not all is told: so many sub-tasks by the share, the newest ones, and so much of the words of each; but no fewer than the least. */
    toldTasks: 200,
    toldTasksMin: 4,
    toldChars: 2_000,
    toldCharsMin: 60,
    /** Of a result, this much is repeated in each plan event. */
    repeatedResultChars: 200,
    /** Earlier questions and answers of the session that the planner is told, and how much of each. */
    earlierMessagesMax: 200,
    /** Addresses that a summary may name, and messages of one sub-task that are looked through for them. */
    sourcesMax: 50,
    sourceMessagesMax: 200,
    earlierAnswersMax: 5,
    earlierCharsMax: 2_000,
  },
  team: {
    rolesMax: 100,
    /** Teams within each other: a role's plan gives no work to another team. */
    depthMax: 1,
    actionsMax: 32,
    watchMax: 200,
    instructionCharsMax: 20_000,
    /** Default of `n_round`, and the most that it can be. */
    rounds: 5,
    roundsMax: 1_000,
    /** Messages that one role keeps as news, and those of a run that nobody heard; the oldest go. */
    newsMax: 256,
    unheardMax: 256,
    /** Messages in SessionData, and the UTF-16 units of all of them. */
    historyMax: 100,
    historyCharsMax: MIB,
    /** Share of the model's window that news may take in a request. */
    newsShare: 0.5,
    /** UTF-16 units of what a person is asked. */
    questionCharsMax: 20_000,
    /** Files that one output may hold. */
    filesMax: 100,
  },
} as const
