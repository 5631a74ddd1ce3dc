import { describe, test } from 'vitest'
import { fail, ok, type AppError, type Result } from '../../../src/domain/errors.ts'
import type { AuditFact } from '../../../src/domain/audit.ts'
import type { Scope } from '../../../src/domain/access.ts'
import { newId } from '../../../src/lib/id.ts'
import { act, type ActOrder } from '../../../src/service/act.ts'
import type { Caller } from '../../../src/service/caller.ts'
import { type CommandOf, type Order, run } from '../../../src/service/run.ts'
import type { ServicePorts } from '../../../src/service/ports.ts'
import type { RunAnswer } from '../../../src/session/call.ts'
import type { Claimed } from '../../../src/store/claims.ts'

const SESSION = newId('ses', 0)
const STARTED: RunAnswer = { form: 'background', accepted: { session_id: SESSION, run_id: 'run_1' } }
const TAKEN: AppError = { code: 'stale_decision', pendingId: 'pnd_1' }
const unused = () => {
  throw new Error('not asked for here')
}

/** What a tenant and a session answer. */
interface Script {
  answers?: () => Result<RunAnswer>
  lease?: 'taken' | 'known' | 'full'
  claimed?: Claimed
}

/** The world of the service, which writes down what it is asked, in order. */
function worldOf({
  answers = () => ok(STARTED),
  lease = 'taken',
  claimed = { outcome: 'first', sessionId: SESSION },
}: Script = {}) {
  const asked: string[] = []
  const facts: AuditFact[] = []
  const note = <T>(word: string, answer: T) => {
    asked.push(word)
    return Promise.resolve(answer)
  }
  const answer = async (word: string) => {
    asked.push(word)
    return answers()
  }
  const append = (word: string, fact: AuditFact | null) => {
    if (fact) facts.push(fact)
    return note(`audit: ${fact ? fact.outcome : 'nothing'}${word}`, undefined)
  }
  const ports: ServicePorts = {
    session: () => ({
      create: () => answer('session: create'),
      runSkill: unused,
      addMessage: (_input, { key }) => answer(`session: message${key === undefined ? '' : ` under ${key}`}`),
      continue: unused,
      tellTeam: unused,
      task: unused,
      decide: () => answer('session: decide'),
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
      claim: ({ key }) => note(`tenant: claim ${key}`, claimed),
      claimRunning: ({ key }) => note(`tenant: claim ${key}`, claimed),
      release: () => note('tenant: release', undefined),
      keepAnswer: (_key, kept) => note(`tenant: keep ${kept?.body}`, undefined),
    }),
    audit: () => ({
      open: () => note('audit: begins', 'act_1'),
      close: (_id, fact) => append('', fact),
      tell: (fact) => append('', fact),
      refuse: async (fact) => {
        await append(` ${String(fact.details['code'])}`, fact)
        return 0
      },
    }),
    nearKeys: () => null,
    config: {},
    tokens: { ofBearer: unused, ofAccess: unused },
    apiKey: '',
    isLocal: false,
    now: () => 0,
    report: unused,
    failureOf: () => ({ code: 'internal_error' }),
  }
  return { ports, asked, facts, note }
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
    record: { at: 'both', statusOf: () => 202 },
    ...more,
  }
}

const decision: CommandOf<'decide'> = { type: 'decide', pendingId: 'pnd_1', input: { decision: 'approve' } }

describe('a command', () => {
  test('meets each rule in its order', async ({ expect }) => {
    const world = worldOf()
    const done = await run(world.ports, callerWith('run'), messageIn(world))
    expect(done).toMatchObject({ ok: true, value: { sessionId: SESSION, answer: STARTED } })
    const rules = ['audit: begins', 'tenant: claim once', 'door: read', 'tenant: lease', 'session: message under once']
    expect(world.asked).toEqual([...rules, 'audit: done'])
    expect(world.facts).toMatchObject([
      { action: 'session.message', target: SESSION, status: 202, request_id: 'req_1' },
    ])
  })

  test('of whoever lacks its scope is read by nobody, and on record', async ({ expect }) => {
    const world = worldOf()
    const done = await run(world.ports, callerWith('read', 'decide'), messageIn(world))
    expect(done).toMatchObject({ ok: false, error: { code: 'forbidden' } })
    expect(world.asked).toEqual(['audit: begins', 'audit: nothing', 'audit: refused forbidden'])
  })

  test('whose key is none, or another request had, is read by nobody', async ({ expect }) => {
    const odd = worldOf()
    const order = messageIn(odd, { idempotency: { key: '', asks: async () => ok('') } })
    expect(await run(odd.ports, callerWith('run'), order)).toMatchObject({ error: { code: 'invalid_input' } })
    expect(odd.asked).toEqual(['audit: begins', 'audit: nothing'])
    const other = worldOf({ claimed: { outcome: 'other_request' } })
    const refused = await run(other.ports, callerWith('run'), messageIn(other))
    expect(refused).toMatchObject({ error: { code: 'idempotency_key_reused' } })
    expect(other.asked).toEqual(['audit: begins', 'tenant: claim once', 'audit: nothing'])
  })

  test('that does not fit gives its key back and takes no place', async ({ expect }) => {
    const world = worldOf()
    const wrong = fail({ code: 'invalid_input', detail: '', issues: [] })
    await run(world.ports, callerWith('run'), messageIn(world, { read: async () => wrong }))
    expect(world.asked).toEqual(['audit: begins', 'tenant: claim once', 'tenant: release', 'audit: nothing'])
  })

  test('that finds no place gives its key back', async ({ expect }) => {
    const world = worldOf({ lease: 'full' })
    const done = await run(world.ports, callerWith('run'), messageIn(world))
    expect(done).toMatchObject({ error: { code: 'rate_limited', what: 'sessions in progress' } })
    expect(world.asked.slice(2)).toEqual(['door: read', 'tenant: lease', 'tenant: release', 'audit: nothing'])
  })

  test.for([
    ['refuses gives place and key back', fail({ code: 'session_completed' }), ['tenant: give back', 'tenant: release']],
    ['is at it already keeps the key', fail({ code: 'idempotency_in_progress' }), ['tenant: give back']],
    ['did it before has its place back, and no act', ok({ ...STARTED, replayed: true }), ['tenant: give back']],
  ] as const)('whose session %s', async ([, answer, gives], { expect }) => {
    const world = worldOf({ answers: () => answer })
    await run(world.ports, callerWith('run'), messageIn(world))
    expect(world.asked.slice(4)).toEqual(['session: message under once', ...gives, 'audit: nothing'])
  })

  test('gives back no place that its session had before', async ({ expect }) => {
    const world = worldOf({ lease: 'known', answers: () => fail({ code: 'session_completed' }) })
    await run(world.ports, callerWith('run'), messageIn(world))
    expect(world.asked).not.toContain('tenant: give back')
  })

  test('that dies may have had its effect: the key stays taken, the place does not, and it has failed', async ({
    expect,
  }) => {
    const world = worldOf({
      answers: () => {
        throw new Error('died')
      },
    })
    await expect(run(world.ports, callerWith('run'), messageIn(world))).rejects.toThrow('died')
    expect(world.asked.slice(5)).toEqual(['tenant: give back', 'audit: failed'])
    expect(world.facts).toMatchObject([{ status: 500, details: { code: 'internal_error' } }])
  })

  test('that makes a session without a task takes no place, and acts upon what is made', async ({ expect }) => {
    const made = newId('ses', 1)
    const world = worldOf({ claimed: { outcome: 'again', sessionId: made, answer: null } })
    const read = async () => ok({ type: 'create', input: {} } as const)
    const done = await run(world.ports, callerWith('admin'), {
      ...messageIn(world),
      type: 'create',
      read,
      record: { at: 'end' },
    })
    expect(done).toMatchObject({ value: { sessionId: made } })
    expect(world.asked).toEqual(['tenant: claim once', 'session: create', 'audit: done'])
    expect(world.facts).toMatchObject([{ action: 'session.create', target: made, status: null }])
  })

  test('for what no session can be called wakes none', async ({ expect }) => {
    const world = worldOf()
    const done = await run(world.ports, callerWith('run'), messageIn(world, { sessionId: 'ses_x' }))
    expect(done).toMatchObject({ error: { code: 'not_found', what: 'session' } })
    expect(world.asked).toEqual(['audit: begins', 'audit: nothing'])
  })
})

describe('a decision', () => {
  const orderOf = (at: 'both' | 'end'): Order<'decide'> => ({
    type: 'decide',
    sessionId: SESSION,
    idempotency: null,
    read: async () => ok(decision),
    form: 'stream',
    record: at === 'end' ? { at } : { at, statusOf: () => 200 },
  })

  test('of a request is on record with what it said, of a frame with what it decided', async ({ expect }) => {
    const decided = [{ pending_id: 'pnd_1', decision: 'approve' }]
    const [request, frame] = [0, 1].map(() => worldOf({ answers: () => ok({ ...STARTED, decided }) }))
    if (!request || !frame) throw new Error('there are two')
    await run(request.ports, callerWith('decide'), orderOf('both'))
    expect(request.facts[0]?.details).toEqual({ pending_id: 'pnd_1', decision: 'approve', decisions: decided })
    await run(frame.ports, callerWith('decide'), orderOf('end'))
    expect(frame.asked).toEqual(['session: decide', 'audit: done'])
    expect(frame.facts[0]?.details).toEqual({ decisions: decided })
  })

  test('that came too late is on record', async ({ expect }) => {
    const world = worldOf({ answers: () => fail(TAKEN) })
    await run(world.ports, callerWith('decide'), orderOf('both'))
    expect(world.asked.slice(1)).toEqual(['session: decide', 'audit: nothing', 'audit: refused stale_decision'])
  })

  test('by a link is for the item of the link, and its keys are its own', async ({ expect }) => {
    const world = worldOf()
    const link = { id: 'lnk_1', scope: 'decide', sessionId: SESSION, pendingId: 'pnd_2' } as const
    const made = { createdBy: 'k', createdTime: 0, expiresTime: 1 }
    const caller: Caller = {
      principal: { kind: 'link', id: link.id, tenant: 't', scopes: ['decide'] },
      requestId: 'req_1',
      link: { ...link, ...made },
    }
    const idempotency = { key: 'once', asks: async () => ok('') }
    const done = await run(world.ports, caller, { ...orderOf('both'), idempotency })
    expect(done).toMatchObject({ error: { code: 'forbidden' } })
    expect(world.asked).toContain('tenant: claim lnk_1\nonce')
    expect(world.asked).not.toContain('session: decide')
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
