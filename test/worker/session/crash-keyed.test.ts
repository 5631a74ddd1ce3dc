/// <reference types="@cloudflare/vitest-plugin/types" />
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, inject, test } from 'vitest'
import type { SessionData } from '../../../src/domain/session.ts'
import { hearUntil } from '../../support/sse.ts'
import { WORDS } from '../../support/words.ts'
import { call, json, type List, newSession, read, type Stage, sent, stage } from '../http/http.ts'
import { die } from './die.ts'
import { env, stubOf, takeBugs } from './worker-home.ts'

const words = WORDS['zh-CN']

/** Lets so many calls of another object come and go. */
async function hops(count: number): Promise<void> {
  for (let hop = 0; hop < count; hop++)
    await env.SESSION.getByName('elsewhere')
      .fetch('http://x/')
      .catch(() => {})
}

/** Sends again until it is neither cut nor told that the first is still running, with a turn for the network in between. */
async function untilAnswered(post: () => Promise<Response>, { model }: Stage): Promise<Response> {
  let last = ''
  for (let times = 0; times < 200; times++) {
    const answer = await post().catch(() => null)
    if (answer && answer.status < 400) return answer
    const problem = answer ? await answer.json<{ code: string }>() : { code: 'cut' }
    if (!['cut', 'unavailable', 'idempotency_in_progress'].includes(problem.code)) {
      throw new Error(`an answer was expected: ${JSON.stringify(problem)}`)
    }
    last = JSON.stringify(problem)
    await model.asked()
  }
  throw new Error(`never answered: ${last}`)
}

const SCRIPT = (page: (name: string) => string) => [
  words.visit(page('zh')),
  words.rethink('一'),
  words.finish('好'),
  { content: words.finish('又'), repeat: true },
]

/** What is sent under a key, the session that it is sent to, and what counts its effects there. */
interface Deed {
  /** Brings the session to where the call can be made; gives its path and body. */
  ready: (set: Stage, id: string) => Promise<{ path: string; body?: unknown }>
  effects: (id: string) => Promise<number>
}

const counting = (fits: (session: SessionData) => number) => async (id: string) => fits(await read(id))
const eventsOf = async (id: string, type: string) => {
  const { data } = await json<List<{ type: string }>>(
    call('GET', `/v1/sessions/${id}/events?limit=100`, { headers: { accept: 'application/json' } }),
  )
  return data.filter((event) => event.type === type).length
}

const DEEDS: Record<string, Deed> = {
  'a message': {
    ready: async () => ({ path: 'messages', body: { content: words.task } }),
    effects: counting(({ messages }) => messages.filter(({ kind }) => kind === 'task').length),
  },
  'a decision': {
    ready: async (_set, id) => {
      const { pending } = await sent(id, words.task)
      return { path: `pending/${pending[0]?.id}`, body: { decision: 'approve' } }
    },
    effects: (id) => eventsOf(id, 'pending-end'),
  },
  'a continue': {
    ready: async (_set, id) => {
      const { pending } = await sent(id, words.task)
      await json(call('POST', `/v1/sessions/${id}/pending/${pending[0]?.id}`, { body: { decision: 'approve' } }))
      return { path: 'continue', body: {} }
    },
    // The decision resumed the run, and so did this.
    effects: async (id) => (await eventsOf(id, 'run-resume')) - 1,
  },
  'a cancel': {
    ready: async (_set, id) => {
      await sent(id, words.task)
      return { path: 'cancel' }
    },
    effects: (id) => eventsOf(id, 'run-end'),
  },
}

/** What an administrator makes, under a new name each time. */
const MADE: Record<string, () => { path: string; name: string; body: unknown }> = {
  'a skill': () => {
    const name = `made-${crypto.randomUUID().slice(0, 8)}`
    return { path: '/v1/skills', name, body: { name, version: '1', description: '试用' } }
  },
  'an MCP server': () => {
    const name = `made-${crypto.randomUUID().slice(0, 8)}`
    return { path: '/v1/mcp-servers', name, body: { name, url: inject('mcp').modern } }
  },
}

/** The tenant's object dies whenever it is to keep the answer of a key. */
async function cutAnswers(isCut: boolean): Promise<void> {
  const sql = isCut
    ? "CREATE TRIGGER cut BEFORE UPDATE ON claims BEGIN SELECT RAISE(ABORT, 'cut'); END"
    : 'DROP TRIGGER cut'
  await runInDurableObject(env.DIRECTORY.getByName('default'), (_object, { storage }) =>
    storage.sql.exec(sql).toArray(),
  )
}

describe('a process that dies between an effect and its answer', () => {
  test('of a call without a key: its caller is told 503 and when to look again, and the run goes on', async ({
    expect,
  }) => {
    const set = await stage([{ hang: true }, words.finish('好')])
    const { id } = await newSession(set)
    const waiting = call('POST', `/v1/sessions/${id}/messages`, { body: { content: words.task } })
    await set.model.asked(1)
    await die({ id })
    const answer = await waiting
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(await json(answer, 503)).toMatchObject({ code: 'unavailable' })
    expect((await read(id)).status).toBe('in_progress')
    await set.model.asked(2)
    const events = await call('GET', `/v1/sessions/${id}/events`, { headers: { accept: 'text/event-stream' } })
    const heard = await hearUntil(events.body, ({ event }) => event === 'run-end')
    expect(heard.at(-1)?.data).toMatchObject({ status: 'completed', result: '好' })
  })

  for (const [what, { ready, effects }] of Object.entries(DEEDS)) {
    test.for([0, 1, 2, 3, 5, 8])(
      `of ${what} under a key, after %i calls of others: sent again it has one effect and the answer`,
      async (after, { expect }) => {
        const set = await stage(SCRIPT)
        const { id } = await newSession(set, { config: { ...set.config, limits: { max_iterations: 1 } } })
        const { path, body } = await ready(set, id)
        const headers = { 'idempotency-key': crypto.randomUUID() }
        const post = () => call('POST', `/v1/sessions/${id}/${path}`, { body, headers })
        const first = post().catch(() => null)
        await hops(after)
        await die({ id })
        await first
        const second = await untilAnswered(post, set)
        const third = await post()
        expect(third.headers.get('idempotent-replayed')).toBe('true')
        expect(await third.text()).toBe(await second.text())
        expect(await effects(id)).toBe(1)
      },
    )
  }

  test.for([0, 2, 4, 7])(
    'of a creation, a fork or an import under a key, after %i calls of others: one session is made',
    async (after, { expect }) => {
      const set = await stage([{ content: words.finish('好'), repeat: true }])
      const user = `u-${crypto.randomUUID()}`
      const document = { session: { user, messages: [{ role: 'user', content: '你好' }] } }
      const { id: forked } = await newSession(set, { user })
      for (const [path, body] of [
        ['', { user, task: words.task, config: set.config }],
        ['', { user, title: '空' }],
        [`/${forked}/fork`, {}],
        ['/import', document],
      ] as const) {
        const headers = { 'idempotency-key': crypto.randomUUID() }
        const post = () => call('POST', `/v1/sessions${path}`, { body, headers })
        const first = post().catch(() => null)
        await hops(after)
        await abortAllDurableObjects()
        await first
        const answer = await untilAnswered(post, set)
        const made = await json<SessionData>(answer.clone(), 201)
        const again = await post()
        expect(await again.text()).toBe(await answer.text())
        expect((await read(made.id)).id).toBe(made.id)
        // A list that died as it was told is told again by the alarm.
        for (const id of [forked, made.id]) await runDurableObjectAlarm(stubOf(id))
      }
      const listed = async () => (await json<List<SessionData>>(call('GET', `/v1/sessions?user=${user}`))).data
      expect(await listed()).toHaveLength(5)
    },
  )

  for (const [what, made] of Object.entries(MADE)) {
    test(`of ${what} under a key: one is made, and sent again it is answered so`, async ({ expect }) => {
      const set = await stage([])
      for (const after of [0, 1, 2, 3, 5, 8, 13]) {
        const { path, body, name } = made()
        const headers = { 'idempotency-key': crypto.randomUUID() }
        const post = () => call('POST', path, { body, headers })
        const first = post()
          .then((answer) => answer.text())
          .catch(() => null)
        await hops(after)
        await abortAllDurableObjects()
        await first
        const second = await untilAnswered(post, set)
        expect(second.status, `${after}`).toBe(201)
        expect(second.headers.get('location')).toBe(`${path}/${name}`)
        const told = await second.text()
        const third = await post()
        expect([third.status, third.headers.get('idempotent-replayed')], `${after}`).toEqual([201, 'true'])
        expect(await third.text()).toBe(told)
        expect(await json(call('GET', `${path}/${name}`))).toMatchObject({ name })
        await call('DELETE', `${path}/${name}`)
      }
    })

    test(`of ${what} under a key: an answer that cannot be kept leaves nothing made, and the key free`, async ({
      expect,
    }) => {
      const { path, body, name } = made()
      const headers = { 'idempotency-key': crypto.randomUUID() }
      const post = () => call('POST', path, { body, headers })
      await cutAnswers(true)
      const cut = await post()
      await cutAnswers(false)
      expect(cut.status).toBe(500)
      expect(takeBugs()).toEqual([expect.stringContaining('cut: SQLITE_CONSTRAINT')])
      expect((await call('GET', `${path}/${name}`)).status).toBe(404)
      expect((await post()).status).toBe(201)
      await call('DELETE', `${path}/${name}`)
    })
  }
})
