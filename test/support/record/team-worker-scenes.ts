import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import type { SessionConfig } from '../../../src/domain/config.ts'
import type { TeamRole } from '../../../src/domain/team.ts'
import { role } from '../session-claims/team-stage.ts'
import type { Scene, Stage } from './stage.ts'

const EN: SessionConfig = { language: 'en', llm: { protocol: 'native' } }
const ASYNC = { prefer: 'respond-async' }
const HEARD = ['UserRequirement']

const plan = (...entries: [worker: string, description: string][]) =>
  JSON.stringify({ plan: entries.map(([name, description]) => ({ name, description })) })
const read = (stage: Stage, name: string): StepInput => ({
  content: null,
  tool_calls: [{ name: 'web_access', arguments: { url: stage.page(name) } }],
})
const down: StepInput = { status: 400, body: { error: { message: 'down' } } }
const find = { name: 'Find', instruction: 'Find it.', tools: ['web_access'] }
const planner = role('Pat', HEARD, [find, 'Report'], { react_mode: 'plan_and_act' })
const PAIR = [role('Ann', HEARD, [find]), role('Bob', ['Find'], ['Judge', 'Praise'], { react_mode: 'react' })]

async function crew(stage: Stage, roles: TeamRole[], rounds = 5): Promise<void> {
  const about = { name: 'crew', version: '1', description: 'A crew.', worker: true }
  await stage.post('/v1/skills', { ...about, team: { roles, n_round: rounds } })
}

async function decided(stage: Stage, id: string): Promise<void> {
  const [pending] = (await stage.client.sessions.get(id)).pending
  await stage.post(`/v1/sessions/${id}/pending/${pending?.id}`, { decision: 'approve' })
}

/** Plans that give work to teams. */
export const TEAM_WORKER_SCENES: Record<string, Scene> = {
  'team-worker-approval-and-choice': async (stage) => {
    await crew(stage, PAIR)
    const steps = [plan(['crew', 'a']), read(stage, 'a'), 'Read.', '1', 'Praised.', '-1', plan(), 'All.']
    const id = await stage.open(steps, { ...EN, limits: { max_iterations: 60 } }, 'plan')
    await stage.client.sessions.send(id, { content: 'Work' })
    await decided(stage, id)
    return id
  },
  'team-worker-failed-and-done-anew': async (stage) => {
    await crew(stage, [role('Ann', HEARD, ['Draft']), role('Bob', HEARD, ['Judge'])])
    const steps = [plan(['crew', 'a']), 'Good.', down, plan(), 'All.', 'Good.', 'Better.', 'All again.']
    const id = await stage.open(steps, { ...EN, limits: { max_iterations: 60 } }, 'plan')
    await stage.client.sessions.send(id, { content: 'Work' })
    const [task] = (await stage.client.sessions.get(id)).plan?.tasks ?? []
    await stage.post(`/v1/sessions/${id}/tasks/${task?.id}/retry`, {})
    return id
  },
  'team-worker-whose-role-plans-cancelled': async (stage) => {
    await crew(stage, [planner])
    const id = await stage.open([plan(['crew', 'a']), plan(['Find', 'b']), { hang: true }], EN, 'plan')
    await stage.post(`/v1/sessions/${id}/messages`, { content: 'Work' }, ASYNC)
    await stage.asked(3)
    await stage.client.sessions.cancel(id)
    return id
  },
  'team-worker-killed': async (stage) => {
    await crew(stage, [role('Ann', HEARD, ['Draft']), planner], 1)
    const steps = [plan(['crew', 'a']), { hang: true }, { hang: true }, plan(), 'Hm.', 'Said.', 'Told.', 'All.', 'End.']
    const id = await stage.open(steps, EN, 'plan')
    await stage.post(`/v1/sessions/${id}/messages`, { content: 'Work' }, ASYNC)
    await stage.asked(3)
    await stage.kill()
    await stage.settled(id)
    return id
  },
}
