import type { AuditAct } from '../../src/domain/audit.ts'
import type { AwaitedAnswer } from '../../src/domain/awaited.ts'
import type { UsageKey, UsageSum } from '../../src/domain/usage.ts'
import { SKILL_FILES } from '../../configs/skills/index.ts'
import { TEAM_FILES } from '../../configs/teams/index.ts'
import type { Fetch, Log } from '../../src/domain/ports.ts'
import type { ServerConfig } from '../../src/domain/server-config.ts'
import type { Tool } from '../../src/domain/tool.ts'
import type { StoredWorkflow } from '../../src/domain/workflow.ts'
import { createEngine } from '../../src/run/setup/create-engine.ts'
import type { SessionPorts } from '../../src/run/ports.ts'
import { NATIVE } from '../../src/http/projections.ts'
import { Session } from '../../src/session/session.ts'
import { Outbox } from '../../src/callbacks/outbox.ts'
import { createGuardedFetch } from '../../src/net/guarded-fetch.ts'
import { OUTBOX_SCHEMA } from '../../src/store/callbacks.ts'
import {
  callbacksSince,
  DIRECTORY_SCHEMA,
  noteCallbacks,
  putSession,
  removeSession,
} from '../../src/store/directory.ts'
import { memoryLog } from '../../src/store/memory-log.ts'
import { migrate } from '../../src/store/migrate.ts'
import {
  getSkill,
  getSkillFile,
  listSkillFiles,
  listSkillNames,
  listWorkers,
  putSkill,
} from '../../src/store/skills.ts'
import { bookUsage, sumUsage } from '../../src/store/usage.ts'
import { withRecentMessages } from '../../src/store/recent-messages.ts'
import type { Language } from '../../src/domain/language.ts'
import { shippedWorkflow } from '../../src/skills/shipped-workflows.ts'
import { WHOLE } from '../../src/orchestrators/all.ts'
import type { Orchestrators } from '../../src/engine/engine.ts'
import type { Reduce } from '../../src/log/reduce/reducer.ts'
import { sqliteLog } from '../../src/store/session-log.ts'
import { type Home, type SessionVerbs, TESTER } from './home.ts'
import { nodeDatabase } from './node-database.ts'
import { nodeMemory, type NodeMemory } from './node-memory.ts'
import { startPeers } from './peers-server.ts'
import { SUITE_SECRETS, suiteConfig } from './suite-config.ts'

export interface NodeHome extends Home {
  /** Let the clock jump; what falls due rings. */
  readonly advance: (ms: number) => void
  /** The process of a session dies: nothing of it writes or rings any more. The next look at the id starts it anew. */
  kill(id: string): void
  /** Workflows of the tenant, by name. */
  readonly workflows: Map<string, StoredWorkflow>
  /** What is remembered of users. */
  readonly memory: NodeMemory
  /** What callbacks of the tenant are told. Its receivers are reached by `publicFetch`. */
  readonly outbox: Outbox
  /** While true, sessions cannot reach it. */
  outboxIsDown: boolean
  directoryIsDown: boolean
  /** Items by which sessions wait for others, once these know. */
  readonly awaits: string[]
  /** While true, sessions cannot reach each other. */
  othersAreDown: boolean
  /** What the audit is to be told, in the order in which it came. */
  readonly acts: AuditAct[]
  /** What the tenant's sums say. */
  usage(by: UsageKey): UsageSum[]
  close(): Promise<void>
}

interface Resident {
  session: Session
  readonly die: () => void
}

/** Sessions in this process, on memory or SQLite, with real fetch and a clock that can jump. */
export async function nodeHome(
  kind: 'memory' | 'sqlite',
  tools: readonly Tool[] = [],
  more: Partial<ServerConfig> = {},
  publicFetch: Fetch = fetch,
  orchestrators: Orchestrators = WHOLE,
): Promise<NodeHome> {
  const { addresses, close } = await startPeers()
  const bugs: unknown[] = []
  const clock = jumpingClock()
  const logs = new Map<string, () => Log>()
  const residents = new Map<string, Resident>()
  const directory = nodeDatabase()
  migrate(directory, DIRECTORY_SCHEMA)
  const memory = nodeMemory()
  const workflows = new Map<string, StoredWorkflow>()
  const world = {
    publicFetch,
    privateFetch: null,
    workersAi: null,
    runtime: 'Node.js',
    tools,
    orchestrators,
    memory: memory.of,
    teams: async () => TEAM_FILES,
    workflows: async (_tenant: string, name: string, language: Language) =>
      workflows.get(name) ?? shippedWorkflow(name, language),
    namedWorkflows: async () =>
      [...workflows.values()].map(({ definition: { name, description } }) => ({
        name,
        description,
        source: 'tenant' as const,
        isExposed: false,
      })),
    skills: {
      files: async () => SKILL_FILES,
      tenants: {
        find: async (_tenant: string, name: string) => getSkill(directory, name),
        summaries: async (_tenant: string, limit: number) => listSkillNames(directory, limit),
        file: async (_tenant: string, name: string, path: string) => getSkillFile(directory, name, path),
        files: async (_tenant: string, name: string) => listSkillFiles(directory, name),
        workers: async (_tenant: string, limit: number) => listWorkers(directory, limit),
      },
    },
  }
  const { engine } = createEngine(
    { ...suiteConfig(addresses), ...more },
    {
      ...world,
      models: { secret: (name) => SUITE_SECRETS[name], workersAi: false },
    },
  )

  const outboxDb = nodeDatabase()
  migrate(outboxDb, OUTBOX_SCHEMA)
  const guard = { publicFetch, privateFetch: null, allowPrivateHosts: [] }
  const outbox: Outbox = new Outbox({
    db: outboxDb,
    now: clock.now,
    random: () => 0.5,
    fetch: createGuardedFetch(guard),
    language: 'en',
    publicUrl: 'https://yaa.example',
    mintLink: async (tenant, sessionId, { id }) => `/links/${tenant}.${sessionId}.${id}`,
    alarm: clock.alarm(() => outbox.wake(), new AbortController().signal),
    keepAlive: (work) => void work.catch((error: unknown) => bugs.push(error)),
    watch: async (_tenant, on) => noteCallbacks(directory, on, clock.now()),
    switchedOff: () => {},
    report: (error) => bugs.push(error),
  })

  const logOf = (id: string): Log => {
    const known = logs.get(id) ?? newLog(kind, orchestrators.reduce)
    logs.set(id, known)
    return known()
  }
  const open = (id: string): Resident => {
    const life = new AbortController()
    const alarm = clock.alarm(() => session.wake().catch((error: unknown) => bugs.push(error)), life.signal)
    const ports: SessionPorts = {
      log: mortal(logOf(id), life.signal),
      now: clock.now,
      engine,
      compacts: true,
      alarm,
      directory: {
        put: async (_tenant, { summary, words, spent, acts }) => {
          if (home.directoryIsDown) throw new Error('the directory is down')
          home.acts.push(...acts)
          putSession(directory, summary, words)
          bookUsage(directory, spent, clock.now())
          return callbacksSince(directory)
        },
        remove: async (_tenant, removed, { spent, createdTime }) => {
          bookUsage(directory, spent, clock.now())
          removeSession(directory, removed, createdTime)
          return callbacksSince(directory)
        },
      },
      outbox: {
        put: async (_tenant, news) => {
          if (home.outboxIsDown) throw new Error('the outbox is down')
          await outbox.put(news)
          await whileAlive(life.signal)
        },
        forget: async (_tenant, removed) => outbox.forget(removed),
      },
      others: {
        await: async (_tenant, other, awaiter) => {
          if (home.othersAreDown) throw new Error('the session is down')
          const answer: AwaitedAnswer = logs.has(other)
            ? resident(other).session.awaited(awaiter)
            : { is: 'refused', why: 'not_found' }
          home.awaits.push(awaiter.item)
          await whileAlive(life.signal)
          return answer
        },
        tell: async (_tenant, { session: other, item }, end) => {
          if (home.othersAreDown) throw new Error('the session is down')
          resident(other).session.told(item, end)
          await whileAlive(life.signal)
        },
      },
      keepAlive: (work) => void work.catch((error: unknown) => bugs.push(error)),
      destroy: async () => {
        life.abort()
        logs.delete(id)
        residents.delete(id)
      },
      report: (error) => bugs.push(error),
    }
    const session = new Session(ports, NATIVE)
    return { session, die: () => life.abort() }
  }
  const resident = (id: string): Resident => {
    const known = residents.get(id) ?? open(id)
    residents.set(id, known)
    return known
  }
  const home: NodeHome = {
    peers: () => addresses,
    session: (id) => apiOf(() => resident(id).session),
    storedState: async (id) => logOf(id).load()?.state ?? null,
    putSkill: async (skill, files = null) => {
      putSkill(directory, skill, true, files)
      engine.skills.forget('default')
    },
    reduce: orchestrators.reduce,
    bugs: () => bugs,
    workflows,
    memory,
    outbox,
    outboxIsDown: false,
    directoryIsDown: false,
    awaits: [],
    othersAreDown: false,
    acts: [],
    advance: clock.advance,
    kill: (id) => {
      residents.get(id)?.die()
      residents.delete(id)
    },
    usage: (by) => sumUsage(directory, { by, limit: 100 }).data,
    close: async () => {
      for (const { die } of residents.values()) die()
      await close()
    },
  }
  return home
}

/** A log that outlives the process that writes it: every opening sees what was written. */
function newLog(kind: 'memory' | 'sqlite', reduce: Reduce): () => Log {
  if (kind === 'memory') {
    const log = memoryLog()
    return () => log
  }
  const db = nodeDatabase()
  return () => withRecentMessages(sqliteLog(db, reduce))
}

/** What a dead process writes is lost. */
function mortal(log: Log, life: AbortSignal): Log {
  return {
    ...log,
    append: (append) => {
      if (!life.aborted) log.append(append)
    },
    flush: () => {
      if (!life.aborted) log.flush()
    },
    stage: (part) => {
      if (!life.aborted) log.stage(part)
    },
    keepAnswer: (key, answer) => {
      if (!life.aborted) log.keepAnswer(key, answer)
    },
  }
}

/** Nothing is answered to a process that died. */
function whileAlive({ aborted }: AbortSignal): Promise<void> {
  return aborted ? new Promise(() => {}) : Promise.resolve()
}

/** Every verb is answered by a promise, as over RPC. */
function apiOf(session: () => Session): SessionVerbs {
  return {
    create: (...args) => session().create(...args),
    runSkill: (...args) => session().runSkill(...args),
    addMessage: (input, options) => session().addMessage(input, { decider: TESTER, ...options }),
    continue: (...args) => session().continue(...args),
    decide: (id, input, options) => session().decide(id, input, { decider: TESTER, ...options }),
    decideAll: (answers, options) => session().decideAll(answers, { decider: TESTER, ...options }),
    answerAndSay: (answers, input, options) => session().answerAndSay(answers, input, { decider: TESTER, ...options }),
    sendTeamMessage: (...args) => session().sendTeamMessage(...args),
    teamMessages: async (...args) => session().teamMessages(...args),
    task: (...args) => session().task(...args),
    retryStep: (...args) => session().retryStep(...args),
    cancel: (...args) => session().cancel(...args),
    keyStand: async (...args) => session().keyStand(...args),
    keepSuccessor: async (...args) => session().keepSuccessor(...args),
    read: async (...args) => session().read(...args),
    patch: (...args) => session().patch(...args),
    remove: () => session().remove(),
    messages: async (...args) => session().messages(...args),
    events: async (...args) => session().events(...args),
    observe: async (...args) => session().observe(...args),
    result: async (...args) => session().result(...args),
    export: async (...args) => session().export(...args),
    import: (...args) => session().import(...args),
    files: async (...args) => session().files.list(...args),
    file: async (...args) => session().files.read(...args),
    filesZip: async () => session().files.zip(),
    putFile: (...args) => session().files.put(...args),
    removeFile: (...args) => session().files.remove(...args),
  }
}

/** Real time plus what it jumped; alarms ring when their time has come, jumps included. */
function jumpingClock() {
  let jumped = 0
  const now = () => Date.now() + jumped
  const rearm = new Set<() => void>()
  return {
    now,
    advance: (ms: number) => {
      jumped += ms
      for (const arm of rearm) arm()
    },
    alarm: (ring: () => unknown, life: AbortSignal) => {
      let due: number | null = null
      let timer: ReturnType<typeof setTimeout> | undefined
      const arm = () => {
        clearTimeout(timer)
        if (due === null || life.aborted) return
        timer = setTimeout(fire, Math.min(Math.max(0, due - now()), 2_147_483_647))
        timer.unref()
      }
      const fire = () => {
        due = null
        if (!life.aborted) ring()
      }
      const set = (time: number | null) => {
        due = time
        arm()
      }
      rearm.add(arm)
      life.addEventListener('abort', () => clearTimeout(timer))
      return { set: (time: number) => set(time), clear: () => set(null) }
    },
  }
}
