import { describe, test } from 'vitest'
import type { AuditFact } from '../../../src/domain/audit.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { nodeHome, type NodeHome } from '../../support/node-home.ts'
import { startPlay, valueOf } from '../../support/play.ts'
import { native } from '../../support/words.ts'

const config = { llm: { protocol: 'native' as const } }
const finish = (reason: string) => native('finish', { reason })
const script = ['one', 'two', 'three'].map(finish)

const act = (action: string): { act: AuditFact } => ({
  act: {
    actor: { kind: 'key', id: 'k' },
    action,
    target: null,
    outcome: 'done',
    status: 200,
    request_id: 'req_1',
    details: {},
  },
})
const send = (action: string) => ({ form: 'wait' as const, ...act(action) })

/** The actions that the audit has been told, once there are so many; each id once. */
async function told(home: NodeHome, count: number): Promise<string[]> {
  const once = () => new Map(home.acts.map(({ id, action }) => [id, action]))
  while (once().size < count) await new Promise((resolve) => setImmediate(resolve))
  return [...once().values()]
}

describe.for(['memory', 'sqlite'] as const)('what was done to a session, in a log of kind %s,', (kind) => {
  test('is told in its order, once each', async ({ expect }) => {
    const home = await nodeHome(kind, [], { language: 'en' })
    const play = await startPlay(home, { script, config })
    await play.create({}, send('session.create'))
    await valueOf(play.api.addMessage({ content: 'a' }, send('session.message')))
    await valueOf(play.api.cancel(act('session.cancel')))
    await valueOf(play.api.addMessage({ content: 'b' }, send('session.message')))
    const all = ['session.create', 'session.message', 'session.cancel', 'session.message']
    expect(await told(home, all.length)).toEqual(all)
    expect(home.acts).toHaveLength(all.length)
    await home.close()
  })

  test('is told by the alarm when the tenant could not be reached', async ({ expect }) => {
    const home = await nodeHome(kind, [], { language: 'en' })
    const play = await startPlay(home, { script, config })
    home.directoryIsDown = true
    await play.create({ task: 'Do it' }, send('session.create'))
    while (home.bugs().length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(home.acts).toEqual([])
    home.directoryIsDown = false
    home.advance(LIMITS.run.watchdogMs)
    expect(await told(home, 1)).toEqual(['session.create'])
    await home.close()
  })

  test('is told by whoever opens it when the process died before, in its order', async ({ expect }) => {
    const home = await nodeHome(kind, [], { language: 'en' })
    const play = await startPlay(home, { script, config })
    home.directoryIsDown = true
    await play.create({}, send('session.create'))
    await valueOf(play.api.addMessage({ content: 'a' }, send('session.message')))
    home.kill(play.id)
    home.directoryIsDown = false
    await valueOf(play.api.addMessage({ content: 'b' }, send('session.message')))
    expect(await told(home, 3)).toEqual(['session.create', 'session.message', 'session.message'])
    home.kill(play.id)
    await valueOf(play.api.addMessage({ content: 'c' }, send('session.message')))
    expect(await told(home, 4)).toHaveLength(4)
    await home.close()
  })

  test('is told with its creation, when the process died before anything was told', async ({ expect }) => {
    const home = await nodeHome(kind, [], { language: 'en' })
    const play = await startPlay(home, { script, config })
    home.directoryIsDown = true
    await play.create({ task: 'Do it' }, send('session.create'))
    home.kill(play.id)
    home.directoryIsDown = false
    await valueOf(play.api.addMessage({ content: 'b' }, send('session.message')))
    expect(await told(home, 2)).toEqual(['session.create', 'session.message'])
    await home.close()
  })

  test('is told once more by an opening at most, however much was told before', async ({ expect }) => {
    const home = await nodeHome(kind, [], { language: 'en' })
    const play = await startPlay(home, { script: [...script, ...script], config })
    await play.create({ task: 'Do it' }, send('session.create'))
    for (const content of ['a', 'b', 'c', 'd']) await valueOf(play.api.addMessage({ content }, send('session.message')))
    await told(home, 5)
    home.kill(play.id)
    await valueOf(play.api.addMessage({ content: 'again' }, send('session.message')))
    await told(home, 6)
    expect(home.acts.length).toBeLessThanOrEqual(7)
    await home.close()
  })

  test('is in no copy and in no export of it', async ({ expect }) => {
    const home = await nodeHome(kind, [], { language: 'en' })
    const play = await startPlay(home, { script, config })
    await play.create({ task: 'Do it' }, send('session.create'))
    await valueOf(play.api.addMessage({ content: 'a' }, send('session.message')))
    const exported = await new Response(await valueOf(play.api.export(null, true))).text()
    expect(exported).not.toMatch(/req_1|session\.(create|message)/)
    await home.close()
  })
})
