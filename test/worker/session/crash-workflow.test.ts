/// <reference types="@cloudflare/vitest-plugin/types" />
import { describe, test } from 'vitest'
import { workflowDefinition } from '../../../src/domain/workflow.ts'
import { directoryObject } from '../../../src/objects/env.ts'
import type { SessionEvent } from '../../../src/domain/event.ts'
import { responseOf, startPlay } from '../../support/play.ts'
import { expectSound } from '../../support/sound.ts'
import { dieAfter, logsBetweenMoves } from './die.ts'
import { env, workerHome } from './worker-home.ts'

const write = (id: string, content: string, more: object = {}) => ({
  id,
  type: 'tool',
  tool: 'write_file',
  arguments: { path: `${id}.txt`, content },
  ...more,
})

async function keep(name: string, steps: object[]): Promise<void> {
  const definition = workflowDefinition().parse({ name, description: 'A flow.', steps })
  await directoryObject(env, 'default').putWorkflow(definition, true, null)
}

/** How often each step was begun, and what came of it in the end. */
function standsOf(events: readonly SessionEvent[]) {
  const begun: Record<string, number> = {}
  for (const event of events) if (event.type === 'step-start') begun[event.step] = (begun[event.step] ?? 0) + 1
  return begun
}

describe('an isolate that dies while a workflow runs', () => {
  const config = { language: 'en', tools: { write_file: { auto_approve: true } } }
  const down = { status: 400, body: { error: { message: 'down' } } }
  const steps = [
    write('before', 'x'),
    {
      id: 'each',
      type: 'map',
      over: '[1, 2]',
      concurrency: 2,
      steps: [write('one', 'item', { arguments: { path: 'item-{{ item }}.txt', content: 'x' } })],
    },
    { id: 'say', type: 'agent', prompt: 'Say it' },
    write('after', '{{ steps.say.output }}'),
  ]
  const ONCE = { before: 1, each: 1, 'each[0].one': 1, 'each[1].one': 1, say: 1, after: 1 }

  test('at any place between two moves: each step is begun once, and the run ends', async ({ expect }) => {
    await keep('crash-all', steps)
    const input = { workflow: 'crash-all' }
    const script = [{ when: { last_contains: 'Say it' }, content: 'It.', repeat: true as const }]
    const play = await startPlay(workerHome, { config, script })
    await play.create(input)
    expect(await play.send('Go')).toMatchObject({ status: 'completed', error: null })
    const logs = await logsBetweenMoves(play)
    expect(logs.length).toBeGreaterThan(8)
    for (const log of logs) {
      const again = await startPlay(workerHome, { config, script })
      await again.create(input)
      await again.send('Go')
      await dieAfter(again, log)
      expect(await again.event('run-end')).toMatchObject({ status: 'completed' })
      expect(standsOf(await again.events())).toEqual(ONCE)
      await expectSound(again, expect)
    }
  })

  test('between the moves of a retry: what was done before is not done again', async ({ expect }) => {
    await keep('crash-retry', [write('a', 'x'), { id: 'b', type: 'agent', prompt: 'Say it' }, write('c', 'y')])
    const input = { workflow: 'crash-retry' }
    const script = [
      { when: { last_contains: 'Say it' }, ...down },
      { when: { last_contains: 'Say it' }, content: 'It.', repeat: true as const },
    ]
    const failed = async () => {
      const play = await startPlay(workerHome, { config, script })
      await play.create(input)
      expect(await play.send('Go')).toMatchObject({ status: 'failed' })
      return play
    }
    const retried = async () => {
      const play = await failed()
      expect(responseOf(await play.api.retryStep('b', { form: 'wait' }))).toMatchObject({ status: 'completed' })
      return play
    }
    const play = await retried()
    const { seq } = (await play.events()).find(({ type }) => type === 'step-redo') ?? { seq: Infinity }
    const logs = (await logsBetweenMoves(play)).filter((log) => (log.at(-1)?.seq ?? 0) >= seq)
    expect(logs.length).toBeGreaterThan(3)
    for (const log of logs) {
      const again = await retried()
      await dieAfter(again, log)
      expect(await again.event('run-end', seq)).toMatchObject({ status: 'completed' })
      expect(standsOf(await again.events())).toEqual({ a: 1, b: 2, c: 1 })
      await expectSound(again, expect)
    }
  })
})
