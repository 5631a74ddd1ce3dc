/** What the user's own words are published as. */
export const REQUIREMENT = 'UserRequirement'

/** Who the user is on the bus. */
export const USER = 'user'

/** In a watch: every message; in `send_to`: every role. */
export const EVERYBODY = '*'

export const ROLE_STEPS = ['IDLE', 'HAS_NEWS', 'HAS_TODO', 'EXECUTING'] as const
/** Where a role of a team stands. */
export type RoleStep = (typeof ROLE_STEPS)[number]

/** A role, and whose team it is of. `owner`: a sub-task, or null for the session's own team. */
interface RoleBranch {
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
export function roleOfBranch(scope: string): RoleBranch {
  const at = scope.indexOf(WITHIN)
  return at < 0 ? { owner: null, role: scope } : { owner: scope.slice(0, at), role: scope.slice(at + 1) }
}
