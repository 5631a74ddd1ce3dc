import type { StreamEvent } from '../../client/client.ts'
import { failureMessage } from '../../engine/failures/failure-text.ts'
import { USER, roleOfBranch } from '../../domain/role.ts'
import { TITLE_BRANCH } from '../../run/titling.ts'
import type { TerminalTexts } from '../texts.ts'
import { excerpt, visible } from './text.ts'
import type { ViewPart } from './screen.ts'

export interface TeamLines {
  /** Parts to show for an event that is of a team; null: it is to be shown as in any run. */
  push(event: StreamEvent): ViewPart[] | null
}

/** What a person reads of a team: its rounds, who does what in them, and the start of what each publishes. What roles write at the
 *  same time is left out; what nobody heard comes whole with the answer. */
export function createTeamView(texts: TerminalTexts, numberOf: (taskId: string) => number | null): TeamLines {
  let acting: readonly string[] = []

  /** What comes before a line about a team that works at a task: the number of the task. */
  function taskOf(scope: string | null): string {
    if (scope === null) return ''
    const number = numberOf(roleOfBranch(scope).owner ?? scope)
    return number === null ? '' : `[${number}] `
  }

  function pushRound({ scope, round, roles }: StreamEvent & { type: 'round-start' }): ViewPart[] {
    if (scope === null) acting = roles
    const names = texts.list(roles.map((role) => visible(role)))
    return [line('call', `# ${taskOf(scope)}${texts.told(texts.teamRound(round), names)}`)]
  }

  function pushState({ scope, role, to, action }: StreamEvent & { type: 'role-state' }): ViewPart[] {
    if (to !== 'EXECUTING') return []
    const told = action === undefined ? visible(role) : texts.told(visible(role), visible(action))
    return [line('dim', `▶ ${taskOf(scope)}${told}`)]
  }

  function pushMessage({ scope, message }: StreamEvent & { type: 'team-message' }): ViewPart[] {
    const { sent_from: from, cause_by: cause, content } = message
    if (from === USER) return []
    return [line('good', `✓ ${taskOf(scope)}${texts.told(`${visible(from)} · ${visible(cause)}`, excerpt(content))}`)]
  }

  /** A branch as a person knows it: a role, a task by its number, a role within a task. */
  function nameOf(scope: string): string {
    const task = taskOf(scope)
    const { owner, role } = roleOfBranch(scope)
    return task !== '' && owner === null ? task.trim() : `${task}${visible(role)}`
  }

  const why = (code: string) => texts.because(failureMessage(texts.language, code), code)

  return {
    push: (event) => {
      const isOfRole = event.scope !== null && acting.includes(event.scope)
      switch (event.type) {
        case 'round-start':
          return pushRound(event)
        case 'role-state':
          return pushState(event)
        case 'team-message':
          return pushMessage(event)
        case 'message-delta':
        case 'reasoning-delta':
        case 'answer-delta':
          return isOfRole ? [] : null
        case 'message':
          return isOfRole && event.message.role === 'assistant' ? [] : null
        case 'model-start':
          return isOfRole
            ? [{ type: 'status', text: texts.told(visible(event.scope ?? ''), texts.thinking(event.model)) }]
            : null
        case 'call-refused':
          return event.scope === TITLE_BRANCH
            ? []
            : [line('bad', `✗ ${texts.told(nameOf(event.scope ?? ''), why(event.code))}`)]
        default:
          return null
      }
    },
  }
}

const line = (style: (ViewPart & { type: 'line' })['style'], text: string): ViewPart => ({ type: 'line', style, text })
