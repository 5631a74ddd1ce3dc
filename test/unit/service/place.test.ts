import { WrongKeys } from '../../../src/access/wrong-keys.ts'
import * as z from 'zod'
import { isMarked, newSessionId, shownSession } from '../../../src/access/marks.ts'
import { describe, type ExpectStatic, test } from 'vitest'
import { jurisdictionOf } from '../../../src/domain/place.ts'
import { ok } from '../../../src/domain/errors.ts'
import { serverConfig } from '../../../src/models/providers.ts'
import { newSession } from '../../../src/domain/session-input.ts'
import { idParts, isId, newId } from '../../../src/lib/id.ts'
import * as objects from '../../../src/objects/env.ts'
import type { Command } from '../../../src/service/run.ts'
import { run } from '../../../src/service/run.ts'
import type { ServicePorts } from '../../../src/service/ports.ts'
import { TEST_SECRET } from '../../support/test-secret.ts'

const BINDINGS = ['SESSION', 'DIRECTORY', 'MEMORY', 'TRIGGER', 'OUTBOX', 'AUDIT', 'METRICS', 'MCP_SESSION'] as const

/** Bindings that write down what they are asked for. */
function platform(config: object, local = '') {
  const asked: string[] = []
  const namespace = (binding: string): object => ({
    jurisdiction: (name: string) => namespace(`${binding} in ${name}`),
    getByName: (name: string, options?: { locationHint?: string }) => {
      asked.push(`${binding}: ${name}${options?.locationHint ? ` near ${options.locationHint}` : ''}`)
      return {}
    },
  })
  const bindings = Object.fromEntries(BINDINGS.map((name) => [name, namespace(name)]))
  const env: objects.Env = JSON.parse('{}')
  Object.assign(env, bindings, { YAA_CONFIG: JSON.stringify(config), YAA_LOCAL: local })
  return { env, asked }
}

function allObjects(env: objects.Env): void {
  objects.directoryObject(env, 't')
  objects.memoryObject(env, 't', 'u')
  objects.triggerObject(env, 't')
  objects.outboxObject(env, 't')
  objects.auditObject(env, 't')
  objects.metricsObject(env, 't')
  objects.mcpSessionObject(env, 't', 'mcp_1')
}

const EU = { place: { jurisdiction: 'eu', location_hint: 'weur' } }

describe('the objects of a server', () => {
  test('that has no place are asked for by their names alone', ({ expect }) => {
    const { env, asked } = platform({})
    objects.sessionObject(env, 't', 'ses_1')
    allObjects(env)
    expect(asked).toEqual([
      'SESSION: t:ses_1',
      'DIRECTORY: t',
      'MEMORY: t:u',
      'TRIGGER: t',
      'OUTBOX: t',
      'AUDIT: t',
      'METRICS: t',
      'MCP_SESSION: t:mcp_1',
    ])
  })

  test('that has one are asked for there, a session where its id says', ({ expect }) => {
    const { env, asked } = platform(EU)
    objects.sessionObject(env, 't', 'ses_1-fedramp-high', 'enam')
    objects.sessionObject(env, 't', 'ses_1')
    allObjects(env)
    expect(asked).toEqual([
      'SESSION in fedramp-high: t:ses_1-fedramp-high near enam',
      'SESSION: t:ses_1 near weur',
      'DIRECTORY in eu: t near weur',
      'MEMORY in eu: t:u near weur',
      'TRIGGER in eu: t near weur',
      'OUTBOX in eu: t near weur',
      'AUDIT in eu: t near weur',
      'METRICS in eu: t near weur',
      'MCP_SESSION in eu: t:mcp_1 near weur',
    ])
  })

  test('of one that runs on one machine have no place, whatever is asked', ({ expect }) => {
    const { env, asked } = platform(EU, '1')
    objects.sessionObject(env, 't', 'ses_1-eu')
    objects.directoryObject(env, 't')
    expect(asked).toEqual(['SESSION: t:ses_1-eu', 'DIRECTORY: t'])
    expect(objects.placeFor(env)).toBeNull()
  })
})

describe('a session', () => {
  const SESSION = newId('ses', 0)
  const unused = () => {
    throw new Error('nobody asks for this')
  }

  /** The session that a command is given to, where it is made, and what it is made of. */
  async function given(command: Command, place: ServicePorts['place'], sessionId: string | null = null) {
    const asked: unknown[] = []
    const answer = async () => ok({ etag: '"0"', body: '{}' })
    const ports: ServicePorts = {
      session: (_tenant, id, locationHint) => {
        asked.push({ id, locationHint })
        return {
          create: (made, _of, input) => {
            asked.push({ id: made, place: input.place })
            return answer()
          },
          import: answer,
          export: async () => ok(new Blob([]).stream()),
          runSkill: unused,
          addMessage: unused,
          continue: unused,
          sendTeamMessage: unused,
          decideAll: unused,
          answerAndSay: unused,
          task: unused,
          retryStep: unused,
          decide: unused,
          keyStand: () => 'free',
          keepSuccessor: unused,
          cancel: unused,
        }
      },
      tenant: unused,
      audit: unused,
      nearKeys: () => null,
      listsSession: async () => false,
      config: {},
      place,
      tokens: { ofBearer: unused, ofAccess: unused },
      secret: async () => TEST_SECRET,
      streamsAhead: new Map(),
      wrongKeys: new WrongKeys(),
      apiKey: '',
      hasUsableSecret: true,
      isLocal: false,
      now: () => 0,
      report: () => {},
      failureOf: () => ({ code: 'internal_error' }),
    }
    const principal = { kind: 'local', id: 'local', tenant: 't', scopes: ['run'] } as const
    const done = await run(
      ports,
      { principal: { ...principal, scopes: ['run'] }, requestId: null },
      {
        type: command.type,
        sessionId,
        idempotency: null,
        read: async () => ok(command),
        form: 'wait',
      },
    )
    return { done, asked }
  }

  const create = (place?: object): Command => ({ type: 'create', input: newSession.parse({ place }) })

  /** What stands behind a session's id, which is an id of this server. */
  async function endingOf(
    { asked }: Pick<Awaited<ReturnType<typeof given>>, 'asked'>,
    expect: ExpectStatic,
  ): Promise<string> {
    const { id } = z.object({ id: z.string() }).parse(asked.at(-1))
    const shown = shownSession('t', id)
    expect(shown && (await isMarked(TEST_SECRET, 'session', shown))).toBe(true)
    return idParts(id).ending
  }

  test('is made where the request says, which its id tells for ever', async ({ expect }) => {
    const made = await given(create({ jurisdiction: 'eu', location_hint: 'weur' }), {})
    expect(made.asked).toMatchObject([
      { locationHint: 'weur' },
      { place: { jurisdiction: 'eu', location_hint: 'weur' } },
    ])
    expect(await endingOf(made, expect)).toBe('-eu')
    expect(made.done).toMatchObject({ ok: true, value: { sessionId: expect.stringMatching(/-eu$/) } })
  })

  test('is made where the server says, where the request does not', async ({ expect }) => {
    const place = { jurisdiction: 'eu', location_hint: 'weur' } as const
    const own = await given(create({ jurisdiction: 'us' }), place)
    expect(own.asked[1]).toMatchObject({ place: { jurisdiction: 'us', location_hint: 'weur' } })
    expect(await endingOf(own, expect)).toBe('-us')
    const other = await given(create(), place)
    expect(other.asked[1]).toMatchObject({ place })
    expect(await endingOf(other, expect)).toBe('-eu')
  })

  test('has no place on one machine', async ({ expect }) => {
    const made = await given(create({ jurisdiction: 'eu' }), null)
    expect(made.asked).toMatchObject([{ locationHint: undefined }, { place: undefined }])
    expect(await endingOf(made, expect)).toBe('')
  })

  test('that is a fork is made where its origin is', async ({ expect }) => {
    const from = await newSessionId(TEST_SECRET, 't', { now: 0, within: 'eu' })
    const { done } = await given({ type: 'fork', from, atSeq: null }, {})
    expect(done).toMatchObject({ ok: true, value: { sessionId: expect.stringMatching(/-eu$/) } })
  })

  test('of which nobody knows is not copied, and no object is asked', async ({ expect }) => {
    const marked = await newSessionId(TEST_SECRET, 't', { now: 0, within: 'eu' })
    for (const from of [marked.replace('-eu', ''), marked.replace('-eu', '-us'), newId('ses', 0), 'ses_x']) {
      const { done, asked } = await given({ type: 'fork', from, atSeq: null }, {})
      expect(done).toMatchObject({ error: { code: 'not_found', what: 'session' } })
      expect(asked).toEqual([])
    }
  })

  test('has an id that says where it is, and is an id all the same', ({ expect }) => {
    expect([`${SESSION}-fedramp-high`, `${SESSION}-eu`, SESSION, `${SESSION}-mars`].map(jurisdictionOf)).toEqual([
      'fedramp-high',
      'eu',
      null,
      null,
    ])
    expect(
      [`${SESSION}-fedramp-high`, SESSION, `${SESSION}-`, `${SESSION}-eu-`, `${SESSION}eu`].map((id) =>
        isId('ses', id),
      ),
    ).toEqual([true, true, false, false, false])
  })

  test('is made nowhere that there is not', ({ expect }) => {
    expect(serverConfig.safeParse({ place: { jurisdiction: 'eu' } }).success).toBe(true)
    expect(serverConfig.safeParse({ place: { jurisdiction: 'moon' } }).success).toBe(false)
    expect(newSession.safeParse({ place: { location_hint: 'weur' } }).success).toBe(true)
    expect(newSession.safeParse({ place: { near: 'weur' } }).success).toBe(false)
  })
})
