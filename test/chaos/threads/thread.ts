import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../random.ts'
import type { Story } from '../story.ts'
import type { Answer, World } from '../world.ts'

/** One task of a conversation, and how its answer ends. */
interface Turn {
  content: string
  answer: string
}

/** By which doors conversations come. */
export const THREAD_DOORS = ['chat', 'responses', 'ag-ui', 'ai-sdk', 'a2a', 'mcp'] as const
export type ThreadDoor = (typeof THREAD_DOORS)[number]

export interface ThreadPlan {
  id: string
  door: ThreadDoor
  turns: Turn[]
  random: Random
}

let pages = 0

export function planThread(id: string, random: Random): ThreadPlan {
  const door = random.fork('door').pick(THREAD_DOORS)
  const turns = Array.from({ length: random.int(1, 3) }, (_, index): Turn => {
    const name = `${id}-${index}`
    const steps = Array.from({ length: random.int(0, 3) }, () => stepOf(random, door))
    const content = `Please work on #task:${name} en native [${[...steps, 'say'].join(' ')}]`
    return { content, answer: `answer of ${name}` }
  })
  return { id, door, turns, random: random.fork('play') }
}

/** The client's own tool is called often, and ours ask for leave. A host of MCP brings no tools along. */
function stepOf(random: Random, door: ThreadDoor): string {
  const page = () => `t${(++pages).toString(36)}`
  const kind = door === 'mcp' ? 0.5 + random.next() / 2 : random.next()
  if (kind < 0.5) return `own:${page()}${random.chance(0.3) ? `+${page()}` : ''}`
  return kind < 0.75 ? `read:${page()}` : 'think'
}

const BUSY_PAUSE_MS = 25

/** A conversation of a client of another protocol, which knows no session: it sends again what it got no whole answer to, as SDKs do, and leaves at
 *  times in the middle of one. */
export abstract class Thread {
  readonly plan: ThreadPlan
  readonly story: Story
  /** As answers named them. */
  readonly sessions = new Set<string>()
  readonly answers: string[] = []
  /** A run failed, as one does whose move was cut too often: the client gave up. */
  hasFailed = false
  protected readonly world: World
  protected readonly random: Random

  constructor(plan: ThreadPlan, world: World, story: Story) {
    this.plan = plan
    this.world = world
    this.story = story
    this.random = plan.random
  }

  /** The whole answer to one task; null: its run failed. */
  protected abstract ask(content: string): Promise<string | null>

  async play(): Promise<void> {
    for (const { content, answer: end } of this.plan.turns) {
      const answer = await this.ask(content)
      this.hasFailed = answer === null
      if (answer === null) return
      this.answers.push(answer)
      if (!answer.endsWith(end)) this.violate(`the answer to ${content} is ${answer}`)
    }
  }

  violate(claim: string): void {
    this.world.violate(this.plan.id, claim, this.story.end())
  }

  /** One POST. `tries`: times that it was sent before. */
  protected async send(
    path: string,
    body: object,
    tries: number,
    more: Record<string, string> = {},
  ): Promise<Response | null> {
    this.story.tell(`POST ${path}${tries > 0 ? `, time ${tries + 1}` : ''}`)
    if (tries > 0) this.world.count('requests sent anew by doors')
    const headers = { ...more, ...(tries > 0 ? { 'x-stainless-retry-count': String(tries) } : {}) }
    const response = await this.world.send('POST', path, headers, body)
    const session = response?.headers.get('x-yaa-session')
    if (session) this.sessions.add(session)
    return response
  }

  /** What a refusal is to the client: to be sent again, or the end of it. */
  protected async refused({ status, body }: Answer): Promise<'again' | 'over'> {
    const text = JSON.stringify(body)
    this.story.tell(`${status} ${text}`)
    if (text.includes('run_in_progress') || text.includes('idempotency_in_progress')) {
      await sleep(BUSY_PAUSE_MS)
      return 'again'
    }
    // The AI SDK is told in words alone. What was decided, or answered, is so for good: a run that failed behind it, unheard, is not gone on with by the same words.
    if (!/attempts_exhausted|attempts_max|stale_decision/.test(text)) this.violate(`it was refused: ${status} ${text}`)
    return 'over'
  }

  /** After how many events of a stream the client leaves. */
  protected patience(): number {
    if (!this.random.chance(0.3)) return Infinity
    this.world.count('streams left by doors')
    return this.random.int(1, 8)
  }
}

/** What the client's own tool finds. */
export const foundIn = (args: string): string => `the catalogue has ${args}`
