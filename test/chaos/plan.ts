import type { EndsByReply, SessionConfig } from '../../src/domain/config.ts'
import type { Language } from '../../src/domain/language.ts'
import type { KnownOrchestrator } from '../../src/domain/run.ts'
import { type FlowPlan, planFlow } from './flow.ts'
import type { Random } from './random.ts'

/** How a client waits for what it asked for. */
export type Form = 'json' | 'sse' | 'async'
export type ObserverKind = 'steady' | 'restless' | 'socket'

/** One task of a session, and all that is done around it. */
export interface TaskPlan {
  id: string
  content: string
  form: Form
  keyed: boolean
  /** A second message while the first runs. */
  second: { content: string; busy: 'queue' | 'interrupt' | 'steer'; afterMs: number; form: Form; keyed: boolean } | null
  cancel: { afterMs: number; keyed: boolean } | null
  /** The client has a tool of its own, which some of the steps call. */
  ownTool: boolean
  /** It is sent as a client of another protocol sends it; null: as ours. */
  door: 'openai' | 'ai-sdk' | null
  /** True: the model refuses its last step, so that the run fails. */
  fails: boolean
}

export interface SessionPlan {
  id: string
  orchestrator: KnownOrchestrator
  config: SessionConfig
  /** A role of the team plans its turn. */
  plansTurn: boolean
  /** The workflow that it goes by; null: none. */
  flow: FlowPlan | null
  /** None: nobody looks at the session while it works, so that only its alarm can wake it. */
  observers: ObserverKind[]
  /** The first task comes with the POST that makes the session. */
  taskAtOnce: boolean
  tasks: TaskPlan[]
  random: Random
}

/** Orchestrators that there are; a new one joins the chaos by its name here. */
const ORCHESTRATORS: readonly [KnownOrchestrator, ...KnownOrchestrator[]] = ['agent', 'team', 'plan', 'workflow']

/** Never: the model calls finish, and is mute at times. Otherwise it only says its answer. */
const ENDS_BY_REPLY: readonly [EndsByReply, ...EndsByReply[]] = ['never', 'always', 'after_warning']

/** The tool that a client has and runs itself: a step `own:PAGE` calls it. */
export const OWN_TOOL = {
  name: 'look_up',
  description: 'Looks a page up in the catalogue of the client.',
  parameters: { type: 'object', properties: { page: { type: 'string' } }, required: ['page'] },
}

/** Two roles that work the same task out at the same time, and one that joins what they found. */
export const CHAOS_TEAM = {
  n_round: 9,
  roles: [
    ...['Left', 'Right'].map((name) => ({
      name,
      profile: 'Worker',
      watch: ['UserRequirement'],
      actions: [
        { name: `${name}Work`, instruction: 'Work on the task that you heard.', tools: ['web_access', 'http_request'] },
      ],
    })),
    {
      name: 'Join',
      profile: 'Joiner',
      watch: ['LeftWork', 'RightWork'],
      actions: [{ name: 'JoinWork', instruction: 'Join what you heard.' }],
    },
  ],
}

/** The same team, in which one of the two plans its turn. */
export const PLANNING_TEAM = {
  ...CHAOS_TEAM,
  roles: CHAOS_TEAM.roles.map((role) => (role.name === 'Left' ? { ...role, react_mode: 'plan_and_act' } : role)),
}

/** The skill by which a plan gives a sub-task to the team. A step that begins with `crew/` is its work. */
export const CREW = { name: 'crew', version: '1', description: 'A crew of three.', worker: true, team: CHAOS_TEAM }

/** `pagesUrl`: where its workflow posts. */
export function planSession(id: string, random: Random, pagesUrl: string): SessionPlan {
  const orchestrator = random.fork('orchestrator').pick(ORCHESTRATORS)
  const silent = random.chance(0.15)
  const language: Language = random.pick(['zh-CN', 'en'])
  const small = random.chance(0.15)
  const approves = random.chance(0.5)
  const bound = random.chance(0.4) ? random.int(1, 3) : 40
  const hurried = random.chance(0.12)
  const protocol = random.pick(['native', 'xml', 'auto'] as const)
  const writes = protocol === 'native' || (protocol === 'auto' && random.chance(0.5)) ? 'native' : 'text'
  const endsByReply = orchestrator === 'agent' ? random.fork('ends').pick(ENDS_BY_REPLY) : 'never'
  const isFlow = orchestrator === 'workflow'
  const gives = orchestrator === 'agent' && !small && random.fork('gives').chance(0.4)
  const tasks = Array.from({ length: isFlow ? 1 : random.int(1, 3) }, (_, index) =>
    planTask(`${id}-${index}`, { random, language, writes, silent, approves, small, orchestrator, endsByReply, gives }),
  )
  const lineOf = (name: string) => lineFor({ language, writes }, name, [`read:${nextPage()}`, 'think', 'finish'])
  // A model that fails too often is left alone for a while, by all sessions: those that fail have one of their own.
  const model = tasks.some(({ fails }) => fails) ? 'failing' : small ? 'small' : 'm'
  return {
    id,
    orchestrator,
    plansTurn: random.fork('team').chance(0.4),
    flow: isFlow ? planFlow({ id, pagesUrl }, random.fork('flow'), lineOf) : null,
    config: {
      language,
      model,
      llm: { protocol },
      ends_by_reply: endsByReply,
      // What was read is from outside: without `trusted` every request behind it would ask.
      tools: {
        web_access: { auto_approve: !approves },
        http_request: { auto_approve: !approves, trusted: !approves },
        ...(gives ? { delegate: { enabled: true }, wait: { enabled: true } } : {}),
      },
      limits: { max_iterations: bound, ...(hurried ? { request_ms: 40 } : {}) },
    },
    observers: silent ? [] : ['steady', ...(random.chance(0.6) ? [random.pick(['restless', 'socket'] as const)] : [])],
    taskAtOnce: random.chance(0.4),
    tasks,
    random: random.fork('play'),
  }
}

interface Setting {
  random: Random
  language: Language
  /** How the model writes its calls. */
  writes: 'native' | 'text'
  silent: boolean
  approves: boolean
  small: boolean
  orchestrator: KnownOrchestrator
  endsByReply: EndsByReply
  /** It gives tasks away, and waits for a time. */
  gives: boolean
}

function planTask(id: string, setting: Setting): TaskPlan {
  const { random, language, writes, silent, approves, small, orchestrator, endsByReply, gives } = setting
  const isFlow = orchestrator === 'workflow'
  const isTeam = orchestrator === 'team'
  const says = endsByReply !== 'never'
  const end = says ? 'say' : 'finish'
  // The workers of a plan have the tools of a reader.
  const mayPost = orchestrator !== 'plan' && !isFlow
  const form = (): Form => (silent ? 'async' : random.pick(['json', 'sse', 'async']))
  // Others hear what steers them in words of their own, by which the model does not know its task again.
  const isSteered = orchestrator === 'agent' && !approves && random.fork('steer').chance(0.6)
  const together = ((!approves && random.chance(0.25)) || isSteered) && !isFlow && !gives
  const fails = !together && random.chance(0.06) && !isFlow && !gives
  // What is said to a run that waits for its client gives the call up: that is said by whoever serves the run.
  const ownTool = !together && !isFlow && !gives && random.fork('own').chance(0.4)
  const mayDoor =
    orchestrator === 'agent' && !silent && !together && !fails && !gives && random.fork('door').chance(0.8)
  const door = mayDoor ? random.fork('which door').pick(['openai', 'ai-sdk'] as const) : null
  const hasCrews = orchestrator === 'plan' && random.fork('crews').chance(0.5)
  const steps = Array.from({ length: small ? random.int(4, 7) : random.int(1, 4) }, (_, index) => {
    const isCrews = hasCrews && random.fork(`crew ${index}`).chance(0.5)
    const own = step(random, { mayAsk: !together && !isFlow, mayMiss: !isTeam && !isCrews && !isFlow, mayPost, says })
    const isOwn = ownTool && random.fork(`own ${index}`).chance(0.5)
    const done = isOwn ? `own:o${index}${random.fork(`two ${index}`).chance(0.3) ? `+q${index}` : ''}` : own
    const given = gives ? givenAway(random.fork(`give ${index}`), end) : null
    return isCrews ? `crew/${done}` : (given ?? done)
  })
  const line = (name: string, list: string[]) => lineFor({ language, writes }, name, list)
  return {
    id,
    content: line(id, [...steps, fails ? 'fail' : end]),
    form: form(),
    keyed: random.chance(0.6),
    second: together
      ? {
          content: line(`${id}b`, [step(random, { mayAsk: false, mayMiss: !isTeam, mayPost, says }), end]),
          busy: isSteered ? 'steer' : random.pick(['queue', 'interrupt']),
          afterMs: random.int(0, 60),
          form: form(),
          keyed: random.chance(0.6),
        }
      : null,
    cancel: !together && random.chance(0.12) ? { afterMs: random.int(0, 150), keyed: random.chance(0.5) } : null,
    ownTool,
    door,
    fails,
  }
}

/** A task as the model reads it. */
function lineFor({ language, writes }: Pick<Setting, 'language' | 'writes'>, name: string, list: string[]): string {
  return `${language === 'en' ? 'Please work on' : '请完成'} #task:${name} ${language} ${writes} [${list.join(' ')}]`
}

/** A step that another does, here or in the background, or a wait; null: one as any other. */
function givenAway(random: Random, end: string): string | null {
  const kind = random.next()
  if (kind < 0.35) return `give:${nextPage()},${end}`
  if (kind < 0.6) return `aside:${nextPage()},${end} status`
  return kind < 0.75 ? 'nap' : null
}

let pages = 0
const nextPage = () => `p${(++pages).toString(36)}`

type StepSetting = Record<'mayAsk' | 'mayMiss' | 'mayPost' | 'says', boolean>

/** What the model does in one turn; every page is read by one step only. */
function step(random: Random, { mayAsk, mayMiss, mayPost, says }: StepSetting): string {
  const page = nextPage
  const kind = random.next()
  if (kind < 0.22 && mayPost) return `post:${page()}${random.chance(0.3) ? `+${page()}` : ''}`
  if (kind < 0.47) return `read:${page()}`
  if (kind < 0.62) return `read:${page()}+${page()}${random.chance(0.4) ? `+${page()}` : ''}`
  if (kind < 0.74) return 'think'
  if (kind < 0.84) return mayAsk ? 'ask' : 'think'
  if (kind < 0.9) return mayMiss && !says ? 'mute' : 'think'
  if (kind < 0.95) return mayMiss ? 'unknown' : 'think'
  return `dead:${page()}`
}
