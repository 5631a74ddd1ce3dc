import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import type { SessionConfig } from '../../../src/domain/config.ts'
import { role } from '../session-claims/team-stage.ts'
import type { Cast, Scene, Stage } from './stage.ts'

const EN: SessionConfig = { language: 'en', llm: { protocol: 'native' } }
const ASYNC = { prefer: 'respond-async' }
const HEARD = ['UserRequirement']

const plan = (...descriptions: string[]) =>
  JSON.stringify({ plan: descriptions.map((description) => ({ name: 'Find', description })) })
const read = (stage: Stage, name: string): StepInput => ({
  content: null,
  tool_calls: [{ name: 'web_access', arguments: { url: stage.page(name) } }],
})
const down: StepInput = { status: 400, body: { error: { message: 'down' } } }
const find = { name: 'Find', instruction: 'Find it.', tools: ['web_access'] }
const planner = (name: string) => role(name, HEARD, [find, 'Report'], { react_mode: 'plan_and_act' })
const CAST: Cast = { team: { roles: [planner('Ann'), role('Bob', ['Report'], ['Judge'])] } }

async function decided(stage: Stage, id: string): Promise<void> {
  const [pending] = (await stage.client.sessions.get(id)).pending
  await stage.post(`/v1/sessions/${id}/pending/${pending?.id}`, { decision: 'approve' })
}

/** Teams in which a role plans its turn. */
export const ROLE_PLAN_SCENES: Record<string, Scene> = {
  'role-plan-rounds-and-approval': async (stage) => {
    const steps = [plan('a', 'b'), read(stage, 'a'), 'No need.', 'Read.', plan('c'), 'Done.', plan(), 'All.', 'Good.']
    const id = await stage.open(steps, EN, CAST)
    await stage.client.sessions.send(id, { content: 'Work' })
    await decided(stage, id)
    return id
  },
  'role-plan-without-a-plan': async (stage) => {
    const id = await stage.open(['Hm.', 'An answer.', 'Good.'], EN, CAST)
    await stage.client.sessions.send(id, { content: 'Work' })
    return id
  },
  'role-plan-reviewed-to-its-last-round': async (stage) => {
    const id = await stage.open(
      [plan('a'), 'Done.', 'All.', 'Good.'],
      {
        ...EN,
        plan: { review: true },
        limits: { max_plan_rounds: 1 },
      },
      CAST,
    )
    await stage.client.sessions.send(id, { content: 'Work' })
    await decided(stage, id)
    return id
  },
  'role-plan-failed-and-continued': async (stage) => {
    const steps = [plan('a'), down, down, plan(), 'All.', 'Good.']
    const id = await stage.open(steps, EN, CAST)
    await stage.client.sessions.send(id, { content: 'Work' })
    await stage.client.sessions.continue(id)
    return id
  },
  'role-plan-in-batches': async (stage) => {
    const steps = [plan('a'), 'Done.', plan(), 'All.', 'Good.']
    const id = await stage.open(steps, { ...EN, limits: { max_iterations: 2 } }, CAST)
    await stage.client.sessions.send(id, { content: 'Work' })
    await stage.client.sessions.continue(id)
    await stage.client.sessions.continue(id)
    return id
  },
  'role-plan-cancelled': async (stage) => {
    const id = await stage.open([plan('a', 'b'), 'Done.', { hang: true }], EN, CAST)
    await stage.post(`/v1/sessions/${id}/messages`, { content: 'Work' }, ASYNC)
    await stage.asked(3)
    await stage.client.sessions.cancel(id)
    return id
  },
  'role-plan-killed': async (stage) => {
    const steps = [plan('a', 'b'), { hang: true }, { hang: true }, 'Done.', 'Done.', plan(), 'All.', 'Good.']
    const id = await stage.open(steps, EN, CAST)
    await stage.post(`/v1/sessions/${id}/messages`, { content: 'Work' }, ASYNC)
    await stage.asked(3)
    await stage.kill()
    await stage.settled(id)
    return id
  },
}
