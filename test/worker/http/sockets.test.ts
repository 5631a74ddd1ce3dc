import { evictDurableObject } from 'cloudflare:test'
import { describe, type ExpectStatic, test } from 'vitest'
import { offeredProtocols } from '../../../src/domain/socket.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { toBase64 } from '../../../src/lib/base64.ts'
import { sha256Hex } from '../../../src/lib/hash.ts'
import { auditObject, directoryObject, type Env } from '../../../src/objects/env.ts'
import { ADMIN_KEY } from '../../support/admin-key.ts'
import { PNG_URL } from '../../support/small-image.ts'
import { hear } from '../../support/sse.ts'
import { WORDS } from '../../support/words.ts'
import { env, stubOf, within } from '../session/worker-home.ts'
import { call, json, newSession, problem, read, sent, stage } from './http.ts'

const words = WORDS['zh-CN']
const WRITING = { content: null, chunks: ['我', '想', '想', words.finish('好')] }

interface Frame {
  type: string
  event_id?: string
  problem?: { status: number; code: string }
  [field: string]: unknown
}

/** A socket of a session, and all that came over it. */
class Line {
  readonly frames: (Frame | string)[] = []
  readonly closed: Promise<CloseEvent>
  readonly #socket: WebSocket
  #told: () => void = () => {}

  constructor(socket: WebSocket) {
    this.#socket = socket
    this.closed = new Promise((resolve) => socket.addEventListener('close', resolve))
    socket.addEventListener('message', ({ data }: MessageEvent) => {
      const text = String(data)
      this.frames.push(text.startsWith('{') ? (JSON.parse(text) as Frame) : text)
      this.#told()
    })
    socket.accept()
  }

  get events(): Frame[] {
    return this.frames.flatMap((frame) => (typeof frame === 'object' && frame.event_id !== undefined ? [frame] : []))
  }

  send(frame: unknown): void {
    this.#socket.send(typeof frame === 'string' || frame instanceof ArrayBuffer ? frame : JSON.stringify(frame))
  }

  close(): void {
    this.#socket.close(1000, 'enough')
  }

  /** The first frame behind the first `from` that fits, once it is there. */
  async frame(fits: (frame: Frame | string) => boolean, from = 0): Promise<Frame | string> {
    for (;;) {
      const found = this.frames.slice(from).find(fits)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => {
        this.#told = resolve
      })
    }
  }

  event(type: string, from = 0): Promise<Frame | string> {
    return this.frame((frame) => typeof frame === 'object' && frame.type === type, from)
  }

  /** Sends a frame, and gives the problem that comes back. */
  async refused(frame: unknown): Promise<Frame['problem']> {
    const from = this.frames.length
    this.send(frame)
    const told = await this.event('problem', from)
    return typeof told === 'object' ? told.problem : undefined
  }
}

const upgrade = (id: string, query = '', more: { headers?: Record<string, string>; env?: Partial<Env> } = {}) =>
  call('GET', `/v1/sessions/${id}/ws${query}`, { ...more, headers: { upgrade: 'websocket', ...more.headers } })

async function connect(...args: Parameters<typeof upgrade>): Promise<Line> {
  const answer = await upgrade(...args)
  if (answer.status !== 101 || !answer.webSocket) throw new Error(`101 was expected: ${await answer.text()}`)
  return new Line(answer.webSocket)
}

/** Frames without their ids are what the log holds. */
async function expectLog(id: string, line: Line, expect: ExpectStatic): Promise<void> {
  const { data } = await json<{ data: unknown[] }>(
    call('GET', `/v1/sessions/${id}/events?limit=100`, { headers: { accept: 'application/json' } }),
  )
  const written = line.events.filter(({ event_id: event }) => !event?.includes('.'))
  expect(
    written.map((frame) => Object.fromEntries(Object.entries(frame).filter(([name]) => name !== 'event_id'))),
  ).toEqual(data)
  expect(written.map(({ event_id: event }) => event)).toEqual(written.map((_, index) => String(index + 1)))
}

describe('a WebSocket', () => {
  test('tells the same as an event stream, deltas too, to each who connects', async ({ expect }) => {
    const { id } = await newSession(await stage([WRITING]))
    const [one, two] = [await connect(id), await connect(id)]
    const streamed = await call('POST', `/v1/sessions/${id}/messages`, {
      body: { content: words.task },
      headers: { accept: 'text/event-stream' },
    })
    const heard = await hear(streamed.body)
    await Promise.all([one.event('run-end'), two.event('run-end')])
    const told = ({ events }: Line) => events.map(({ event_id: event, ...data }) => ({ id: event, data }))
    expect(told(one)).toEqual(heard.map(({ id: event, data }) => ({ id: event, data })))
    expect(told(two)).toEqual(told(one))
    expect(one.events.filter(({ type }) => type === 'message-delta')).toHaveLength(4)
    await expectLog(id, one, expect)
  })

  test('takes the key among its protocols, as browsers give it, and names none of them but ours', async ({
    expect,
  }) => {
    const { id } = await newSession(await stage([WRITING]))
    const offering = (key: string) => ({
      headers: { authorization: '', 'sec-websocket-protocol': offeredProtocols(key).join(', ') },
    })
    const answer = await upgrade(id, '', offering(ADMIN_KEY))
    expect([answer.status, answer.headers.get('sec-websocket-protocol')]).toEqual([101, 'yaa'])
    answer.webSocket?.accept()
    answer.webSocket?.close()
    for (const wrong of ['another-key-of-32-characters-long', '钥匙 ?'])
      expect((await upgrade(id, '', offering(wrong))).status).toBe(401)
    const plain = { headers: { ...offering(ADMIN_KEY).headers, upgrade: '' } }
    expect((await call('GET', `/v1/sessions/${id}`, plain)).status).toBe(401)
    expect((await upgrade(id)).headers.get('sec-websocket-protocol')).toBeNull()
  })

  test('is taken up behind any id, with nothing lost and nothing twice', async ({ expect }) => {
    const { id } = await newSession(await stage([WRITING]))
    const whole = await connect(id)
    await sent(id, words.task)
    await whole.event('run-end')
    for (const [index, { event_id: event = '' }] of whole.events.entries()) {
      const rest = await connect(id, `?after=${event}`)
      if (index < whole.events.length - 1) await rest.event('run-end')
      expect(rest.events).toEqual(whole.events.slice(index + 1))
      rest.close()
    }
    const middle = whole.events.findIndex(({ event_id: event }) => event?.includes('.'))
    const known = whole.events[middle]?.event_id ?? ''
    const rest = await connect(id, '?after=1', { headers: { 'last-event-id': known } })
    await rest.event('run-end')
    expect(rest.events).toEqual(whole.events.slice(middle + 1))
    await problem(upgrade(id, '', { headers: { 'last-event-id': 'x' } }), 400)
  })

  test('drives the session: message, decide, continue, cancel', async ({ expect }) => {
    const set = await stage((page) => [
      words.visit(page('zh')),
      words.rethink('想'),
      words.finish('好'),
      { hang: true },
    ])
    const { id } = await newSession(set, { config: { ...set.config, limits: { max_iterations: 1 } } })
    const line = await connect(id)
    line.send({ type: 'message', content: words.task })
    const asked = await line.event('pending')
    await line.event('run-pause')
    const { id: pendingId } = (typeof asked === 'object' ? asked['pending'] : {}) as { id: string }
    const from = line.frames.length
    line.send({ type: 'decide', pending_id: pendingId, decision: 'approve' })
    await line.event('run-pause', from)
    line.send({ type: 'continue' })
    expect(await line.event('run-end')).toMatchObject({ status: 'completed', result: '好' })
    line.send({ type: 'message', content: '再来' })
    await set.model.asked(4)
    const behind = line.frames.length
    line.send({ type: 'message', content: '插队', when_busy: 'queue' })
    await line.event('message-queued', behind)
    await set.model.script([words.finish('三')])
    line.send({ type: 'cancel' })
    expect(await line.event('run-end', behind)).toMatchObject({ status: 'cancelled' })
    const next = line.frames.length
    await line.frame((frame) => typeof frame === 'object' && frame.type === 'run-end' && frame['result'] === '三', 0)
    expect(next).toBeGreaterThan(behind)
    expect(await set.site.visits()).toEqual(['zh'])
    await expectLog(id, line, expect)
    await directoryObject(env, 'default').forwardActs('default')
    const trail = await auditObject(env, 'default').list(null, { target: id }, 20)
    const told = trail.toReversed().map(({ action, actor, details }) => [action, actor.kind, Object.keys(details)])
    expect(told).toEqual([
      ['session.create', 'key', []],
      ['session.message', 'key', []],
      ['session.decide', 'key', ['pending_id', 'decision', 'decisions']],
      ['session.continue', 'key', []],
      ['session.message', 'key', []],
      ['session.message', 'key', []],
      ['session.cancel', 'key', []],
    ])
  })

  test('takes a message that steers the run, tools of its own, and their results', async ({ expect }) => {
    const beep = { content: '<beep>\n<times>2</times>\n</beep>' }
    const set = await stage([{ ...beep, hold_after: 0 }, words.rethink('…'), words.finish('好')])
    const { id } = await newSession(set)
    const line = await connect(id)
    const parameters = { type: 'object', properties: { times: { type: 'integer' } } }
    line.send({ type: 'message', content: words.task, client_tools: [{ name: 'beep', parameters }] })
    await set.model.asked(1)
    line.send({ type: 'message', content: '快一点', when_busy: 'steer' })
    await line.frame((frame) => JSON.stringify(frame).includes('"steer"'))
    await set.model.release()
    const asked = await line.event('pending')
    const { id: pendingId } = (typeof asked === 'object' ? asked['pending'] : {}) as { id: string }
    await line.event('run-pause')
    expect(await line.refused({ type: 'decide', pending_id: pendingId })).toMatchObject({ status: 400 })
    line.send({ type: 'decide', pending_id: pendingId, result: { done: true } })
    expect(await line.event('run-end')).toMatchObject({ status: 'completed', result: '好' })
    expect(JSON.stringify((await set.model.asked())[1]?.body.messages)).toContain('快一点')
    await expectLog(id, line, expect)
  })

  test('takes parts in a message, and is bounded beside their bytes as any body is', async ({ expect }) => {
    const set = await stage([words.finish('一点')])
    const { id } = await newSession(set)
    const line = await connect(id)
    expect(await line.refused({ type: 'message', content: [{ type: 'image', data: '?' }] })).toMatchObject({
      status: 400,
      errors: [{ path: 'content.0.data' }],
    })
    const long = { type: 'text', text: 'x'.repeat(LIMITS.http.bodyBytesMax) }
    expect(await line.refused({ type: 'message', content: [long] })).toMatchObject({ status: 413 })
    const data = toBase64(new Uint8Array(LIMITS.http.bodyBytesMax))
    const content = [
      { type: 'text', text: words.task },
      { type: 'image', image_url: PNG_URL, name: 'dot.png' },
    ]
    line.send({ type: 'message', content: [...content, { type: 'file', data, name: 'zeros.bin' }] })
    expect(await line.event('run-end')).toMatchObject({ status: 'completed' })
    const files = await json<{ data: { path: string }[] }>(call('GET', `/v1/sessions/${id}/files`))
    expect(files.data.map(({ path }) => path)).toEqual(['attachments/dot.png', 'attachments/zeros.bin'])
  })

  test('tells of what cannot be done as a problem, and stays open', async ({ expect }) => {
    const set = await stage([{ hang: true }])
    const { id } = await newSession(set)
    const line = await connect(id)
    for (const frame of [
      '{',
      '[]',
      '"x"',
      { type: 'dance' },
      { type: 'message' },
      { type: 'message', content: '' },
      { type: 'message', content: 'x', nonsense: 1 },
      { type: 'message', content: 'x', when_busy: 'never' },
      { type: 'decide', decision: 'approve' },
      new Uint8Array([1, 2, 3]).buffer,
    ]) {
      expect(await line.refused(frame), JSON.stringify(frame)).toMatchObject({ status: 400, code: 'invalid_input' })
    }
    expect(await line.refused({ type: 'continue' })).toMatchObject({ status: 409, code: 'nothing_to_continue' })
    expect(await line.refused({ type: 'decide', pending_id: 'pnd_x', decision: 'approve' })).toMatchObject({
      status: 409,
      code: 'stale_decision',
    })
    line.send({ type: 'message', content: words.task })
    await set.model.asked(1)
    expect(await line.refused({ type: 'message', content: '又' })).toMatchObject({ code: 'run_in_progress' })
    line.send({ type: 'cancel' })
    expect(await line.event('run-end')).toMatchObject({ status: 'cancelled' })
    expect((await read(id)).messages.filter(({ role }) => role === 'user')).toHaveLength(1)
  })

  test('does only what its key may', async ({ expect }) => {
    const scoped = async (scope: string) => ({
      id: scope,
      sha256: await sha256Hex(`k-${scope}`),
      scopes: [scope],
      tenant: 'default',
    })
    const keys = await Promise.all(['read', 'run', 'decide', 'admin'].map(scoped))
    const keyed = { YAA_CONFIG: JSON.stringify({ ...JSON.parse(env.YAA_CONFIG ?? '{}'), auth: { keys } }) }
    const bearer = (scope: string) => ({ env: keyed, headers: { authorization: `Bearer k-${scope}` } })
    const { id } = await newSession(await stage([words.finish('好')]))
    await problem(upgrade(id, '', { env: keyed }), 401)
    for (const scope of ['run', 'decide']) await problem(upgrade(id, '', bearer(scope)), 403)
    const watching = await connect(id, '', bearer('read'))
    for (const frame of [
      { type: 'message', content: 'x' },
      { type: 'continue' },
      { type: 'cancel' },
      { type: 'decide', pending_id: 'pnd_x', decision: 'approve' },
    ]) {
      expect(await watching.refused(frame)).toMatchObject({ status: 403, code: 'forbidden' })
    }
    const line = await connect(id, '', bearer('admin'))
    line.send({ type: 'message', content: words.task })
    expect(await watching.event('run-end')).toMatchObject({ result: '好' })
  })

  test('counts its frames against the rate of a key of the config, or of a token', async ({ expect }) => {
    const key = { id: 'few', sha256: await sha256Hex('k-few'), scopes: ['admin'], tenant: 'default' }
    const keys = [{ ...key, limits: { requests_per_minute: 3 } }]
    const few = {
      env: { YAA_CONFIG: JSON.stringify({ ...JSON.parse(env.YAA_CONFIG ?? '{}'), auth: { keys } }) },
      headers: { authorization: 'Bearer k-few' },
    }
    const { id } = await newSession(await stage([words.finish('好')]))
    const line = await connect(id, '', few)
    const told: unknown[] = []
    for (let frames = 0; frames < 3; frames++) told.push(await line.refused({ type: 'nothing' }))
    expect(told).toMatchObject([{ code: 'invalid_input' }, { code: 'invalid_input' }, { code: 'rate_limited' }])
  })

  test('is told nothing more once its key is revoked', async ({ expect }) => {
    const admin = {
      env: { YAA_API_KEY: 'k-admin-of-16-and-more', YAA_LOCAL: '' },
      headers: { authorization: 'Bearer k-admin-of-16-and-more' },
    }
    const { config } = await stage([words.finish('一'), words.finish('二')])
    const { id } = await json<{ id: string }>(call('POST', '/v1/sessions', { ...admin, body: { config } }), 201)
    const input = { name: 'listener', scopes: ['read'] }
    const made = await json<{ id: string; key: string }>(call('POST', '/v1/keys', { ...admin, body: input }), 201)
    const line = await connect(id, '', { ...admin, headers: { authorization: `Bearer ${made.key}` } })
    const say = (content: string) => json(call('POST', `/v1/sessions/${id}/messages`, { ...admin, body: { content } }))
    await say('甲')
    expect(await line.event('run-end')).toMatchObject({ result: '一' })
    await evictDurableObject(stubOf(id))
    expect((await call('DELETE', `/v1/keys/${made.id}`, admin)).status).toBe(204)
    const from = line.frames.length
    await say('乙')
    expect(await line.closed).toMatchObject({ code: 1008 })
    expect(line.frames.slice(from)).toMatchObject([{ type: 'problem', problem: { code: 'unauthorized' } }])
  })

  test('sleeps with its object: ping is answered, what comes is told, nothing twice', async ({ expect }) => {
    const { id } = await newSession(await stage([words.finish('一'), words.finish('二')]))
    const line = await connect(id)
    await sent(id, '甲')
    await line.event('run-end')
    await within(id, (object) => Object.assign(object, { marked: true }))
    await evictDurableObject(stubOf(id))
    line.send('ping')
    expect(await line.frame((frame) => frame === 'pong')).toBe('pong')
    const from = line.frames.length
    await sent(id, '乙')
    expect(await line.event('run-end', from)).toMatchObject({ result: '二' })
    expect(await within(id, (object) => 'marked' in object)).toBe(false)
    await expectLog(id, line, expect)
  })

  test('wakes its object with a command', async ({ expect }) => {
    const set = await stage((page) => [words.visit(page('zh')), words.finish('好')])
    const { id } = await newSession(set)
    const line = await connect(id)
    const { pending } = await sent(id, words.task)
    await evictDurableObject(stubOf(id))
    line.send({ type: 'decide', pending_id: pending[0]?.id, decision: 'approve' })
    expect(await line.event('run-end')).toMatchObject({ status: 'completed', result: '好' })
    await expectLog(id, line, expect)
  })

  test('is closed when its session is deleted, and gone when its client leaves', async ({ expect }) => {
    const { id } = await newSession(await stage([{ hang: true }]))
    const [line, other] = [await connect(id), await connect(id)]
    other.close()
    await other.closed
    const count = () => within(id, (_object, state) => state.getWebSockets().length)
    expect(await count()).toBe(1)
    line.send({ type: 'message', content: words.task })
    await line.event('model-start')
    expect((await call('DELETE', `/v1/sessions/${id}`)).status).toBe(204)
    expect(await line.closed).toMatchObject({ code: 1000, reason: 'the session was deleted' })
    expect(line.events.at(-1)).toMatchObject({ type: 'run-end', status: 'cancelled' })
  })

  test('is asked for by an upgrade, of a session that is there', async ({ expect }) => {
    const { id } = await newSession(await stage())
    const plain = await call('GET', `/v1/sessions/${id}/ws`)
    expect(plain.headers.get('upgrade')).toBe('websocket')
    expect(await problem(plain, 426)).toMatchObject({ code: 'upgrade_required' })
    await problem(upgrade('ses_00000000000000000000000000'), 404)
    await problem(upgrade(id, '?after=1'), 400)
    await problem(upgrade(id, '?from=1'), 400)
  })
})
