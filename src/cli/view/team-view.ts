import type { StreamEvent } from '../../client/client.ts'
import { USER } from '../../domain/team.ts'
import type { Texts } from '../texts.ts'
import { excerpt } from './excerpt.ts'
import type { ViewPart } from './view-part.ts'
import { visible } from './visible.ts'

export interface TeamView {
  /** Parts to show for an event that is of a team; null: it is to be shown as in any run. */
  push(event: StreamEvent): ViewPart[] | null
}

/** What a person reads of a team: its rounds, who does what in them, and the start of what each publishes. What roles write at the
 *  same time is left out; what nobody heard comes whole with the answer. */
export function createTeamView(texts: Texts): TeamView {
  let acting: readonly string[] = []

  function pushRound({ round, roles }: StreamEvent & { type: 'round-start' }): ViewPart[] {
    acting = roles
    return [line('call', `# ${texts.teamRound(round)}: ${roles.map((role) => visible(role)).join(', ')}`)]
  }

  function pushState({ role, to, action }: StreamEvent & { type: 'role-state' }): ViewPart[] {
    if (to !== 'EXECUTING') return []
    return [line('dim', `▶ ${visible(role)}${action === undefined ? '' : `: ${visible(action)}`}`)]
  }

  function pushMessage({ message }: StreamEvent & { type: 'team-message' }): ViewPart[] {
    const { sent_from: from, cause_by: cause, content } = message
    return from === USER ? [] : [line('good', `✓ ${visible(from)} · ${visible(cause)}: ${excerpt(content)}`)]
  }

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
          return isOfRole ? [] : null
        case 'message':
          return isOfRole && event.message.role === 'assistant' ? [] : null
        case 'model-start':
          return isOfRole
            ? [{ type: 'status', text: `${visible(event.scope ?? '')}: ${texts.thinking(event.model)}` }]
            : null
        case 'call-refused':
          return [line('bad', `✗ ${visible(event.scope ?? '')}: ${event.code}`)]
        default:
          return null
      }
    },
  }
}

const line = (style: (ViewPart & { type: 'line' })['style'], text: string): ViewPart => ({ type: 'line', style, text })
