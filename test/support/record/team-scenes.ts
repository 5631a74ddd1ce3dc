import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import type { SessionConfig } from '../../../src/domain/config.ts'
import type { TeamRole } from '../../../src/domain/team.ts'
import { role } from '../session-claims/team-stage.ts'
import type { Cast, Scene, Stage } from './stage.ts'

const EN: SessionConfig = { language: 'en', llm: { protocol: 'native' } }
const FREE: SessionConfig = { ...EN, tools: { web_access: { auto_approve: true } } }
const ASYNC = { prefer: 'respond-async' }

const reads = (name: string) => ({ name, instruction: 'Read the page.', tools: ['web_access'] })
const read = (stage: Stage, name: string): StepInput => ({
  content: null,
  tool_calls: [{ name: 'web_access', arguments: { url: stage.page(name) } }],
})
const down: StepInput = { status: 400, body: { error: { message: 'down' } } }
const team = (...roles: TeamRole[]): Cast => ({ team: { roles } })
const HEARD = ['UserRequirement']
const BOTH = team(role('Left', HEARD, ['LeftWork']), role('Right', HEARD, ['RightWork']))
const PAIR = [role('Ping', ['UserRequirement', 'Pong'], ['Ping']), role('Pong', ['Ping'], ['Pong'])]

const staged = (stage: Stage, steps: readonly StepInput[], cast: Cast, config: SessionConfig = EN) =>
  stage.open(steps, config, cast)

async function decided(stage: Stage, id: string, decision: Record<string, unknown>): Promise<void> {
  const [pending] = (await stage.client.sessions.get(id)).pending
  await stage.post(`/v1/sessions/${id}/pending/${pending?.id}`, decision)
}

/** Runs of teams: rounds, roles that act at the same time, choices, people, money, and what cuts them. */
export const TEAM_SCENES: Record<string, Scene> = {
  'team-parallel-and-join': async (stage) => {
    const join = role('Join', ['LeftWork', 'RightWork'], ['JoinWork'])
    const cast = team(role('Left', HEARD, [reads('LeftWork')]), role('Right', HEARD, [reads('RightWork')]), join)
    const steps = [read(stage, 'a'), read(stage, 'b'), 'Read.', 'Read.', 'Joined.']
    const id = await staged(stage, steps, cast, FREE)
    await stage.client.sessions.send(id, { content: 'Read both' })
    return id
  },
  'team-batches': async (stage) => {
    const cast = team(role('Left', HEARD, ['LeftWork']), role('Right', ['LeftWork'], ['RightWork', 'Check']))
    const id = await staged(stage, ['One.', 'Two.', 'Three.'], cast, { ...EN, limits: { max_iterations: 1 } })
    await stage.client.sessions.send(id, { content: 'Work' })
    await stage.client.sessions.continue(id)
    await stage.client.sessions.continue(id)
    return id
  },
  'team-choices': async (stage) => {
    const actions = ['Draft', 'Check', { name: 'Send', instruction: 'Send it.', send_to: ['Nobody'] }]
    const cast = team(
      role('Writer', HEARD, actions, { react_mode: 'react' }),
      role('Editor', ['Draft'], ['Edit', 'Print'], { react_mode: 'react' }),
    )
    const id = await staged(stage, ['0', 'A draft.', '2', 'It is sent.', '-1', 'none of these'], cast)
    await stage.client.sessions.send(id, { content: 'Write' })
    return id
  },
  'team-role-that-plans': async (stage) => {
    const cast = team(
      role('Lead', HEARD, ['Look', 'Report'], { react_mode: 'plan_and_act' }),
      role('Note', ['Report'], ['Note']),
    )
    const plan = JSON.stringify({
      plan: [
        { name: 'Look', description: 'Look at one' },
        { name: 'Look', description: 'Look at two' },
      ],
    })
    const steps = ['Let me see.', plan, 'Seen.', 'Seen.', '{"plan": []}', 'All is good.', 'Noted.']
    const id = await staged(stage, steps, cast)
    await stage.client.sessions.send(id, { content: 'Look at both' })
    return id
  },
  'team-files': async (stage) => {
    const code = { name: 'Code', instruction: 'Write it.', output: 'files' } as const
    const cast = team(role('Engineer', HEARD, [code, 'Review']))
    const output = 'FILE: src/main.js\n```js\nrun()\n```\n\nFILE: ../x\n```\nx\n```\n'
    const id = await staged(stage, [output, 'It is good.'], cast)
    await stage.client.sessions.send(id, { content: 'Write it' })
    return id
  },
  'team-people': async (stage) => {
    const human = { human: true }
    const cast = team(role('Ann', HEARD, ['Agree'], human), role('Bob', HEARD, ['Object'], human))
    const id = await staged(stage, [], cast)
    await stage.client.sessions.send(id, { content: 'Shall we?' })
    await decided(stage, id, { decision: 'answer', answer: 'Yes.' })
    await decided(stage, id, { decision: 'reject' })
    return id
  },
  'team-approval-and-message': async (stage) => {
    const cast = team(role('Reader', HEARD, [reads('Read')]), role('Note', ['Hint'], ['Note']), role('H', [], ['Hint']))
    const id = await staged(stage, [read(stage, 'a'), 'Read.', 'Noted.'], cast)
    await stage.client.sessions.send(id, { content: 'Read it' })
    await stage.post(`/v1/sessions/${id}/team/messages`, { content: 'Mind the end', cause_by: 'Hint' })
    await decided(stage, id, { decision: 'approve' })
    return id
  },
  'team-failed-and-continued': async (stage) => {
    const id = await staged(stage, ['Good.', down, 'Good again.'], BOTH)
    await stage.client.sessions.send(id, { content: 'Work' })
    await stage.client.sessions.continue(id)
    return id
  },
  'team-failed-and-asked-anew': async (stage) => {
    const id = await staged(stage, [down, down, 'Good.', 'Good.'], BOTH)
    await stage.client.sessions.send(id, { content: 'Work' })
    await stage.client.sessions.send(id, { content: 'Work on' })
    return id
  },
  'team-cancelled': async (stage) => {
    const id = await staged(stage, ['Good.', { hang: true }], BOTH)
    await stage.post(`/v1/sessions/${id}/messages`, { content: 'Work' }, ASYNC)
    await stage.asked(2)
    await stage.client.sessions.cancel(id)
    return id
  },
  'team-killed': async (stage) => {
    const id = await staged(stage, [{ hang: true }, { hang: true }, 'Good.', 'Good.'], BOTH)
    await stage.post(`/v1/sessions/${id}/messages`, { content: 'Work' }, ASYNC)
    await stage.asked(2)
    await stage.kill()
    await stage.settled(id)
    return id
  },
  'team-out-of-rounds': async (stage) => {
    const id = await staged(stage, ['One.', 'Two.', 'Three.', 'Four.'], { team: { roles: PAIR, n_round: 3 } })
    await stage.client.sessions.send(id, { content: 'Play' })
    await stage.post(`/v1/sessions/${id}/continue`, { n_round: 1 })
    return id
  },
  'team-in-circles': async (stage) => {
    const steps = ['Ping.', 'Pong.', 'Ping.', 'Pong.', 'Ping.', 'Pong.']
    const id = await staged(stage, steps, { team: { roles: PAIR, n_round: 50 } })
    await stage.client.sessions.send(id, { content: 'Play' })
    return id
  },
  'team-no-money': async (stage) => {
    const investment = { amount: 0.012, currency: 'CNY' }
    const id = await staged(
      stage,
      ['One.', 'Two.'],
      { team: { roles: PAIR, n_round: 2, investment } },
      {
        ...EN,
        model: 'priced',
        llm: { protocol: 'native', max_tokens: 500 },
      },
    )
    await stage.client.sessions.send(id, { content: 'Play' })
    await stage.post(`/v1/sessions/${id}/continue`, { investment: { amount: 1, currency: 'CNY' } })
    return id
  },
}
