import type { JsonSchema } from '../../domain/tool.ts'
import { sha256Hex } from '../../lib/hash.ts'

/** What tools of this door are called. */

/** A tool as a list shows it. */
export interface ListedTool {
  name: string
  title: string
  description: string
  inputSchema: JsonSchema
  outputSchema?: JsonSchema
  annotations?: { readOnlyHint: boolean }
}

export const RUN_TASK_NAME = 'run_task'
export const SESSION_STATUS_NAME = 'session_status'

/** Names of tools are of these letters; what has another name is offered under a digest of it. */
const NAME = /^[A-Za-z0-9_.-]{1,128}$/
const TAKEN: ReadonlySet<string> = new Set([RUN_TASK_NAME, SESSION_STATUS_NAME])
const DIGEST_CHARS = 12

export async function toolNameOf(own: string, prefix = 'skill'): Promise<string> {
  return NAME.test(own) && !TAKEN.has(own) ? own : `${prefix}_${(await sha256Hex(own)).slice(0, DIGEST_CHARS)}`
}
