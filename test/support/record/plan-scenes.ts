import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import type { SessionConfig } from '../../../src/domain/config.ts'
import type { Scene, Stage } from './stage.ts'

const EN: SessionConfig = { language: 'en', llm: { protocol: 'native' } }
const FREE: SessionConfig = { ...EN, tools: { web_access: { auto_approve: true } } }
const ASYNC = { prefer: 'respond-async' }
const READER = 'web-research'

const entry = (description: string, name = 'llm_tool') => ({ name, description })
const plan = (...entries: { name: string; description: string; depends_on?: number[] }[]) =>
  JSON.stringify({ plan: entries })
const NOTHING_LEFT = plan()
const read = (stage: Stage, name: string): StepInput => ({
  content: null,
  tool_calls: [{ name: 'web_access', arguments: { url: stage.page(name) } }],
})
const down: StepInput = { status: 400, body: { error: { message: 'down' } } }

const planned = (stage: Stage, steps: readonly StepInput[], config: SessionConfig = EN) =>
  stage.open(steps, config, 'plan')

async function decided(stage: Stage, id: string, decision: Record<string, unknown>): Promise<void> {
  const [pending] = (await stage.client.sessions.get(id)).pending
  await stage.post(`/v1/sessions/${id}/pending/${pending?.id}`, decision)
}

async function taskOf(stage: Stage, id: string, at = 0): Promise<string> {
  return (await stage.client.sessions.get(id)).plan?.tasks[at]?.id ?? ''
}

/** Runs that plan, and one that is given to a worker as a whole. */
export const PLAN_SCENES: Record<string, Scene> = {
  'plan-two-rounds': async (stage) => {
    const first = plan(entry('Look at one'), entry('Look at two'), { ...entry('Compare'), depends_on: [1, 2] })
    const second = plan(entry('Look  at one'), entry('Look again', 'nobody'))
    const steps = [first, 'Good.', 'Good.', 'Compared.', second, 'Seen.', NOTHING_LEFT, 'All is good.']
    const id = await planned(stage, steps)
    await stage.client.sessions.send(id, { content: 'Look at both' })
    return id
  },
  'plan-batches': async (stage) => {
    const steps = [plan(entry('Look at one'), entry('Look at two')), 'Good.', 'Good.', NOTHING_LEFT, 'All is good.']
    const id = await planned(stage, steps, { ...EN, limits: { max_iterations: 2 } })
    await stage.client.sessions.send(id, { content: 'Look at both' })
    await stage.client.sessions.continue(id)
    await stage.client.sessions.continue(id)
    return id
  },
  'plan-repair-and-last-round': async (stage) => {
    const steps = ['Let me see.', plan(entry('Look')), 'Seen.', 'It is good.']
    const id = await planned(stage, steps, { ...EN, limits: { max_plan_rounds: 1 } })
    await stage.client.sessions.send(id, { content: 'Look' })
    return id
  },
  'plan-reader-with-approval': async (stage) => {
    const work = plan(entry('Read it', READER), { ...entry('Think'), depends_on: [1] })
    const id = await planned(stage, [work, read(stage, 'a'), 'Read.', 'Thought.', NOTHING_LEFT, 'Done.'])
    await stage.client.sessions.send(id, { content: 'Read and think' })
    await decided(stage, id, { decision: 'approve' })
    return id
  },
  'plan-reader-stuck': async (stage) => {
    const wrong: StepInput = { content: null, tool_calls: [{ name: 'nowhere', arguments: {} }] }
    const steps = [plan(entry('Read it', READER)), wrong, wrong, NOTHING_LEFT, 'Nothing was read.']
    const id = await planned(stage, steps, { ...FREE, limits: { errors_in_a_row_max: 2 } })
    await stage.client.sessions.send(id, { content: 'Read it' })
    return id
  },
  'plan-reviewed': async (stage) => {
    const steps = [plan(entry('Look')), plan(entry('Look twice')), 'Looked.', NOTHING_LEFT, 'Done.']
    const id = await planned(stage, steps, { ...EN, plan: { review: true } })
    await stage.client.sessions.send(id, { content: 'Look' })
    await decided(stage, id, { decision: 'reject', feedback: 'look twice' })
    await decided(stage, id, { decision: 'approve', arguments: { plan: [entry('Look three times')] } })
    return id
  },
  'plan-task-retried': async (stage) => {
    const id = await planned(stage, [plan(entry('Look')), down, NOTHING_LEFT, 'Not seen.', 'Seen.', 'It was seen.'])
    await stage.client.sessions.send(id, { content: 'Look' })
    await stage.post(`/v1/sessions/${id}/tasks/${await taskOf(stage, id)}/retry`, {})
    return id
  },
  'plan-cancelled': async (stage) => {
    const id = await planned(stage, [plan(entry('Look at one'), entry('Look at two')), { hang: true }, { hang: true }])
    await stage.post(`/v1/sessions/${id}/messages`, { content: 'Look at both' }, ASYNC)
    await stage.asked(3)
    await stage.post(`/v1/sessions/${id}/tasks/${await taskOf(stage, id)}/cancel`, {}, ASYNC)
    await stage.client.sessions.cancel(id)
    return id
  },
  'plan-failed-and-continued': async (stage) => {
    const id = await planned(stage, [plan(entry('Look')), 'Seen.', down, NOTHING_LEFT, 'It was seen.'])
    await stage.client.sessions.send(id, { content: 'Look' })
    await stage.client.sessions.continue(id)
    return id
  },
  'plan-killed': async (stage) => {
    const work = plan(entry('Read it', READER), entry('Think'))
    const steps = [work, { hang: true }, { hang: true }, 'Good.', 'Good.', NOTHING_LEFT, 'All is good.'] as const
    const id = await planned(stage, steps, FREE)
    await stage.post(`/v1/sessions/${id}/messages`, { content: 'Read and think' }, ASYNC)
    await stage.asked(3)
    await stage.kill()
    await stage.settled(id)
    return id
  },
  'plan-bound-shared-by-tasks': async (stage) => {
    const two = (name: string): StepInput => {
      const one = `<web_access><url>${stage.page(name)}</url></web_access>`
      return `${one}\n${one}`
    }
    const work = plan(entry('Read one', READER), entry('Read two', READER), entry('Read three', READER))
    const hang: StepInput = { hang: true }
    const finish = '<finish><reason>It was read.</reason></finish>'
    const steps = [work, two('a'), two('b'), hang, hang, hang, finish, finish, finish, NOTHING_LEFT, 'All is read.']
    const id = await planned(stage, steps, { language: 'en', llm: { protocol: 'xml' }, limits: { max_iterations: 2 } })
    await stage.post(`/v1/sessions/${id}/messages`, { content: 'Read all three' }, ASYNC)
    await stage.waiting(id, 2)
    for (const count of [4, 5, 6]) {
      await stage.get(`/v1/sessions/${id}`)
      await stage.asked(count)
      await stage.kill()
    }
    await stage.settled(id)
    for (let batches = 0; batches < 3; batches++) await stage.client.sessions.continue(id)
    return id
  },
  'route-to-reader': async (stage) => {
    const steps = [
      `{"worker": "${READER}"}`,
      read(stage, 'a'),
      { content: null, tool_calls: [{ name: 'finish', arguments: { reason: 'It was read.' } }] },
    ]
    const id = await stage.open(steps, FREE, 'route')
    await stage.client.sessions.send(id, { content: 'Read it' })
    return id
  },
}
