import { REQUIREMENT } from '../../domain/role.ts'
import { isObject, memberOf } from '../../lib/json.ts'
import { joinedPath, stepsAt, textAt } from './definition.ts'

/** A team that is written out in a step, while it is written. */

export const REACT_MODES = ['by_order', 'react', 'plan_and_act'] as const

/** Whether a team is written out, and no name of one that the server has. */
export const isOwnTeam = (team: unknown): boolean => memberOf(team, 'roles') !== undefined

const actionsOf = (role: unknown): readonly unknown[] => stepsAt(memberOf(role, 'actions'))
const rolesOf = (team: unknown): readonly unknown[] => stepsAt(memberOf(team, 'roles'))

export const roleNames = (team: unknown): string[] => rolesOf(team).map((role) => textAt(role, 'name'))

/** Names of all actions, of whichever role. */
export const actionNames = (team: unknown): string[] =>
  rolesOf(team).flatMap((role) => actionsOf(role).map((action) => textAt(action, 'name')))

function freeName(begin: string, taken: readonly string[]): string {
  let number = taken.length + 1
  while (taken.includes(`${begin} ${number}`)) number++
  return `${begin} ${number}`
}

/** How new ones are called. */
interface Words {
  newRole: string
  newAction: string
}

export const newAction = ({ newAction: begin }: Words, team: unknown): Record<string, unknown> => ({
  name: freeName(begin, actionNames(team)),
  instruction: '',
})

/** The first role hears the task; one after it hears what the one before it does last. */
export function freshRole(words: Words, team: unknown): Record<string, unknown> {
  const last = textAt(actionsOf(rolesOf(team).at(-1)).at(-1), 'name')
  const watch = [last === '' ? REQUIREMENT : last]
  return { name: freeName(words.newRole, roleNames(team)), profile: '', watch, actions: [newAction(words, team)] }
}

/** A team in which an action, or a role, is called otherwise, also where others hear it or send to it. */
export function renamedIn(team: unknown, what: 'action' | 'role', before: string, name: string): unknown {
  const list = what === 'action' ? 'watch' : 'send_to'
  const follow = (value: unknown): unknown =>
    Array.isArray(value) && before !== '' ? value.map((one: unknown) => (one === before ? name : one)) : value
  const named = (one: unknown) => (isObject(one) && one['name'] === before ? { ...one, name } : one)
  const roles = rolesOf(team).map((role) => {
    const actions = actionsOf(role).map((action) => {
      const called = what === 'action' ? named(action) : action
      return what === 'role' ? withMember(called, list, follow) : called
    })
    const own = what === 'role' ? named(role) : withMember(role, list, follow)
    return isObject(own) ? { ...own, actions } : own
  })
  return isObject(team) ? { ...team, roles } : team
}

function withMember(value: unknown, name: string, change: (inner: unknown) => unknown): unknown {
  return isObject(value) && value[name] !== undefined ? { ...value, [name]: change(value[name]) } : value
}

const isBlank = (value: unknown) => typeof value !== 'string' || value.trim() === ''

/** Places in a team that have to be filled and are empty. */
export function emptyInTeam(team: unknown): string[] {
  return rolesOf(team).flatMap((role, at) => {
    const blank = ['name', 'profile'].filter((name) => isBlank(memberOf(role, name)))
    const watch = stepsAt(memberOf(role, 'watch')).length === 0 ? ['watch'] : []
    const within = actionsOf(role).flatMap((action, index) =>
      ['name', 'instruction']
        .filter((name) => isBlank(memberOf(action, name)))
        .map((name) => joinedPath('actions', index, name)),
    )
    return [...blank, ...watch, ...within].map((name) => joinedPath('roles', at, name))
  })
}

/** Fields of a team, of a role and of an action: what is refused of one is told there. */
const FIELDS =
  /^(?:n_round|roles\.\d+\.(?:name|profile|goal|watch|react_mode|model|actions\.\d+\.(?:name|instruction|tools)))(?=\.|$)/

/** The field that a path within a team is of; empty: the team itself. */
export const teamFieldOf = (path: string): string => FIELDS.exec(path)?.[0] ?? ''
