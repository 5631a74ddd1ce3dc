import { runInDurableObject } from 'cloudflare:test'
import { describe, test } from 'vitest'
import type { SessionEvent } from '../../../src/domain/event.ts'
import type { AgentResponseData, SessionData } from '../../../src/domain/session.ts'
import { sha256Hex } from '../../../src/lib/hash.ts'
import { newId } from '../../../src/lib/id.ts'
import { objectDatabase } from '../../../src/objects/storage.ts'
import counted from '../../contract/databases/counted.json' with { type: 'json' }
import { type RecordedDatabase, restore } from '../../support/recorded-database.ts'
import { env, stubOf } from '../session/worker-home.ts'
import { call, json, problem, read, stage } from './http.ts'

const RECORDED: Record<string, RecordedDatabase> = counted
const { DIRECTORY, TRIGGER, OUTBOX, AUDIT, METRICS, MEMORY } = env

/** The object dies with the database of an earlier release in it; whoever asks next wakes it with the code of today. */
async function dieWith(object: DurableObjectStub, kind: string): Promise<void> {
  await runInDurableObject(object, async (_object, { storage }) => {
    await storage.deleteAll()
    const recorded = RECORDED[kind]
    if (recorded) restore(objectDatabase(storage), recorded)
  })
  await runInDurableObject(object, (_object, state) => state.abort('the release changed')).catch(() => {})
}

/** The administrator of a tenant, all of whose objects an earlier release made. */
async function administratorOf(tenant: string) {
  for (const [place, kind] of [
    [DIRECTORY, 'directory'],
    [TRIGGER, 'trigger'],
    [OUTBOX, 'outbox'],
    [AUDIT, 'audit'],
    [METRICS, 'metrics'],
  ] as const)
    await dieWith(place.getByName(tenant), kind)
  await dieWith(MEMORY.getByName(`${tenant}:recorded`), 'memory')
  const keys = [{ id: tenant, sha256: await sha256Hex('k'), scopes: ['admin'], tenant }]
  const config = JSON.stringify({ ...JSON.parse(env.YAA_CONFIG ?? '{}'), auth: { keys } })
  return (method: string, path: string, body?: unknown) =>
    call(method, path, { env: { YAA_CONFIG: config }, body, headers: { authorization: 'Bearer k' } })
}

/** Ids of before have no mark: the list of the tenant knows them. */
async function listed(id: string): Promise<void> {
  const directory = env.DIRECTORY.getByName('default')
  await call('POST', '/v1/sessions', { body: { title: 'A session' } })
  const { data } = await directory.list({ limit: 1 })
  const [summary] = data
  if (!summary) throw new Error('a session was expected in the list')
  const nothing = { session: id, user: null, skill: null, rows: [] }
  await directory.put('default', { summary: { ...summary, id }, words: '', spent: nothing, acts: [] })
}

describe('what the release before left', () => {
  test('is a session that is read, decided, and goes on', async ({ expect }) => {
    const set = await stage([{ content: null, tool_calls: [{ name: 'finish', arguments: { reason: 'Done.' } }] }])
    const id = newId('ses', Date.now())
    await dieWith(stubOf(id), 'session')
    await problem(call('GET', `/v1/sessions/${id}`), 404)
    await listed(id)
    const before = await read(id)
    expect(before).toMatchObject({ status: 'interrupted', title: 'A session', pending: [{ tool: 'web_access' }] })
    const config = { llm: { model: set.model.name } }
    await json<SessionData>(call('PATCH', `/v1/sessions/${id}`, { body: { config } }))
    const path = `/v1/sessions/${id}/pending/${before.pending[0]?.id}`
    const decided = await json<AgentResponseData>(call('POST', path, { body: { decision: 'reject' } }))
    expect(decided).toMatchObject({ status: 'completed', result: 'Done.' })
    const headers = { accept: 'application/json' }
    const { data } = await json<{ data: SessionEvent[] }>(
      call('GET', `/v1/sessions/${id}/events?limit=100`, { headers }),
    )
    expect(data.map(({ seq }) => seq)).toEqual(data.map((_, index) => index + 1))
    expect(data.length).toBeGreaterThan(before.last_seq)
    expect(await (await call('GET', `/v1/sessions/${id}/files/notes/a.md`)).text()).toBe('# Notes\n')
  })

  test('is a tenant that finds all of its own, and keeps more', async ({ expect }) => {
    const ask = await administratorOf(`t-${crypto.randomUUID().slice(0, 8)}`)
    const names = async (path: string) =>
      (await json<{ data: Record<string, unknown>[] }>(ask('GET', path))).data.map(
        ({ name, title, event, key }) => name ?? title ?? event ?? key,
      )
    expect(await names('/v1/sessions')).toContain('A session')
    expect(await names('/v1/keys')).toEqual(['ci'])
    expect(await names('/v1/skills')).toContain('reader')
    expect(await names('/v1/mcp-servers')).toContain('docs')
    expect(await names('/v1/schedules')).toEqual(['nightly'])
    expect(await names('/v1/webhooks')).toEqual(['push'])
    expect(await names('/v1/usage?by=user')).toEqual(['recorded'])
    const callbacks = await json<{ data: { id: string }[] }>(ask('GET', '/v1/callbacks'))
    expect(await names(`/v1/callbacks/${callbacks.data[0]?.id}/deliveries`)).toEqual(['approval.requested'])
    expect(await names('/v1/users/recorded/memory/preferences')).toEqual(['tone'])
    expect(await (await ask('GET', '/v1/metrics')).text()).toContain('yaa_pending_total')
    await json(ask('POST', '/v1/keys', { name: 'more', scopes: ['read'] }), 201)
    await json(ask('PUT', '/v1/users/recorded/memory/preferences/colour', { value: 'blue' }))
    expect(await names('/v1/keys')).toEqual(['more', 'ci'])
    expect(await names('/v1/users/recorded/memory/preferences')).toEqual(['colour', 'tone'])
    expect(await json(ask('GET', '/v1/audit/verify'))).toMatchObject({ ok: true })
  })
})
