import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import type { SessionConfig } from '../../../src/domain/config.ts'
import type { Scene, Stage } from './stage.ts'

const EN: SessionConfig = { language: 'en', llm: { protocol: 'native' } }
const FREE: SessionConfig = { ...EN, tools: { web_access: { auto_approve: true }, write_file: { auto_approve: true } } }

async function opened(stage: Stage, steps: object[], script: readonly StepInput[], config = FREE): Promise<string> {
  await stage.put('/v1/workflows/recorded', { description: 'Recorded.', steps })
  return stage.open(script, config, { workflow: 'recorded' })
}

const write = (id: string, path: string, more: object = {}) => ({
  id,
  type: 'tool',
  tool: 'write_file',
  arguments: { path, content: '{{ task }}' },
  ...more,
})

async function decided(stage: Stage, id: string, decision: Record<string, unknown>): Promise<void> {
  const [pending] = (await stage.client.sessions.get(id)).pending
  await stage.post(`/v1/sessions/${id}/pending/${pending?.id}`, decision)
}

/** Runs that go by a workflow. */
export const WORKFLOW_SCENES: Record<string, Scene> = {
  'workflow-of-all-kinds': async (stage) => {
    const id = await opened(
      stage,
      [
        { id: 'list', type: 'set', values: { names: ['a', 'b', 'c'] } },
        {
          id: 'each',
          type: 'map',
          over: 'steps.list.output.names',
          concurrency: 2,
          steps: [
            { id: 'read', type: 'tool', tool: 'web_access', arguments: { url: `${stage.page('x')}-{{ item }}` } },
          ],
        },
        {
          id: 'both',
          type: 'parallel',
          branches: [
            [{ id: 'left', type: 'agent', prompt: 'Look left.' }],
            [{ id: 'right', type: 'set', values: { n: '{{ length(task) }}' } }],
          ],
        },
        { id: 'agree', type: 'wait', approval: 'Go on with {{ task }}?' },
        {
          id: 'kind',
          type: 'switch',
          value: 'steps.left.output',
          cases: [{ matches: 'Good*', steps: [{ id: 'rate', type: 'agent', prompt: 'Rate it.' }] }],
          default: [write('never', 'never.txt')],
        },
        write('skipped', 'skipped.txt', { when: 'steps.kind.output == "none"' }),
      ],
      ['Good so far.', 'Ten.'],
    )
    await stage.client.sessions.send(id, { content: 'Look at all' })
    await decided(stage, id, { decision: 'approve' })
    return id
  },
  'workflow-failed-and-undone': async (stage) => {
    const id = await opened(
      stage,
      [
        write('one', 'one.txt', { rollback: [write('undo_one', 'undone.txt')] }),
        {
          id: 'gone',
          type: 'tool',
          tool: 'web_access',
          arguments: { url: 'http://127.0.0.1:1/' },
          retry: { times: 1, delay_ms: 50 },
        },
        write('never', 'never.txt'),
      ],
      [],
    )
    await stage.post(`/v1/sessions/${id}/messages`, { content: 'Try' }, { prefer: 'respond-async' })
    for (let status = ''; status !== 'failed';) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      ;({ status } = await stage.client.sessions.get(id, { messages: 'none' }))
    }
    return id
  },
  'workflow-step-retried': async (stage) => {
    const id = await opened(
      stage,
      [
        write('before', 'before.txt'),
        {
          id: 'each',
          type: 'map',
          over: '["a", "b"]',
          steps: [{ id: 'say', type: 'agent', prompt: 'Say {{ item }}.' }],
        },
        write('after', 'after.txt'),
      ],
      ['A.', { status: 400, body: { error: { message: 'down' } } }, 'B.', 'A, anew.'],
    )
    await stage.client.sessions.send(id, { content: 'Go' })
    await stage.client.sessions.retryStep(id, 'each[1].say')
    await stage.client.sessions.retryStep(id, 'each[0]')
    return id
  },
  'workflow-killed': async (stage) => {
    const id = await opened(
      stage,
      [
        write('before', 'before.txt'),
        { id: 'slow', type: 'agent', prompt: 'Take your time.' },
        write('after', 'after.txt'),
      ],
      [{ hang: true }, 'At last.'],
    )
    await stage.post(`/v1/sessions/${id}/messages`, { content: 'Go' }, { prefer: 'respond-async' })
    await stage.asked(1)
    await stage.kill()
    await stage.settled(id)
    return id
  },
}
