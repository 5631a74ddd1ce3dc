import { RUN_LIMITS } from './run-limits.ts'
import { PLAN_LIMITS } from './plan-limits.ts'
import { SETTINGS_LIMITS } from './settings-limits.ts'
import { WORKFLOW_LIMITS } from './workflow-limits.ts'
import { STORE_LIMITS } from './store-limits.ts'
import { TOOL_LIMITS } from './tool-limits.ts'
import { SKILL_LIMITS } from './skill-limits.ts'
import { DOOR_LIMITS } from './door-limits.ts'
import { ACCESS_LIMITS } from './access-limits.ts'
import { CLIENT_LIMITS } from './client-limits.ts'
import { MCP_DOOR_LIMITS } from './mcp-door-limits.ts'
import { MCP_LIMITS } from './mcp-limits.ts'
import { OPENAPI_LIMITS } from './openapi-limits.ts'
import { MODEL_LIMITS } from './model-limits.ts'
import { PART_LIMITS } from './part-limits.ts'
import { TRIGGER_LIMITS } from './trigger-limits.ts'
import { CALLBACK_LIMITS } from './callback-limits.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE
const KIB = 1_024
const MIB = 1_024 * KIB

/** How long a page is waited for, and how much of one is taken, where the config says nothing else. */
export const WEB_DEFAULTS = { timeout_ms: 15 * SECOND, body_bytes_max: 5 * MIB } as const

/** Defaults of the limits that a session's config may set. Wire names: they are the interface. */
export const RUN_LIMIT_DEFAULTS = {
  max_iterations: 8,
  max_iterations_total: 200,
  errors_in_a_row_max: 16,
  repeats_max: 3,
  approval_ttl_ms: 7 * DAY,
  max_plan_rounds: 15,
  max_task_tool_calls: 15,
  max_parallel_tasks: 3,
  request_ms: 2 * MINUTE,
} as const

/** Every other limit of the product, by area. Each name ends in its unit; errors repeat the number. Made by a call, so that a bundle that asks for
 *  none of them leaves them out. */
export const LIMITS = /* @__PURE__ */ allLimits()

function allLimits() {
  return {
    ...RUN_LIMITS,
    ...PLAN_LIMITS,
    ...SETTINGS_LIMITS,
    ...WORKFLOW_LIMITS,
    ...STORE_LIMITS,
    ...TOOL_LIMITS,
    ...SKILL_LIMITS,
    ...DOOR_LIMITS,
    http: {
      bodyBytesMax: MIB,
      /** Of a body that is too large, and so much of it is read before that is said. */
      droppedBytesMax: 128 * MIB,
      /** Of the entries of one page of a list, as JSON; the first is given whatever it has. */
      pageBytesMax: 4 * MIB,
      importBytesMax: 32 * MIB,
      jsonDepthMax: 32,
      /** An import holds what models wrote, a few levels down; logs of earlier releases, of any depth that a model thought of. */
      importDepthMax: 1_000,
      /** Places that are named in one problem. */
      issuesMax: 50,
      /** Messages that a client may bring along in one body. */
      messagesMax: 10_000,
      listDefault: 20,
      listMax: CLIENT_LIMITS.pageMax,
      /** Names and values of a request's headers. */
      headerBytesMax: 16 * KIB,
      /** For how long a browser may keep a file of a page, whose name changes with it. */
      assetSeconds: 31_536_000,
    },
    access: ACCESS_LIMITS,
    text: {
      titleCharsMax: 200,
      titleFromTaskChars: 60,
      /** Of a task, for a model that names it. */
      titledCharsMax: 4_000,
      nameCharsMax: 200,
      instructionsCharsMax: 20_000,
      metadataKeysMax: 50,
      /** Of a session's metadata in all, as JSON. */
      metadataBytesMax: 16 * KIB,
      feedbackCharsMax: 20_000,
      contentCharsMax: MIB,
      directoryTaskChars: 2_000,
      directoryTasksChars: 8_000,
      /** Of each text of a run's error: as a log from elsewhere may bring it, and as lists show it. */
      errorCharsMax: 4_000,
      listedErrorChars: 500,
      /** Of the arguments of a call that waits, as JSON. */
      listedArgumentsChars: 16_384,
    },
    model: MODEL_LIMITS,
    parts: PART_LIMITS,
    usage: {
      /** Sums by run, day and model that a session keeps, and those of earlier runs among them when a new one begins. */
      rowsMax: 64,
      earlierRowsMax: 4,
      /** Aliases that a usage names as unpriced, and currencies of one run. */
      unpricedMax: 100,
      currenciesMax: 20,
      /** After so long a tenant's sums are kept by day, model and user alone. */
      sessionDays: 400,
    },
    request: {
      headersMax: 32,
      headerCharsMax: 4_096,
      bodyCharsMax: 256 * KIB,
      /** Text of an answer that is given or kept for reading on. */
      textCharsMax: MIB,
      secretCharsMax: 8_192,
    },
    web: {
      timeoutMs: WEB_DEFAULTS.timeout_ms,
      bodyBytesMax: WEB_DEFAULTS.body_bytes_max,
      redirectsMax: 5,
      /** For a browser elsewhere to run the scripts of a page. */
      renderTimeoutMs: 30 * SECOND,
      /** A read that is lost so soon was lost with a connection that had been kept open; it is sent once more. */
      lostAtOnceMs: SECOND,
      urlCharsMax: 4_096,
      /** Text of a page that stays in the session's store, so that reading on needs no visit. */
      keptPageCharsMax: 8 * MIB,
      /** One result holds no more of a page, however high the limits of its tool are set. */
      pageOutputCharsMax: 100_000,
      pageOutputLinesMax: 5_000,
      /** Results of one search, and the words that ask for them. */
      searchResultsDefault: 8,
      searchResultsMax: 20,
      queryCharsMax: 400,
      searchBytesMax: MIB,
      searchOutputCharsMax: 6_000,
      searchOutputLinesMax: 100,
    },
    mcp: MCP_LIMITS,
    openapi: OPENAPI_LIMITS,
    mcpDoor: MCP_DOOR_LIMITS,
    trigger: TRIGGER_LIMITS,
    callback: CALLBACK_LIMITS,
    client: CLIENT_LIMITS,
  } as const
}
