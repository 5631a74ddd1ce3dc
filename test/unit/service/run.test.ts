import { WrongKeys } from '../../../src/access/wrong-keys.ts'
import { describe, test } from 'vitest'
import { fail, ok, type AppError, type Result } from '../../../src/domain/errors.ts'
import type { PendingAnswer } from '../../../src/domain/session-input.ts'
import type { AuditFact } from '../../../src/domain/audit.ts'
import type { Scope } from '../../../src/domain/access.ts'
import { keyedSessionId, newSessionId } from '../../../src/access/marks.ts'
import { newId } from '../../../src/lib/id.ts'
import { act, type ActOrder } from '../../../src/service/act.ts'
import type { Caller } from '../../../src/service/caller.ts'
import { type CommandOf, type Order, run } from '../../../src/service/run.ts'
import type { ServicePorts } from '../../../src/service/ports.ts'
import type { KeyStand, RunAnswer } from '../../../src/session/call.ts'
import type { Claimed } from '../../../src/store/claims.ts'
import { TEST_SECRET } from '../../support/test-secret.ts'

const SESSION = await newSessionId(TEST_SECRET, 't', { now: 0, within: null })
const KEYED = await keyedSessionId(TEST_SECRET, 't', { key: 'once', generation: 0 }, null)
const STARTED: RunAnswer = { form: 'background', accepted: { id: SESSION, session_id: SESSION, run_id: 'run_1' } }
const TAKEN: AppError = { code: 'stale_decision', pendingId: 'pnd_1' }
const unused = () => {
  throw new Error('not asked for here')
}

/** What a tenant and a session answer. */
interface Script {
  answers?: () => Result<RunAnswer>
  /** Whom sessions that are asked to be made name in their place, in their order. */
  superseded?: number[]
  lease?: 'taken' | 'known' | 'full'
  claimed?: Claimed
  /** What sessions say of keys, in their order; then they are free. */
  stands?: KeyStand[]
}

/** The world of the service, which writes down what it is asked, in order. */
function worldOf({
  answers = () => ok(STARTED),
  lease = 'taken',
  claimed = { outcome: 'first', sessionId: null },
  stands = [],
  superseded = [],
}: Script = {}) {
  const asked: string[] = []
  /** What the audit was told, and what sessions were given to keep for it. */
  const facts: AuditFact[] = []
  const kept: AuditFact[] = []
  const note = <T>(word: string, answer: T) => {
    asked.push(word)
    return Promise.resolve(answer)
  }
  const answer = async (word: string, fact: AuditFact | undefined) => {
    asked.push(word)
    if (fact) kept.push(fact)
    return answers()
  }
  const append = (word: string, fact: AuditFact | null) => {
    if (fact) facts.push(fact)
    return note(`audit: ${fact ? fact.outcome : 'nothing'}${word}`, undefined)
  }
  const ports: ServicePorts = {
    session: () => ({
      create: async (_id, _tenant, _input, { act: fact }) => {
        const generation = superseded.shift()
        if (generation === undefined) return answer('session: create', fact)
        return note('session: superseded', ok({ replayed: true, generation }))
      },
      runSkill: unused,
      addMessage: (_input, { key, act: fact }) =>
        answer(`session: message${key === undefined ? '' : ` under ${key}`}`, fact),
      continue: unused,
      sendTeamMessage: unused,
      task: unused,
      retryStep: unused,
      decide: (_id, _input, { key, act: fact }) =>
        answer(`session: decide${key === undefined ? '' : ` under ${key}`}`, fact),
      decideAll: unused,
      answerAndSay: (answers, _input, { key, act: fact }) =>
        answer(`session: ${answers.length} answers and a message${key === undefined ? '' : ` under ${key}`}`, fact),
      keyStand: () => note('session: key of another?', stands.shift() ?? 'free'),
      keepSuccessor: (generation) => note(`session: next is ${generation}`, undefined),
      cancel: unused,
      export: unused,
      import: unused,
    }),
    tenant: () => ({
      admitKey: unused,
      takeRequest: unused,
      takeFrame: unused,
      holdsKey: unused,
      openLink: unused,
      leaseRun: () => note('tenant: lease', lease),
      giveBackRun: () => note('tenant: give back', undefined),
      takeSession: unused,
      keptBytes: unused,
      openConnection: unused,
      renewConnection: unused,
      closeConnection: unused,
      giveBackSession: unused,
      claimRunning: ({ key }) => note(`tenant: claim ${key}`, claimed),
      release: () => note('tenant: release', undefined),
      enterThread: unused,
      leaveThread: unused,
      keepAnswer: (_key, one) => note(`tenant: keep ${one?.body}`, undefined),
    }),
    audit: () => ({
      open: () => note('audit: begins', 'act_1'),
      close: (_id, fact) => append('', fact),
      record: (fact) => append('', fact),
      refuse: async (fact) => {
        await append(` ${String(fact.details['code'])}`, fact)
        return 0
      },
    }),
    nearKeys: () => null,
    listsSession: async () => false,
    place: null,
    config: {},
    tokens: { ofBearer: unused, ofAccess: unused },
    secret: async () => TEST_SECRET,
    streamsAhead: new Map(),
    wrongKeys: new WrongKeys(),
    apiKey: '',
    hasUsableSecret: true,
    isLocal: false,
    now: () => 0,
    report: unused,
    failureOf: () => ({ code: 'internal_error' }),
  }
  return { ports, asked, facts, kept, note }
}

const callerWith = (...scopes: Scope[]): Caller => ({
  principal: { kind: 'key', id: 'k', tenant: 't', scopes, limits: { sessions_at_once: 1 } },
  requestId: 'req_1',
})

/** A message under a key, as a request gives it. */
function messageIn(world: ReturnType<typeof worldOf>, more: Partial<Order<'message'>> = {}): Order<'message'> {
  return {
    type: 'message',
    sessionId: SESSION,
    idempotency: { key: 'once', asks: async () => ok('POST it') },
    read: () => world.note('door: read', ok({ type: 'message', input: { content: 'x' } } as const)),
    form: 'background',
    status: { good: 200, begun: 202 },
    ...more,
  }
}

/** A new session under a key, with a task. */
function creationIn(world: ReturnType<typeof worldOf>, more: Partial<Order<'create'>> = {}): Order<'create'> {
  return {
    ...messageIn(world),
    type: 'create',
    sessionId: null,
    read: () => world.note('door: read', ok({ type: 'create', input: { task: 'x' } } as const)),
    ...more,
  }
}

const decision: CommandOf<'decide'> = { type: 'decide', pendingId: 'pnd_1', input: { decision: 'approve' } }

describe('a command', () => {
  test('meets each rule in its order', async ({ expect }) => {
    const world = worldOf()
    const done = await run(world.ports, callerWith('run'), messageIn(world))
    expect(done).toMatchObject({ ok: true, value: { sessionId: SESSION, answer: STARTED } })
    expect(world.asked).toEqual(['door: read', 'tenant: lease', 'session: message under once'])
    expect(world.facts).toEqual([])
    expect(world.kept).toMatchObject([
      { action: 'session.message', target: SESSION, outcome: 'done', status: 202, request_id: 'req_1' },
    ])
  })

  test('that makes a session gives its key to the session that the key makes, and asks no tenant', async ({
    expect,
  }) => {
    const world = worldOf()
    const done = await run(world.ports, callerWith('run'), creationIn(world))
    expect(done).toMatchObject({ ok: true, value: { sessionId: KEYED } })
    expect(world.asked).toEqual(['door: read', 'tenant: lease', 'session: create'])
  })

  test('that makes a session goes on to the one that its key makes by now, which the first is told', async ({
    expect,
  }) => {
    const world = worldOf({ superseded: [1, 3] })
    const third = await keyedSessionId(TEST_SECRET, 't', { key: 'once', generation: 3 }, null)
    expect(await run(world.ports, callerWith('run'), creationIn(world))).toMatchObject({ value: { sessionId: third } })
    expect(world.kept.map(({ target }) => target).at(-1)).toBe(third)
    const again = ['tenant: lease', 'session: superseded', 'tenant: give back']
    expect(world.asked).toEqual([
      'door: read',
      ...again,
      ...again,
      'tenant: lease',
      'session: create',
      'session: next is 3',
    ])
  })

  test('of whoever lacks its scope is read by nobody, and on record', async ({ expect }) => {
    const world = worldOf()
    const done = await run(world.ports, callerWith('read', 'decide'), messageIn(world))
    expect(done).toMatchObject({ ok: false, error: { code: 'forbidden' } })
    expect(world.asked).toEqual(['audit: refused forbidden'])
  })

  test('that says something of what waits beside its words is one command, and needs scope decide where it decides', async ({
    expect,
  }) => {
    const said = (input: PendingAnswer['input']) => {
      const world = worldOf()
      const command = { type: 'message', input: { content: 'x' }, answers: [{ pendingId: 'pnd_1', input }] } as const
      return { world, order: messageIn(world, { read: () => world.note('door: read', ok(command)) }) }
    }
    const result = said({ result: 7 })
    expect(await run(result.world.ports, callerWith('run'), result.order)).toMatchObject({ ok: true })
    expect(result.world.asked).toEqual(['door: read', 'tenant: lease', 'session: 1 answers and a message under once'])
    const word = said({ decision: 'approve' })
    expect(await run(word.world.ports, callerWith('run'), word.order)).toMatchObject({
      error: { code: 'forbidden', scope: 'decide' },
    })
    expect(word.world.asked).toEqual(['door: read', 'audit: refused forbidden'])
    expect(await run(word.world.ports, callerWith('run', 'decide'), word.order)).toMatchObject({ ok: true })
  })

  test('whose key is none is read by nobody', async ({ expect }) => {
    const odd = worldOf()
    const order = messageIn(odd, { idempotency: { key: '', asks: async () => ok('') } })
    expect(await run(odd.ports, callerWith('run'), order)).toMatchObject({ error: { code: 'invalid_input' } })
    expect(odd.asked).toEqual([])
  })

  test('that does not fit is told first that its key was given to another of its session', async ({ expect }) => {
    const wrong = async () => fail({ code: 'invalid_input', detail: '', issues: [] })
    const world = worldOf({ stands: ['other'] })
    const refused = await run(world.ports, callerWith('run'), messageIn(world, { read: wrong }))
    expect(refused).toMatchObject({ error: { code: 'idempotency_key_reused' } })
    expect(world.asked).toEqual(['session: key of another?'])
  })

  test('that does not fit and would make a session is told so by the one that its key makes by now', async ({
    expect,
  }) => {
    const wrong = async () => fail({ code: 'invalid_input', detail: '', issues: [] })
    const world = worldOf({ stands: [{ replayed: true, generation: 2 }, 'other', 'other'] })
    const refused = await run(world.ports, callerWith('run'), creationIn(world, { read: wrong }))
    expect(refused).toMatchObject({ error: { code: 'idempotency_key_reused' } })
    const free = worldOf()
    const order = creationIn(free, { read: wrong })
    expect(await run(free.ports, callerWith('run'), order)).toMatchObject({ error: { code: 'invalid_input' } })
    expect(new Set(free.asked)).toEqual(new Set(['session: key of another?']))
  })

  test('that finds no place is done by nobody', async ({ expect }) => {
    const world = worldOf({ lease: 'full' })
    const done = await run(world.ports, callerWith('run'), creationIn(world))
    expect(done).toMatchObject({ error: { code: 'rate_limited', what: 'sessions of a key in progress' } })
    expect(world.asked).toEqual(['door: read', 'tenant: lease'])
  })

  test.for([
    ['refuses gives its place back', fail({ code: 'session_completed' }), ['tenant: give back']],
    ['is at it already does, too', fail({ code: 'idempotency_in_progress' }), ['tenant: give back']],
    ['did it before has its place back, and no act', ok({ ...STARTED, replayed: true }), ['tenant: give back']],
  ] as const)('whose session %s', async ([, answer, gives], { expect }) => {
    const world = worldOf({ answers: () => answer })
    await run(world.ports, callerWith('run'), creationIn(world))
    expect(world.asked.slice(2)).toEqual(['session: create', ...gives])
  })

  test('gives back no place that its session had before', async ({ expect }) => {
    const world = worldOf({ lease: 'known', answers: () => fail({ code: 'session_completed' }) })
    await run(world.ports, callerWith('run'), creationIn(world))
    expect(world.asked).not.toContain('tenant: give back')
  })

  test('that dies may have had its effect: the place is given back, and it has failed', async ({ expect }) => {
    const world = worldOf({
      answers: () => {
        throw new Error('died')
      },
    })
    await expect(run(world.ports, callerWith('run'), creationIn(world))).rejects.toThrow('died')
    expect(world.asked.slice(3)).toEqual(['tenant: give back', 'audit: failed'])
    expect(world.facts).toMatchObject([{ status: 500, details: { code: 'internal_error' } }])
  })

  test('that makes a session without a task takes no place, and acts upon what is made', async ({ expect }) => {
    const world = worldOf()
    const read = async () => ok({ type: 'create', input: {} } as const)
    const done = await run(world.ports, callerWith('admin'), {
      ...creationIn(world),
      read,
      status: null,
    })
    expect(done).toMatchObject({ value: { sessionId: KEYED } })
    expect(world.asked).toEqual(['session: create'])
    expect(world.kept).toMatchObject([{ action: 'session.create', target: KEYED, status: null }])
  })

  test('for what no session can be called wakes none', async ({ expect }) => {
    const world = worldOf()
    const forged = `${SESSION.slice(0, -1)}${SESSION.endsWith('0') ? '1' : '0'}`
    for (const sessionId of ['ses_x', forged, `${SESSION}-eu`, newId('ses', 0)]) {
      const done = await run(world.ports, callerWith('run'), messageIn(world, { sessionId }))
      expect(done).toMatchObject({ error: { code: 'not_found', what: 'session' } })
    }
    expect(world.asked).toEqual([])
  })
})

describe('a decision', () => {
  const orderOf = (status: Order<'decide'>['status']): Order<'decide'> => ({
    type: 'decide',
    sessionId: SESSION,
    idempotency: null,
    read: async () => ok(decision),
    form: 'stream',
    ...(status === undefined ? {} : { status }),
  })
  const REQUEST = { good: 200, begun: 202 }

  test.for([
    ['of a request', REQUEST, 200],
    ['of a frame', null, null],
  ] as const)('%s is on record with what it said', async ([, status, kept], { expect }) => {
    const world = worldOf()
    await run(world.ports, callerWith('decide'), orderOf(status))
    expect(world.asked).toEqual(['session: decide'])
    const details = { pending_id: 'pnd_1', decision: 'approve' }
    expect(world.kept).toMatchObject([{ action: 'session.decide', status: kept, details }])
  })

  test('that a door puts on record itself is kept by no session', async ({ expect }) => {
    const world = worldOf()
    await run(world.ports, callerWith('decide'), orderOf(undefined))
    expect([world.asked, world.kept]).toEqual([['session: decide'], []])
  })

  test('that came too late is on record', async ({ expect }) => {
    const world = worldOf({ answers: () => fail(TAKEN) })
    await run(world.ports, callerWith('decide'), orderOf(REQUEST))
    expect(world.asked).toEqual(['session: decide', 'audit: refused stale_decision'])
  })

  test('by a link is for the item of the link, and its keys are its own', async ({ expect }) => {
    const world = worldOf()
    const link = { id: 'lnk_1', scope: 'decide', sessionId: SESSION, pendingId: 'pnd_2' } as const
    const made = { allowEdit: false, createdBy: 'k', createdTime: 0, expiresTime: 1 }
    const caller: Caller = {
      principal: { kind: 'link', id: link.id, tenant: 't', scopes: ['decide'] },
      requestId: 'req_1',
      link: { ...link, ...made },
    }
    const idempotency = { key: 'once', asks: async () => ok('') }
    const done = await run(world.ports, caller, { ...orderOf(REQUEST), idempotency })
    expect(done).toMatchObject({ error: { code: 'forbidden' } })
    expect(world.asked.splice(0)).toEqual(['audit: refused forbidden'])
    const own = { ...orderOf(REQUEST), idempotency, read: async () => ok({ ...decision, pendingId: 'pnd_2' }) }
    await run(world.ports, caller, own)
    expect(world.asked).toEqual(['session: decide under lnk_1\nonce'])
  })
})

describe("what is the tenant's", () => {
  interface Thing {
    id: string
    replayed?: boolean
  }
  const THING: Thing = { id: 'thing_1' }
  const answer = { status: 201, contentType: 'application/json', body: '{}' }
  const orderIn = (
    world: ReturnType<typeof worldOf>,
    more: Partial<ActOrder<{ name: string }, { id: string }>> = {},
  ) => ({
    scope: 'admin' as const,
    action: 'thing.create',
    target: null,
    idempotency: { key: 'once', asks: async () => ok('POST it') },
    read: () => world.note('door: read', ok({ name: 'secret' })),
    fieldsOf: (input: { name: string }) => input,
    endOf: ({ id }: Thing) => ({ status: 201, made: id }),
    keptOf: () => answer,
    ...more,
  })
  const make = (world: ReturnType<typeof worldOf>) => () => world.note('work', ok(THING))

  test('meets the same rules, and its answer is kept before it is given', async ({ expect }) => {
    const world = worldOf()
    const done = await act(world.ports, callerWith('admin'), orderIn(world), make(world))
    expect(done).toMatchObject({ ok: true, value: { replayed: false, done: { id: 'thing_1' } } })
    const rules = ['audit: begins', 'tenant: claim once', 'door: read', 'work', 'tenant: keep {}', 'audit: done']
    expect(world.asked).toEqual(rules)
    expect(world.facts).toMatchObject([{ target: 'thing_1', status: 201, details: { fields: ['name'] } }])
  })

  test('is done by nobody who lacks its scope', async ({ expect }) => {
    const world = worldOf()
    const done = await act(world.ports, callerWith('run'), orderIn(world), make(world))
    expect(done).toMatchObject({ ok: false, error: { code: 'forbidden' } })
    expect(world.asked).toEqual(['audit: begins', 'audit: nothing', 'audit: refused forbidden'])
  })

  test('is told of when it was only to be read and was forbidden, and never else', async ({ expect }) => {
    const reads = { action: null, idempotency: null, target: 'thing_1' }
    const [refused, read] = [worldOf(), worldOf()]
    await act(refused.ports, callerWith('run'), orderIn(refused, reads), make(refused))
    expect(refused.facts).toMatchObject([{ action: 'access.read', target: 'thing_1', outcome: 'refused' }])
    await act(read.ports, callerWith('admin'), orderIn(read, reads), make(read))
    expect(read.asked).toEqual(['door: read', 'work'])
  })

  test('is done once: a repeat gets the answer that was kept', async ({ expect }) => {
    const world = worldOf({ claimed: { outcome: 'again', sessionId: null, answer } })
    const done = await act(world.ports, callerWith('admin'), orderIn(world), make(world))
    expect(done).toEqual(ok({ replayed: true, stored: answer }))
    expect(world.asked).toEqual(['audit: begins', 'tenant: claim once', 'audit: nothing'])
  })

  test('gives its key back when it was refused, or failed', async ({ expect }) => {
    const [refused, failed] = [worldOf(), worldOf()]
    await act(refused.ports, callerWith('admin'), orderIn(refused), async () => fail({ code: 'internal_error' }))
    expect(refused.asked.slice(-2)).toEqual(['tenant: release', 'audit: failed'])
    const broken = act(failed.ports, callerWith('admin'), orderIn(failed), () => Promise.reject(new Error('a bug')))
    await expect(broken).rejects.toThrow('a bug')
    expect(failed.asked.slice(-2)).toEqual(['tenant: release', 'audit: failed'])
  })
})
