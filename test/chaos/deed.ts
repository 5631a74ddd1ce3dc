import { setTimeout as sleep } from 'node:timers/promises'
import type { SessionEvent } from '../../src/domain/event.ts'
import type { Form } from './plan.ts'
import type { Random } from './random.ts'
import type { Story } from './story.ts'
import { isDelta, isRest, readTold, type Told } from './stream.ts'
import { type Answer, same, type World } from './world.ts'

export type DeedKind = 'create' | 'message' | 'decision' | 'continue' | 'retry' | 'cancel'

/** One POST of a client, and all that it was answered over the kills. */
export interface Deed {
  kind: DeedKind
  path: string
  body: Record<string, unknown>
  form: Form
  /** It goes to a door, which answers in a shape of its own and says there how the run ended, badly too. */
  byDoor: boolean
  /** Null: it is sent without a key, and a client that lost its answer looks whether it had an effect. */
  key: string | null
  /** Text of the user message that it leaves; null: it leaves none. */
  content: string | null
  /** What shows in the log that it had its effect. */
  shows(event: SessionEvent): boolean
  took: boolean
  /** Status of a refusal, with its code. */
  refused: string | null
  answer: Answer | null
  /** What its stream told, over all lines; and whether it came to the rest of its run. */
  told: Told[]
}

export const headersOf = ({ key, form }: Deed): Record<string, string> => ({
  ...(key === null ? {} : { 'idempotency-key': key }),
  ...(form === 'sse' ? { accept: 'text/event-stream' } : {}),
  ...(form === 'async' ? { prefer: 'respond-async' } : {}),
})

/** Of a call of MCP's stateless revision, which says in headers what it asks for. */
const mcpHeadersOf = ({ path }: Deed): Record<string, string> =>
  path === '/mcp' ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'run_task' } : {}

/** Codes that say: not now. */
const BUSY = new Set(['idempotency_in_progress', 'run_in_progress'])
const BUSY_PAUSE_MS = 25

/** Does what a careful client does until it knows that the deed had its effect or was refused. */
export class Executor {
  readonly #world: World
  readonly #story: Story
  readonly #random: Random
  /** Null: the session has no id yet. */
  sessionId: string | null = null

  constructor(world: World, story: Story, random: Random) {
    this.#world = world
    this.#story = story
    this.#random = random
  }

  async perform(deed: Deed): Promise<void> {
    const name = `POST ${deed.path} ${deed.form}${deed.key === null ? '' : ' keyed'}`
    const before = deed.key === null ? await this.#lastSeq() : 0
    while (!deed.took && deed.refused === null) {
      this.#story.tell(name)
      const named = deed.byDoor && this.sessionId ? { 'x-yaa-session': this.sessionId, ...mcpHeadersOf(deed) } : {}
      const response = await this.#world.send('POST', deed.path, { ...headersOf(deed), ...named }, deed.body)
      const busy = response !== null && (await this.#take(deed, response, before))
      if (busy) await sleep(BUSY_PAUSE_MS)
      else if (!deed.took && deed.refused === null && deed.key === null) await this.#lookForEffect(deed, before)
    }
    this.#story.tell(`${name}: ${deed.refused ?? deed.answer?.status ?? 'seen in the log'}`)
    if (deed.took && deed.key !== null && this.#random.chance(0.4)) await this.again(deed)
  }

  /** Send a keyed deed again: the same answer, and no second effect. */
  async again(deed: Deed): Promise<void> {
    const response = await this.#world.send('POST', deed.path, headersOf(deed), deed.body)
    if (response === null) return
    this.#world.count('replays')
    if (deed.form === 'sse' && response.ok) return this.#compareStream(deed, response)
    const answer = await this.#world.answerOf(response)
    if (answer === null) return
    // A run that waited for a time goes on by itself: its stream is told again once it rests.
    if (deed.form === 'sse' && response.status === 409 && BUSY.has(codeOf(answer))) {
      await sleep(BUSY_PAUSE_MS)
      return this.again(deed)
    }
    const known = deed.answer
    if (!answer.replayed) this.#violate(deed, `a replay is not marked as one (${answer.status})`)
    if (known && (known.status !== answer.status || !same(known.body, answer.body))) {
      this.#violate(deed, `a replay differs: ${JSON.stringify(known.body)} then ${JSON.stringify(answer.body)}`)
    }
  }

  async #compareStream(deed: Deed, response: Response): Promise<void> {
    const told: Told[] = []
    const whole = await readTold(response, (one) => void told.push(one))
    const events = told.filter((one) => !isDelta(one))
    const known = deed.told.filter((one) => !isDelta(one))
    if (whole && known.length > 0 && !same(known, events)) {
      const ids = (list: Told[]) => list.map(({ id, data }) => `${id} ${data.type}`).join(', ')
      this.#violate(deed, `a replayed stream differs: [${ids(known)}] then [${ids(events)}]`)
    }
  }

  /** Takes an answer. True: the server says not now. */
  async #take(deed: Deed, response: Response, before: number): Promise<boolean> {
    if (response.ok && deed.form === 'sse') {
      await this.#takeStream(deed, response, before)
      return false
    }
    const isChunks = deed.byDoor && response.headers.get('content-type')?.startsWith('text/event-stream')
    const answer = isChunks ? await this.#chunksOf(response) : await this.#world.answerOf(response)
    if (answer === null) return false
    if (deed.byDoor) return this.#takeDoors(deed, answer)
    const code = codeOf(answer)
    if (response.status === 409 && BUSY.has(code)) return true
    if (response.ok) Object.assign(deed, { took: true, answer })
    else deed.refused = `${response.status} ${code}`
    this.#knowId(answer)
    return false
  }

  /** The answer of a door that streams; null: the line broke. */
  async #chunksOf(response: Response): Promise<Answer | null> {
    const text = await response.text().catch(() => '')
    const isWhole = text.endsWith('data: [DONE]\n\n')
    if (!isWhole) this.#world.count('lines cut')
    return isWhole ? { status: response.status, replayed: false, location: null, body: null } : null
  }

  /** An answer of a door. Where it refuses, the log says whether the message is there: the run may have ended badly. */
  #takeDoors(deed: Deed, answer: Answer): boolean {
    const isAnswered = answer.status === 200 && !JSON.stringify(answer.body).includes('"yaa/code"')
    if (isAnswered) Object.assign(deed, { took: true, answer })
    return !isAnswered && JSON.stringify(answer.body).includes('run_in_progress')
  }

  #knowId({ location, status }: Pick<Answer, 'location' | 'status'>): void {
    if (status < 300 && location !== null) this.sessionId ??= location.split('/').at(-1) ?? null
  }

  /** A stream that breaks is taken up by its last id, or by sending the keyed deed again. */
  async #takeStream(deed: Deed, response: Response, before: number): Promise<void> {
    this.#knowId({ location: response.headers.get('location'), status: response.status })
    const kept = deed.told
    deed.told = []
    await readTold(response, (told) => {
      deed.told.push(told)
      this.#world.begin()
    })
    deed.answer = { status: response.status, replayed: false, location: null, body: null }
    this.#compareStart(deed, kept)
    if (deed.told.some(isRest)) deed.took = true
    else if (deed.key === null || this.#random.chance(0.5)) await this.#takeUp(deed, before)
  }

  /** A stream that is sent again from its start begins with what was told before. */
  #compareStart(deed: Deed, kept: Told[]): void {
    const known = kept.filter((one) => !isDelta(one))
    const events = deed.told.filter((one) => !isDelta(one)).slice(0, known.length)
    if (events.length === known.length && !same(events, known)) this.#violate(deed, 'a stream sent again begins anew')
    if (events.length < known.length) deed.told = kept
  }

  async #takeUp(deed: Deed, before: number): Promise<void> {
    const runId = deed.told[0]?.data['run_id']
    if (runId === undefined) return
    while (!deed.told.some(isRest)) {
      this.#story.tell(`GET events behind ${deed.told.at(-1)?.id}`)
      const headers = { accept: 'text/event-stream', 'last-event-id': deed.told.at(-1)?.id ?? String(before) }
      const response = await this.#world.send('GET', `/v1/sessions/${this.sessionId}/events`, headers)
      if (response === null) continue
      await readTold(response, (told) => {
        if (told.data['run_id'] === runId) deed.told.push(told)
        return deed.told.some(isRest)
      })
    }
    deed.took = true
  }

  async #lookForEffect(deed: Deed, before: number): Promise<void> {
    if (this.sessionId === null) return
    const events = await this.#world.events(this.sessionId, before)
    deed.took = events.some((event) => deed.shows(event))
  }

  async #lastSeq(): Promise<number> {
    if (this.sessionId === null) return 0
    return (await this.#world.read<{ last_seq: number }>(`/v1/sessions/${this.sessionId}?messages=none`)).last_seq
  }

  #violate(deed: Deed, claim: string): void {
    this.#world.violate(this.sessionId ?? deed.path, `${deed.kind} ${deed.key}: ${claim}`, this.#story.end())
  }
}

function codeOf({ body }: Answer): string {
  return typeof body === 'object' && body !== null && 'code' in body ? String(body.code) : ''
}
