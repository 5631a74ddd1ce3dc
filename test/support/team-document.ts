/** An exported session of a team in which every role hears the user, with so many messages on its bus that all were acted upon.
 *  `instruction`: of each role's one action. */
export function teamDocument(
  { roles, messages, instruction }: { roles: number; messages: number; instruction: string },
  config: object,
): unknown {
  const team = {
    name: null,
    roles: Array.from({ length: roles }, (_, index) => ({
      name: `Role${index}`,
      profile: 'Worker',
      watch: ['UserRequirement'],
      actions: [{ name: `Act${index}`, instruction }],
      react_mode: 'by_order',
    })),
    n_round: 5,
    investment: null,
    skills: {},
  }
  const time = '2026-01-01T00:00:00.000Z'
  const run = { run_id: 'run_1', scope: null, time }
  const said = Array.from({ length: messages }, (_, index) => ({
    ...run,
    seq: index + 2,
    type: 'team-message',
    heard_by: [],
    message: {
      id: `msg_${index}`,
      content: `Message ${index}: lighthouse ${index} is white, with a red lantern, on a rock.`,
      role: 'Worker',
      cause_by: `Act${index % roles}`,
      sent_from: `Role${index % roles}`,
      send_to: [],
      timestamp: time,
    },
  }))
  const start = { ...run, seq: 1, type: 'run-start', orchestrator: 'team', mode: 'request', resumed: false, rounds: 5 }
  const end = {
    ...run,
    seq: messages + 2,
    type: 'run-end',
    status: 'completed',
    finish_reason: 'completed',
    result: null,
    error: null,
  }
  return { session: { orchestrator: 'team', config }, team, events: [start, ...said, end] }
}
