import type { SkillProblem } from '../skills/shipped.ts'

/** Tell the operator of a bug: one JSON line. What goes to clients never holds any of it. */
export function report(error: unknown): void {
  const { name, message, stack } =
    error instanceof Error ? error : { name: 'Error', message: String(error), stack: undefined }
  console.error(JSON.stringify({ level: 'error', event: 'bug', name, message, stack }))
}

/** Whether the platform took an object away while it worked: at a deploy, or because it was aborted. */
export function isReset(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'durableObjectReset') === true
}

/** Tell the operator of a shipped skill that is left out, and why. */
export function reportSkill(problem: SkillProblem): void {
  console.warn(JSON.stringify({ level: 'warn', event: 'skill_left_out', ...problem }))
}
