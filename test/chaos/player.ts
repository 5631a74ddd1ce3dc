import { setTimeout as sleep } from 'node:timers/promises'
import type { SessionEvent } from '../../src/domain/event.ts'
import type { Pending } from '../../src/domain/pending.ts'
import { newState, type SessionState } from '../../src/domain/state.ts'
import { reduce } from '../../src/orchestrators/all.ts'
import { type Deed, type DeedKind, Executor } from './deed.ts'
import { isAtRest, Observer } from './observer.ts'
import { CHAOS_TEAM, type Form, OWN_TOOL, PLANNING_TEAM, type SessionPlan, type TaskPlan } from './plan.ts'
import type { Random } from './random.ts'
import type { Story } from './story.ts'
import type { World } from './world.ts'

const LIST_PAUSE_MS = 50
/** A step that fails each time is not retried for ever. */
const RETRIES = 4

/** Plays a plan: sends its tasks, decides what waits, carries on what rests, until every run has its end. */
export class Player {
  readonly plan: SessionPlan
  readonly story: Story
  readonly deeds: Deed[] = []
  readonly observers: Observer[] = []
  readonly #world: World
  readonly #random: Random
  readonly #doer: Executor
  #keys = 0
  #words = 0

  constructor(plan: SessionPlan, world: World, story: Story) {
    this.plan = plan
    this.story = story
    this.#world = world
    this.#random = plan.random
    this.#doer = new Executor(world, story, plan.random.fork('doer'))
  }

  get sessionId(): string {
    if (this.#doer.sessionId === null) throw new Error(`${this.plan.id} has no session`)
    return this.#doer.sessionId
  }

  get hasSession(): boolean {
    return this.#doer.sessionId !== null
  }

  async play(): Promise<void> {
    const [first, ...others] = this.plan.tasks
    await this.#create(this.plan.taskAtOnce ? (first ?? null) : null)
    this.observers.push(
      ...this.plan.observers.map((kind) => {
        return new Observer(kind, this.#world, this.sessionId, this.#random.fork(kind))
      }),
    )
    if (first && !this.plan.taskAtOnce) await this.#send(first)
    if (first) await this.#serve(first)
    for (const task of others) {
      await this.#send(task)
      await this.#serve(task)
    }
  }

  /** Every keyed deed once more, after all the kills. */
  async replayAll(): Promise<void> {
    for (const deed of this.deeds) if (deed.took && deed.key !== null) await this.#doer.again(deed)
  }

  async #create(task: TaskPlan | null): Promise<void> {
    const { id, config, orchestrator, plansTurn, flow } = this.plan
    const cast = flow ?? (orchestrator === 'team' ? { team: plansTurn ? PLANNING_TEAM : CHAOS_TEAM } : { orchestrator })
    const body = { title: id, ...cast, config, ...(task ? { task: task.content, ...toolsOf(task) } : {}) }
    const deed = this.#deed('create', '/v1/sessions', body, { form: task?.form ?? 'json', keyed: true })
    deed.content = task?.content ?? null
    await this.#doer.perform(deed)
  }

  async #send(task: TaskPlan): Promise<void> {
    const { second, cancel } = task
    await Promise.all([
      task.door ? this.#messageByDoor(task) : this.#message(task.content, task, undefined, toolsOf(task)),
      ...(second ? [sleep(second.afterMs).then(() => this.#message(second.content, second, second.busy))] : []),
      ...(cancel ? [sleep(cancel.afterMs).then(() => this.#cancel(cancel.keyed))] : []),
    ])
  }

  /** Decide and carry on until nothing is open any more. */
  async #serve(task: TaskPlan): Promise<void> {
    let failures = 0
    let retries = 0
    for (;;) {
      const state = await this.#rest()
      const [pending] = state.pending
      if (state.status === 'interrupted' && pending) await this.#decide(pending)
      else if (state.status === 'in_progress') await this.#continue()
      else if (state.status === 'failed' && (isExhausted(state) || (task.fails && failures++ === 0)))
        await this.#continue()
      else if (this.plan.flow?.workflow === 'chaos-retry' && isStepFailure(state) && retries++ < RETRIES)
        await this.#retry()
      else return
    }
  }

  /** The step whose failure ended the run is done once more. */
  async #retry(): Promise<void> {
    const events = await this.#world.events(this.sessionId)
    const begin = events.findLastIndex(({ type }) => type === 'run-start')
    const failed = events.slice(begin).find((event) => event.type === 'step-end' && event.status === 'failed')
    if (failed?.type !== 'step-end') throw new Error('no step failed in a run that a step ended')
    const path = this.#path(`/workflow/steps/${encodeURIComponent(failed.step)}/retry`)
    const deed = this.#deed('retry', path, {}, this.#manner())
    deed.shows = ({ type }) => type === 'step-redo'
    await this.#doer.perform(deed)
  }

  /** The fold of the log once the session rests. */
  async #rest(): Promise<SessionState> {
    const [observer] = this.observers
    if (!observer) return this.#restBySilence()
    const { last_seq: lastSeq } = await this.#world.read<{ last_seq: number }>(
      `/v1/sessions/${this.sessionId}?messages=none`,
    )
    const sleeper = this.#random.chance(0.5) ? isAsleep : () => false
    await observer.until((state) => state.lastSeq >= lastSeq && isAtRest(state) && !sleeper(state))
    return observer.state
  }

  /** Looks at the list only, which does not wake the session: its alarm has to. */
  async #restBySilence(): Promise<SessionState> {
    for (;;) {
      const { data } = await this.#world.read<{ data: { id: string; status: string }[] }>(
        `/v1/sessions?q=${this.plan.id}&limit=100`,
      )
      const listed = data.find(({ id }) => id === this.sessionId)
      if (listed && listed.status !== 'in_progress') {
        const state = reduce(newState(0), await this.#world.events(this.sessionId))
        if (isAtRest(state)) return state
      }
      if (this.#world.mayLook) await this.#world.read(`/v1/sessions/${this.sessionId}?messages=none`)
      await sleep(LIST_PAUSE_MS)
    }
  }

  #message(
    content: string,
    { form, keyed }: { form: Form; keyed: boolean },
    busy?: string,
    tools: ReturnType<typeof toolsOf> = {},
  ): Promise<void> {
    const path = `${this.#path('/messages')}${busy ? `?when_busy=${busy}` : ''}`
    const deed = this.#deed('message', path, { content, ...tools }, { form, keyed })
    deed.content = content
    return this.#doer.perform(deed)
  }

  #messageByDoor({ id, content, ownTool, door }: TaskPlan): Promise<void> {
    const isMcp = !ownTool && this.#doer.sessionId !== null && this.#random.fork(`mcp ${content}`).chance(0.4)
    if (isMcp) return this.#messageByMcp(content)
    const { description, parameters: inputSchema } = OWN_TOOL
    const parts = [{ type: 'text', text: content }]
    const [path, message, tools] =
      door === 'ai-sdk'
        ? (['/v1/ai-sdk/chat', { id, role: 'user', parts }, { [OWN_TOOL.name]: { description, inputSchema } }] as const)
        : (['/v1/chat/completions', { role: 'user', content }, [{ type: 'function', function: OWN_TOOL }]] as const)
    const body = { model: 'yaa', messages: [message], ...(ownTool ? { tools } : {}) }
    const manner = { form: 'json', keyed: false } as const
    const deed = Object.assign(this.#deed('message', path, body, manner), { byDoor: true, content })
    return this.#doer.perform(deed)
  }

  #messageByMcp(content: string): Promise<void> {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const params = { name: 'run_task', arguments: { task: content, session: this.sessionId }, _meta }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const deed = this.#deed('message', '/mcp', body, { form: 'json', keyed: false })
    return this.#doer.perform(Object.assign(deed, { byDoor: true, content }))
  }

  #cancel(keyed: boolean): Promise<void> {
    return this.#doer.perform(this.#deed('cancel', this.#path('/cancel'), {}, { form: 'json', keyed }))
  }

  #continue(): Promise<void> {
    return this.#doer.perform(this.#deed('continue', this.#path('/continue'), {}, this.#manner()))
  }

  #decide(pending: Pending): Promise<void> {
    // Words that come when the time of a wait is over are a task of their own.
    const byText = pending.wait ? 0 : pending.type === 'tool_call' ? 0.1 : 0.4
    if (this.#random.chance(byText)) return this.#decideByText(pending)
    const deed = this.#deed('decision', this.#path(`/pending/${pending.id}`), this.#decisionOn(pending), this.#manner())
    // A wait whose time came while the server was down is over without what was sent.
    deed.shows = (event) => event.type === 'pending-end' && event.id === pending.id && event.decision !== 'expired'
    return this.#doer.perform(deed)
  }

  #decisionOn({ type, arguments: args, arguments_hash: hash }: Pending): Record<string, unknown> {
    if (type === 'tool_call')
      return this.#random.chance(0.8)
        ? { result: { page: args?.['page'], says: this.#word() } }
        : { error: this.#word() }
    if (type === 'question') return { decision: 'answer', answer: this.#word() }
    const bound = hash === undefined ? {} : { arguments_hash: hash }
    if (this.#random.chance(0.2)) return { decision: 'reject', feedback: this.#word(), ...bound }
    const edited = this.#random.chance(0.2) ? { arguments: { ...args, url: `${String(args?.['url'])}-edited` } } : {}
    return { decision: 'approve', ...bound, ...edited }
  }

  #decideByText(pending: Pending): Promise<void> {
    const tag = this.#random.chance(0.8) ? 'approve' : 'reject'
    const content =
      pending.type !== 'approval'
        ? this.#word()
        : `<${tag}><tool>${pending.tool}</tool><feedback>${this.#word()}</feedback></${tag}>`
    const deed = this.#deed('decision', this.#path('/messages'), { content }, this.#manner())
    deed.content = content
    return this.#doer.perform(deed)
  }

  /** A session that nobody looks at is driven in the background only. */
  #manner(): { form: Form; keyed: boolean } {
    const form = this.plan.observers.length === 0 ? 'async' : this.#random.pick(['json', 'sse', 'async'] as const)
    return { form, keyed: this.#random.chance(0.6) }
  }

  #deed(
    kind: DeedKind,
    path: string,
    body: Record<string, unknown>,
    { form, keyed }: { form: Form; keyed: boolean },
  ): Deed {
    const deed: Deed = {
      kind,
      path,
      body,
      form,
      byDoor: false,
      key: keyed ? `${this.plan.id}-k${++this.#keys}` : null,
      content: null,
      shows: (event) => showsFor(kind, deed.content, event),
      took: false,
      refused: null,
      answer: null,
      told: [],
    }
    this.deeds.push(deed)
    return deed
  }

  /** Words that nobody else says. */
  #word(): string {
    return `word ${this.plan.id}.${++this.#words}`
  }

  #path(rest: string): string {
    return `/v1/sessions/${this.sessionId}${rest}`
  }
}

/** What a task brings along beside its words. */
function toolsOf({ ownTool }: Pick<TaskPlan, 'ownTool'>) {
  return ownTool ? { client_tools: [OWN_TOOL] } : {}
}

function showsFor(kind: DeedKind, content: string | null, event: SessionEvent): boolean {
  if (content !== null && event.type === 'message')
    return event.message.role === 'user' && event.message.content === content
  if (content !== null && event.type === 'message-queued') return event.content === content
  if (kind === 'continue') return event.type === 'run-resume' || (event.type === 'run-start' && event.resumed)
  return kind === 'cancel' && event.type === 'run-end'
}

/** It waits for a time that will come, and nobody has to say anything. */
function isAsleep({ pending }: SessionState): boolean {
  return pending.some(({ wait }) => wait !== undefined)
}

function isStepFailure({ run }: SessionState): boolean {
  return run?.error?.code === 'step_failed'
}

/** Ended because one move was cut too often: that is as it should be, and it can be carried on by hand. */
function isExhausted({ run }: SessionState): boolean {
  return run?.error?.code === 'attempts_exhausted'
}
