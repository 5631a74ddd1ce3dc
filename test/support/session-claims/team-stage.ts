import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import type { NewSession } from '../../../src/domain/session-input.ts'
import type { TeamRole } from '../../../src/domain/team.ts'
import type { Asked } from '../peers.ts'
import type { Play, Setting } from '../play.ts'

export type Action = TeamRole['actions'][number]

export const role = (
  name: string,
  watch: string[],
  actions: (string | Action)[],
  more: Partial<TeamRole> = {},
): TeamRole => ({
  name,
  profile: `${name}-profile`,
  watch,
  actions: actions.map((action) =>
    typeof action === 'string' ? { name: action, instruction: `做${action}` } : action,
  ),
  react_mode: 'by_order',
  ...more,
})

export const team = (...roles: TeamRole[]): NewSession => ({ team: { roles } })
/** What the model says to an action, wherever it stands in the order. */
export const does = (action: string, content: string, more: Partial<StepInput & object> = {}): StepInput => ({
  when: { contains: `做${action}` },
  content,
  ...more,
})
export const setting = (...script: StepInput[]): Setting => ({ script })
export const textOf = ({ body }: Asked) => body.messages.map(({ content }) => content).join('\n')
export const lastTextOf = ({ body }: Asked) => body.messages.at(-1)?.content ?? ''

export async function stepsOf(play: Play): Promise<string[]> {
  const events = await play.events()
  return events.flatMap((event) => (event.type === 'role-state' ? [`${event.role} ${event.from}→${event.to}`] : []))
}

/** Begins and ends of rounds, and the ends of runs between them. */
export async function roundsOf(play: Play): Promise<string[]> {
  const events = await play.events()
  return events.flatMap((event) => {
    if (event.type === 'run-end') return [`run ${event.status}`]
    if (event.type === 'round-start') return [`start ${event.round}`]
    return event.type === 'round-end' ? [`end ${event.round}`] : []
  })
}

export async function historyOf(play: Play) {
  return (await play.session()).team?.history ?? []
}

/** Usage of a call that the money claims count with. */
export const TEN = { prompt_tokens: 1_000, completion_tokens: 100 }

export const WAIT = { form: 'wait' } as const
