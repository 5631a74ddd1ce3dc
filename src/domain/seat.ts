/** A role, and whose team it is of. `owner`: a sub-task, or null for the session's own team. */
export interface Seat {
  owner: string | null
  role: string
}

/** Names of roles and ids of sub-tasks have none of it. */
const WITHIN = '/'

/** What the branch of a role is called. */
export function branchOfRole(owner: string | null, role: string): string {
  return owner === null ? role : `${owner}${WITHIN}${role}`
}

/** Whose a branch is, if it is that of a role. */
export function seatOf(scope: string): Seat {
  const at = scope.indexOf(WITHIN)
  return at < 0 ? { owner: null, role: scope } : { owner: scope.slice(0, at), role: scope.slice(at + 1) }
}
