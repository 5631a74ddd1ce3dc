/// <reference types="@cloudflare/vitest-plugin/types" />
import { describe, test } from 'vitest'
import type { SessionEvent } from '../../../src/domain/event.ts'
import { startPlay } from '../../support/play.ts'
import { role, team } from '../../support/session-claims/team-stage.ts'
import { expectSound } from '../../support/sound.ts'
import { native } from '../../support/words.ts'
import { dieAfter, logsBetweenMoves } from './die.ts'
import { call, json } from '../http/http.ts'
import { workerHome } from './worker-home.ts'

const startsOf = (log: readonly SessionEvent[], tool: string) =>
  log.filter((event) => event.type === 'tool-start' && event.tool === tool).length

describe('an isolate that dies while tasks are given away', () => {
  const config = { language: 'en', tools: { delegate: { enabled: true }, wait: { enabled: true } } }
  const when = (last_contains: string) => ({ when: { last_contains }, repeat: true as const })
  const found = { ...when('Find the place'), content: 'It was found.' }
  const script = [
    { ...native('finish', { reason: 'both' }), ...when('completed') },
    { ...native('delegate', { task: 'Find the place', background: true }), ...when('Start now') },
    { ...native('delegate', { task: 'Find the place again' }), ...when('is under way') },
    found,
    { ...native('task_status', { wait: true }), ...when('It was found') },
  ]

  test('at any place between two moves: each is begun once, and the run has its answer', async ({ expect }) => {
    const play = await startPlay(workerHome, { config, script })
    await play.create()
    expect(await play.send('Start now')).toMatchObject({ status: 'completed', result: 'both' })
    const logs = await logsBetweenMoves(play)
    expect(logs.length).toBeGreaterThan(8)
    for (const log of logs) {
      const again = await startPlay(workerHome, { config, script })
      await again.create()
      await again.send('Start now')
      await dieAfter(again, log)
      expect(await again.event('run-end')).toMatchObject({ status: 'completed', result: 'both' })
      const events = await again.events()
      expect(startsOf(events, 'delegate')).toBe(2)
      expect(events.filter(({ type }) => type === 'task-end')).toHaveLength(2)
      await expectSound(again, expect)
    }
  })
})

describe('an isolate that dies while a workflow works at a task', () => {
  const name = 'works-at-a-task'
  const when = (last_contains: string) => ({ when: { last_contains }, repeat: true as const })
  const script = [
    { ...native('finish', { reason: 'both' }), ...when('It was found, twice') },
    { ...native('delegate', { task: '{"place": "Oslo"}', to: `workflow/${name}` }), ...when('Start now') },
    { ...when('Find Oslo'), content: 'It was found' },
  ]
  const steps = [
    { id: 'find', type: 'agent', prompt: 'Find {{ inputs.place }}' },
    {
      id: 'each',
      type: 'map',
      over: '["once", "twice"]',
      steps: [{ id: 'note', type: 'set', values: { x: '{{ item }}' } }],
    },
  ]

  test('at any place between two moves: each step is begun once, and the call has its result', async ({ expect }) => {
    const inputs = { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] }
    const output = '{{ steps.find.output }}, {{ steps.each.output[1].x }}'
    await json(call('POST', '/v1/workflows', { body: { name, description: 'Works.', inputs, steps, output } }), 201)
    const config = { language: 'en', tools: { delegate: { enabled: true } } }
    const play = await startPlay(workerHome, { config, script })
    await play.create()
    expect(await play.send('Start now')).toMatchObject({ status: 'completed', result: 'both' })
    const logs = await logsBetweenMoves(play)
    expect(logs.length).toBeGreaterThan(6)
    for (const log of logs) {
      const again = await startPlay(workerHome, { config, script })
      await again.create()
      await again.send('Start now')
      await dieAfter(again, log)
      expect(await again.event('run-end')).toMatchObject({ status: 'completed', result: 'both' })
      const events = await again.events()
      expect(startsOf(events, 'delegate')).toBe(1)
      const begun = events.flatMap((event) => (event.type === 'step-start' ? [event.step.replace(/^tsk_\w+/, '')] : []))
      expect(begun).toEqual(['', '.find', '.each', '.each[0].note', '.each[1].note'])
      await expectSound(again, expect)
    }
  })
})

test('a role whose tools name delegation has the others, and its run ends', async ({ expect }) => {
  const tools = ['delegate', 'task_status', 'cancel_task', 'web_access']
  const play = await startPlay(workerHome, {
    config: { language: 'en', llm: { protocol: 'native' }, tools: { delegate: { enabled: true } } },
    script: [
      { ...native('delegate', { task: 'Do it' }), when: { contains: 'gather' } },
      { content: 'Gathered.' },
      { content: 'All.' },
    ],
  })
  await play.create(team(role('A', ['UserRequirement'], [{ name: 'gather', instruction: 'gather', tools }])))
  expect(await play.send('Start now')).toMatchObject({ status: 'completed' })
  const [first] = await play.asked()
  const offered = first?.body.tools?.map((tool) => tool.function.name) ?? []
  expect(offered).toContain('web_access')
  for (const name of tools.slice(0, 3)) expect(offered).not.toContain(name)
})
