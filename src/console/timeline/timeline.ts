import { isDelta, type StreamEvent } from '../../client/client.ts'
import { contentText } from '../../domain/content.ts'
import type { SessionEvent } from '../../domain/event.ts'
import type { Language } from '../../domain/language.ts'
import { USER, roleOfBranch } from '../../domain/role.ts'
import type { Message } from '../../domain/message.ts'
import { Calls } from './calls.ts'
import type { EndItem, Item, NoteItem, TeamItem } from './item.ts'
import { Refusals } from './refusals.ts'
import { Replies } from './replies.ts'
import type { PlanData, PlanTask } from '../../domain/plan.ts'

/** What one sees of a session: its events as items, in the order of the log. Knows nothing of pages; older parts of the log may
 *  come later. */
export class Timeline {
  #items: Item[] = []
  readonly #language: Language
  readonly #calls: Calls
  readonly #places = new Places()
  readonly #replies: Replies
  readonly #refusals = new Refusals()
  #version = 0
  #startedAt = -1

  /** `toolNames`: every name by which the text protocol may call a tool. */
  constructor(toolNames: readonly string[], language: Language) {
    this.#language = language
    this.#calls = new Calls(language)
    this.#replies = new Replies(toolNames, language)
  }

  get items(): readonly Item[] {
    return this.#items
  }

  /** Grows whenever an item comes, goes or changes; text that is being written aside. */
  get version(): number {
    return this.#version
  }

  /** What the sub-task, step or role of an item is called; null: it is of the run itself, or nothing is known of it. */
  placeOf({ scope }: Pick<Item, 'scope'>): string | null {
    return scope === null ? null : this.#places.nameOf(scope)
  }

  /** The next event of the stream. */
  push(event: StreamEvent): void {
    if (isDelta(event)) {
      const made = this.#replies.delta(event)
      if (made) this.#add(this.#items, made)
      return
    }
    this.#fold(event, this.#items)
    this.#version += 1
  }

  /** Events from before the first that is known, oldest first. */
  prepend(events: readonly SessionEvent[]): void {
    const older: Item[] = []
    for (const event of events) this.#fold(event, older)
    this.#items = [...older, ...this.#items]
    this.#version += 1
  }

  /** Forgets what was only told: it is told again. */
  dropLive(): void {
    this.#remove(this.#replies.dropLive())
  }

  #add(items: Item[], item: Item): void {
    items.push(item)
    this.#version += 1
  }

  /** In place: who is folding holds the same list. */
  #remove(gone: ReadonlySet<Item>, items: Item[] = this.#items): void {
    if (gone.size === 0) return
    const kept = items.filter((item) => !gone.has(item))
    kept.forEach((item, index) => (items[index] = item))
    items.length = kept.length
    this.#version += 1
  }

  #fold(event: SessionEvent, items: Item[]): void {
    this.#refusals.follow(event)
    switch (event.type) {
      case 'message':
        return this.#message(event, event.message, items)
      case 'model-start':
        this.#remove(this.#replies.start(event))
        this.#remove(new Set(items.filter((item) => isReplacedBy(event, item))), items)
        if (event.attempt > 1) items.push(note(event, { type: 'again', attempt: event.attempt }))
        return
      case 'model-retry':
        return void items.push(note(event, { type: 'error', code: event.failure, detail: '', isCall: true }))
      case 'model-end':
        if (event.ok) return this.#replies.ended(event, items)
        this.#remove(this.#replies.dropLive(event.scope))
        return void items.push(
          note(event, { type: 'error', code: event.failure.code, detail: event.failure.detail, isCall: true }),
        )
      case 'tool-start':
      case 'tool-end':
      case 'tool-progress':
        return this.#calls.follow(event)
      case 'pending':
        return this.#calls.wait(event.pending)
      case 'pending-end':
        this.#calls.decided(event)
        return void items.push(
          note(event, { type: 'decision', decision: event.decision, feedback: event.feedback ?? event.answer ?? null }),
        )
      case 'feedback':
        return this.#replies.rated(event, this.#items)
      case 'run-start':
        this.#startedAt = event.seq
        return foldOther(event, items)
      case 'run-pause':
      case 'run-end':
        return this.#end(event, items)
      case 'plan':
        this.#places.planned(event.plan.tasks)
        return foldOther(event, items)
      case 'step-start':
        this.#places.begun(event)
        return foldOther(event, items)
      case 'task-start':
      case 'task-end':
        this.#places.met(event.task)
        return foldOther(event, items)
      default:
        return foldOther(event, items)
    }
  }

  #message(event: SessionEvent, message: Message, items: Item[]): void {
    if (message.role === 'tool' || message.kind === 'tool_result') return this.#calls.result(message)
    if (message.kind === 'warning') {
      reject(event, items)
      return void items.push(note(event, { type: 'warning', text: contentText(message.content, this.#language) }))
    }
    if (message.role !== 'assistant') return void items.push(said(event, message))
    const reply = this.#replies.whole(event, message)
    if (reply) items.push(reply)
    items.push(...this.#calls.made(event, message))
  }

  #end(event: SessionEvent & { type: 'run-end' | 'run-pause' }, items: Item[]): void {
    this.#remove(this.#replies.dropLive())
    // A copy that ends before the words of a run ends with a run of nothing.
    if (event.type === 'run-pause' || (event.status === 'cancelled' && event.seq === this.#startedAt + 1)) return
    const { result } = event
    const isShown = result === null || items.some((item) => item.run === event.run_id && says(item, result))
    const item: EndItem = {
      ...common(event),
      kind: 'end',
      status: event.status,
      reason: event.finish_reason,
      error: event.error,
      isRefused: this.#refusals.isEndOf(event),
      usage: event.usage,
      result: isShown ? null : result,
      isLoop: event.loop === true,
    }
    items.push(item)
  }
}

/** The model was warned: of its last reply, if that calls nothing. Other warnings are of calls and what came of them. */
function reject({ scope, run_id: run }: SessionEvent, items: readonly Item[]): void {
  const last = items.findLast((item) => item.kind === 'reply' && item.scope === scope && item.run === run)
  if (last?.kind !== 'reply' || !last.isPlain || last.isRejected) return
  last.isRejected = true
  last.rev += 1
}

/** Whether it is a reply that was cut, and whose call is made again. */
function isReplacedBy({ scope, run_id: run }: SessionEvent, item: Item): boolean {
  return item.kind === 'reply' && item.isCut && item.scope === scope && item.run === run
}

/** Whether an item that is always shown says the text. */
function says(item: Item, text: string): boolean {
  if (item.kind === 'team') return isPublished(item) && item.message.content.trim() === text.trim()
  if (item.scope !== null) return false
  if (item.kind === 'reply') return !item.isRejected && item.text.whole.trim().endsWith(text.trim())
  return item.kind === 'said' && contentText(item.message.content, null).trim() === text.trim()
}

function foldOther(event: SessionEvent, items: Item[]): void {
  switch (event.type) {
    case 'error':
      return void items.push(note(event, { type: 'error', code: event.code, detail: event.detail }))
    case 'plan':
      return pushPlan(event, event.plan, items)
    case 'task-end':
      return void items.push({ ...common(event), kind: 'task', task: event.task })
    case 'team-message':
      return void items.push({ ...common(event), kind: 'team', message: event.message, heardBy: event.heard_by })
    case 'round-start':
      return void items.push(note(event, { type: 'round', round: event.round, roles: event.roles }))
    case 'route':
      return void items.push(note(event, { type: 'route', worker: event.worker }))
    case 'message-queued':
      return void items.push(note(event, { type: 'queued', content: event.content }))
    case 'tools-wait':
      return void items.push(note(event, { type: 'tools', server: event.server }))
    case 'file':
      // What is attached stands with its message.
      if (items.some((item) => item.time === event.time && isAttached(item, event.path))) return
      // What a call did with it says its own line.
      if (items.some((item) => item.run === event.run_id && isCallFor(item, event.path))) return
      return void items.push(note(event, { type: 'file', action: event.action, path: event.path, size: event.size }))
  }
}

/** What a round adds to a plan, if it does. What an agent gives away is told by its calls. */
function pushPlan(event: SessionEvent, { round, tasks }: PlanData, items: Item[]): void {
  const added = tasks.filter((task) => task.round === round)
  if (added.every(({ call_id: callId }) => callId !== undefined)) return
  items.push(note(event, { type: 'plan', round, tasks: added.length }))
}

/** Whether it is on the bus of the session's own team, and not that of a sub-task. */
const isOfOwnTeam = ({ scope, message }: TeamItem) => scope === null || scope === message.sent_from

/** What roles of the session's own team say to each other. What the user says to them stands there as the user's message. */
const isPublished = (item: TeamItem) => isOfOwnTeam(item) && item.message.sent_from !== USER

/** Whether it is a call of a tool that writes or deletes the file. */
const isCallFor = (item: Item, path: string) =>
  item.kind === 'call' && /^(write|edit|delete)_file$/.test(item.tool) && item.arguments['path'] === path

/** Whether it is a message that brings a file along. */
function isAttached(item: Item, path: string): boolean {
  if (item.kind !== 'said' || typeof item.message.content === 'string') return false
  return item.message.content.some((part) => 'path' in part && part.path === path)
}

/** Whether it is shown when not every step is: what sub-tasks and roles say among themselves is told by their results. */
export function isMain(item: Item): boolean {
  if (item.kind === 'team') return isPublished(item)
  return item.scope === null || item.kind === 'task' || (item.kind === 'note' && item.note.type === 'error')
}

/** What every item has of its event. */
function common(event: SessionEvent): Pick<Item, 'key' | 'seq' | 'scope' | 'time' | 'rev' | 'run'> {
  return { key: String(event.seq), seq: event.seq, scope: event.scope, time: event.time, rev: 0, run: event.run_id }
}

function said(event: SessionEvent, message: Message): Item {
  return { ...common(event), kind: 'said', message }
}

function note(event: SessionEvent, what: NoteItem['note']): NoteItem {
  return { ...common(event), kind: 'note', note: what }
}

/** Sub-tasks by their ids, as a person knows them: by number and worker. */
class Places {
  readonly #tasks = new Map<string, string>()

  /** The tasks of a plan, in its order. */
  planned(tasks: readonly PlanTask[]): void {
    for (const [index, { id, worker }] of tasks.entries()) this.#tasks.set(id, `#${index + 1} ${worker}`)
  }

  /** A task whose plan is in a part of the log that is not known yet. */
  met({ id, worker }: PlanTask): void {
    if (!this.#tasks.has(id)) this.#tasks.set(id, worker)
  }

  /** A step of a workflow is called as its author named it. */
  begun({ scope, step }: { scope: string | null; step: string }): void {
    if (scope !== null) this.#tasks.set(scope, step)
  }

  /** The sub-task, step or role of a branch, such as `#2 crew · Writer`; null: a task or a step of which nothing is known yet. */
  nameOf(scope: string): string | null {
    const { owner, role } = roleOfBranch(scope)
    if (owner !== null) return [...(this.#tasks.has(owner) ? [this.#tasks.get(owner)] : []), role].join(' · ')
    return this.#tasks.get(scope) ?? (/^(tsk|stp)_/.test(scope) ? null : scope)
  }
}

/** A round: who acts in it, and what was said. RoundItems 0 is what came from outside before the first. */
export interface RoundItems {
  key: string
  round: number
  roles: string[]
  said: TeamItem[]
}

/** What one sees of a session as the rounds of its own team. What was said between two rounds belongs to the one before. */
export function roundsOf(items: readonly Item[]): RoundItems[] {
  const rounds: RoundItems[] = []
  for (const item of items) {
    const last = rounds.at(-1)
    if (item.kind === 'note' && item.note.type === 'round' && item.scope === null)
      rounds.push({ key: item.key, round: item.note.round, roles: item.note.roles, said: [] })
    else if (item.kind === 'team' && isOfOwnTeam(item)) {
      if (last) last.said.push(item)
      else rounds.push({ key: item.key, round: 0, roles: [], said: [item] })
    }
  }
  return rounds
}
