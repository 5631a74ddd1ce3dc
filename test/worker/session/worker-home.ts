import { reduce } from '../../../src/orchestrators/all.ts'
import type { SessionState } from '../../../src/domain/state.ts'
import { objectDatabase } from '../../../src/objects/storage.ts'
import { engineOf } from '../../../src/objects/engine.ts'
import { directoryObject, type Env, sessionObject } from '../../../src/objects/env.ts'
import { sqliteLog } from '../../../src/store/session-log.ts'
import { type Home, type SessionVerbs, TESTER } from '../../support/home.ts'
import type { SessionObject } from '../../../src/objects/session-object.ts'
/// <reference types="@cloudflare/vitest-plugin/types" />
import { runInDurableObject } from 'cloudflare:test'
import { env as bindings } from 'cloudflare:workers'
import { inject } from 'vitest'

/** What the Worker of the tests is given: wrangler.toml and the `miniflare` options of vitest.config.mts. */
export const env = bindings as unknown as Env

/** The stub of a session's object. A new one each time: an abort kills the stubs there are. */
export const stubOf = (id: string) => env.SESSION.getByName(`default:${id}`)

/** Look into the object of a session. */
export const within = <R>(id: string, look: (object: SessionObject, state: DurableObjectState) => R | Promise<R>) =>
  runInDurableObject(stubOf(id), look)

/** What a request that `abortAllDurableObjects` cut is told: the death was a test's own, so it is no bug and no news. */
const OWN_DOING = 'Application called abortAllDurableObjects().'

/** Bugs that src/objects/report.ts told of: the objects live in the isolate of the tests. */
const bugs: unknown[] = []
const { error: logged, log: told, warn: warned } = console
/** What the product tells its operator of every request and run would bury what a test says. */
const isFact = (word: unknown) => typeof word === 'string' && /^\{"level":"(?:info|warn)","event":/.test(word)
console.log = (...words: unknown[]) => isFact(words[0]) || told(...words)
console.warn = (...words: unknown[]) => isFact(words[0]) || warned(...words)
console.error = (...words: unknown[]) => {
  if (String(words[0]).includes(`"message":"${OWN_DOING}"`)) return
  if (typeof words[0] === 'string' && words[0].includes('"event":"bug"')) bugs.push(words[0])
  logged(...words)
}

/** Bugs that a test brought about, which are none of the others'. */
export const takeBugs = (): unknown[] => bugs.splice(0)

/** A session to whom whoever decides is the tester. */
function asTester(session: SessionVerbs): SessionVerbs {
  const asked: Pick<SessionVerbs, 'addMessage' | 'decide' | 'decideAll' | 'answerAndSay'> = {
    addMessage: (input, options) => session.addMessage(input, { decider: TESTER, ...options }),
    decide: (id, input, options) => session.decide(id, input, { decider: TESTER, ...options }),
    decideAll: (answers, options) => session.decideAll(answers, { decider: TESTER, ...options }),
    answerAndSay: (answers, input, options) => session.answerAndSay(answers, input, { decider: TESTER, ...options }),
  }
  return new Proxy(session, {
    get: (target, name) => Reflect.get(Object.hasOwn(asked, name) ? asked : target, name, target),
  })
}

/** Sessions in Durable Objects. */
export const workerHome: Home = {
  peers: () => inject('peers'),
  session: (id) => asTester(sessionObject(env, 'default', id)),
  storedState: (id): Promise<SessionState | null> =>
    within(
      id,
      (_object, { storage }) =>
        sqliteLog(objectDatabase(storage), engineOf(env).orchestrators.reduce).load()?.state ?? null,
    ),
  putSkill: async (skill, files = null) => {
    await directoryObject(env, 'default').putSkill(skill, true, files)
    engineOf(env).skills.forget('default')
  },
  reduce,
  bugs: () => bugs,
}
