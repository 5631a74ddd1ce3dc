import { seatOf } from './seat.ts'
import { MAIN, type RunState } from './state.ts'

type Scopes = Pick<RunState, 'scopes'>

/** A branch and those that it is a part of, itself first: a sub-task is a part of its role, a role of its sub-task. */
export function branchesAbove({ scopes }: Scopes, scope: string | null): string[] {
  const lines: string[] = []
  for (let line = scope; line !== null && !lines.includes(line);) {
    lines.push(line)
    line = scopes[line]?.parent ?? seatOf(line).owner
  }
  return lines
}

/** A branch with all that are parts of it. */
export function branchesOf(run: Scopes, scope: string): string[] {
  const isWithin = (line: string) => line !== MAIN && line !== scope && branchesAbove(run, line).includes(scope)
  return [scope, ...Object.keys(run.scopes).filter(isWithin)]
}
