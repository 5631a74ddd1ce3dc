import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, inject, test } from 'vitest'
import type { AuditEntry } from '../../../src/domain/audit.ts'
import type { ConnectionAuthorization } from '../../../src/domain/connection.ts'
import type { UserJob } from '../../../src/domain/user-job.ts'
import { WORDS } from '../../support/words.ts'
import { env } from '../session/worker-home.ts'
import { call, json, type List, newSession, problem, sent, stage } from './http.ts'

const words = WORDS['zh-CN']
const pathOf = (user: string, rest = '') => `/v1/users/${encodeURIComponent(user)}${rest}`
const memoryOf = (user: string) => env.MEMORY.getByName(`default:${user}`)

/** A user with sessions, one of which has a link, and a preference. */
async function person(sessions: number) {
  const user = `李 ${crypto.randomUUID()}`
  const ids: string[] = []
  for (let n = 0; n < sessions; n++) {
    const { id } = await newSession(await stage([words.finish('好')]), { user })
    await sent(id, `任务 ${n}`)
    ids.push(id)
  }
  if (sessions > 0) await json(call('POST', `/v1/sessions/${ids[0]}/links`, { body: { scope: 'read' } }), 201)
  await json(call('PUT', pathOf(user, '/memory/preferences/称呼'), { body: { value: '船长' } }))
  return { user, ids }
}

/** The job when it is over; its alarm rings meanwhile. */
async function over(user: string, id: string): Promise<UserJob> {
  for (;;) {
    await runDurableObjectAlarm(memoryOf(user))
    const job = await json<UserJob>(call('GET', pathOf(user, `/jobs/${id}`)))
    if (job.status !== 'in_progress') return job
  }
}

async function erase(user: string): Promise<void> {
  const { id } = await json<UserJob>(call('DELETE', pathOf(user)), 202)
  await over(user, id)
}

async function leftOf(user: string) {
  const size = async (path: string) => (await json<List<unknown>>(call('GET', path))).data.length
  const by = await json<List<{ key: string | null }>>(call('GET', '/v1/usage?by=user&limit=100'))
  return {
    sessions: await size(`/v1/sessions?user=${encodeURIComponent(user)}`),
    memory: await Promise.all(
      ['preferences', 'conversations', 'tasks'].map((list) => size(pathOf(user, `/memory/${list}`))),
    ),
    usage: by.data.filter(({ key }) => key === user).length,
  }
}

describe('all that there is of a person', () => {
  test('is exported as JSON lines: preferences, rounds, tasks, sessions, links, usage', async ({ expect }) => {
    const { user, ids } = await person(2)
    const begun = await call('GET', pathOf(user, '/export'))
    expect([begun.status, begun.headers.get('retry-after')]).toEqual([202, '1'])
    const { id } = await json<UserJob>(begun, 202)
    expect(begun.headers.get('location')).toBe(pathOf(user, `/jobs/${id}`))
    expect(await over(user, id)).toMatchObject({
      type: 'export',
      status: 'completed',
      counts: { sessions: 2, links: 1 },
    })
    const lines = (await (await call('GET', pathOf(user, '/export'))).text()).trimEnd().split('\n')
    const all = lines.map((line): { type: string; document?: { session: { id: string } } } => JSON.parse(line))
    const count = (type: string) => all.filter((line) => line.type === type).length
    expect(['preference', 'conversation', 'task', 'session', 'link'].map(count)).toEqual([1, 2, 2, 2, 1])
    expect(count('usage')).toBeGreaterThan(0)
    expect(all.flatMap(({ document }) => (document ? [document.session.id] : [])).toSorted()).toEqual(ids.toSorted())
  })

  test('is erased, also when its process dies in the middle; usage stays without the name', async ({ expect }) => {
    const { user, ids } = await person(3)
    const begun = await call('DELETE', pathOf(user))
    const { id } = await json<UserJob>(begun, 202)
    expect(begun.headers.get('location')).toBe(pathOf(user, `/jobs/${id}`))
    // The object dies when the first session is gone and the others are not.
    const dying = runDurableObjectAlarm(memoryOf(user)).catch(() => {})
    const isGone = async (session: string) => (await call('GET', `/v1/sessions/${session}`)).status === 404
    while (!(await isGone(ids[2] ?? ''))) await Promise.resolve()
    await runInDurableObject(memoryOf(user), (_object, state) => state.abort('the isolate died')).catch(() => {})
    await dying
    expect(await over(user, id)).toMatchObject({ type: 'erase', status: 'completed', error: null })
    expect(await leftOf(user)).toEqual({ sessions: 0, memory: [0, 0, 0], usage: 0 })
    for (const session of ids) expect(await isGone(session)).toBe(true)
    const target = `target=${encodeURIComponent(user)}`
    const { data } = await json<List<AuditEntry>>(call('GET', `/v1/audit?${target}&limit=10`))
    expect(data.map(({ action }) => action)).toEqual(['user.erased', 'user.erase', 'memory.set_preference'])
  })

  for (const [ended, end] of [
    ['taken back from them', (user: string) => call('DELETE', `/v1/connections/desk?user=${encodeURIComponent(user)}`)],
    ['erased with them', (user: string) => erase(user)],
  ] as const)
    test(`comes back with no grant that was begun before it was ${ended}`, async ({ expect }) => {
      const { user } = await person(0)
      const { authority } = inject('oauth')
      const oauth2 = { authorize_url: `${authority}/authorize`, token_url: `${authority}/token`, client_id: 'yaa' }
      const body = { name: 'desk', origin: authority, each_user: true, secret: 'secret-of-a-client', oauth2 }
      await json(call('POST', '/v1/connections', { body }), 201)
      const begin = (who: string) =>
        call('POST', `/v1/connections/desk/authorize?user=${encodeURIComponent(who)}`, { body: {} })
      const backOf = async (begun: ReturnType<typeof begin>) => {
        const { url } = await json<ConnectionAuthorization>(begun)
        return new URL((await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '')
      }
      const gone = await backOf(begin(user))
      const other = await backOf(begin(`${user} II`))
      await end(user)
      expect((await call('GET', gone.pathname + gone.search)).status).toBe(400)
      expect((await call('GET', other.pathname + other.search)).status).toBe(200)
      expect((await call('DELETE', '/v1/connections/desk')).status).toBe(204)
    })

  test('is one job at a time', async ({ expect }) => {
    const { user } = await person(1)
    const { id } = await json<UserJob>(call('GET', pathOf(user, '/export')), 202)
    expect(await problem(call('DELETE', pathOf(user)), 409)).toMatchObject({
      code: 'job_in_progress',
      detail: expect.stringContaining(id),
    })
    await over(user, id)
    const erasure = await json<UserJob>(call('DELETE', pathOf(user)), 202)
    expect((await problem(call('GET', pathOf(user, '/export')), 409)).code).toBe('job_in_progress')
    await over(user, erasure.id)
    const jobs = await json<List<UserJob>>(call('GET', pathOf(user, '/jobs')))
    expect(jobs.data.map((job) => job.id)).toEqual([erasure.id, id])
  })

  test('is asked for by a name that there can be, and a job by its id', async ({ expect }) => {
    const user = `nobody-${crypto.randomUUID()}`
    expect((await json<List<UserJob>>(call('GET', pathOf(user, '/jobs')))).data).toEqual([])
    expect((await problem(call('GET', pathOf(user, '/jobs/job_1')), 404)).code).toBe('not_found')
    await problem(call('DELETE', pathOf('u'.repeat(201))), 400)
  })
})
