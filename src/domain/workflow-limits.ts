const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const KIB = 1_024
const MIB = 1_024 * KIB

/** Limits of workflows. */
export const WORKFLOW_LIMITS = {
  workflow: {
    /** A definition as it comes, in UTF-16 units of JSON or YAML, and all those of one run. */
    definitionCharsMax: 256 * KIB,
    bundleCharsMax: 512 * KIB,
    /** Workflows that one run may hold within each other, and how many of them. */
    depthMax: 8,
    definitionsMax: 20,
    /** Steps of one workflow, those within others too, and how deep they stand. */
    stepsMax: 300,
    stepDepthMax: 12,
    branchesMax: 32,
    casesMax: 50,
    expressionCharsMax: 1_000,
    templateCharsMax: 100_000,
    /** Items of one map, and those at the same time. */
    itemsMax: 1_000,
    concurrencyMax: 32,
    retriesMax: 20,
    backoffMax: 10,
    /** The longest wait, and the longest before a step is tried again. */
    waitMsMax: 366 * DAY,
    retryMsMax: DAY,
    /** UTF-16 units of JSON: what a step is given, and what one gives. */
    inputCharsMax: 512 * KIB,
    outputCharsMax: 256 * KIB,
    mapOutputCharsMax: MIB,
    /** Of the path of a step. */
    pathCharsMax: 2_000,
    /** Workflows of one tenant, and versions that are kept of each. */
    perTenantMax: 500,
    versionsMax: 50,
    /** Default of `max_iterations_total` for their runs. */
    iterationsTotal: 2_000,
    /** Replies with calls of an agent step, where it does not say. */
    toolIterations: 10,
    /** Of why a step failed, in UTF-16 units. */
    errorCharsMax: 2_000,
  },
} as const
