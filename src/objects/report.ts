import type { AppError } from '../domain/errors.ts'
import type { Fact } from '../domain/telemetry.ts'
import type { SkillProblem } from '../skills/shipped.ts'
import type { Env } from './env.ts'

/** Tell the operator of a bug: one JSON line. What goes to clients never holds any of it. */
export function report(error: unknown): void {
  const { name, message, stack } =
    error instanceof Error ? error : { name: 'Error', message: String(error), stack: undefined }
  console.error(JSON.stringify({ level: 'error', event: 'bug', name, message, stack }))
}

/** Whether the platform took an object away while it worked: at a deploy, or because it was aborted. */
function isReset(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'durableObjectReset') === true
}

/** Tell the operator of a shipped skill that is left out, and why. */
export function reportSkill(problem: SkillProblem): void {
  console.warn(JSON.stringify({ level: 'warn', event: 'skill_left_out', ...problem }))
}

/** What SQLite could not write. */
const UNWRITABLE = /\bSQLITE_(?:FULL|IOERR|CANTOPEN)\b/
/** All that workerd says where it could not even open the database of an object: its own log has the rest. The platform says so of any fault
 *  of its own. */
const UNOPENED = /^internal error; reference = /

/** What whoever called is told of a throw: nothing can be written, the platform took an object away, or it is a bug. */
export function failureOf(error: unknown, { YAA_LOCAL: local }: Pick<Env, 'YAA_LOCAL'>): AppError {
  const said = error instanceof Error ? error.message : ''
  if (UNWRITABLE.test(said) || (local === '1' && UNOPENED.test(said))) return { code: 'storage_failed' }
  return { code: isReset(error) ? 'unavailable' : 'internal_error' }
}

/** Tell the operator of something that happened: one JSON line. */
export function logFact({ level, ...fact }: Fact): void {
  const line = JSON.stringify({ level, ...fact })
  if (level === 'error') console.error(line)
  else if (level === 'warn') console.warn(line)
  else console.log(line)
}
