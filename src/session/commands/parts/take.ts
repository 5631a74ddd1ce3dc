import type { Part } from '../../../domain/content.ts'
import type { ContentInput } from '../../../domain/content-input.ts'
import { ok, type Result } from '../../../domain/errors.ts'
import { LIMITS } from '../../../domain/limits.ts'
import type { MessageInput } from '../../../domain/message.ts'
import type { SessionRecord } from '../../../domain/session.ts'
import type { Now } from '../../../domain/ports.ts'
import type { SessionConfig } from '../../../domain/config.ts'
import type { Engine } from '../../../engine/engine.ts'
import { type Journal, missing } from '../../../log/journal.ts'
import { modelConfigOf } from '../../../engine/settings.ts'
import {
  placed,
  placedMessages,
  type PlacedMessages,
  type TakenContent,
  type TakenMessage,
  type TakingPorts,
} from './taken.ts'

/** A content at a path of its request. `isPast`: of an older message, whose files may be gone. */
interface GivenContent {
  content: ContentInput
  path: string
  /** Of each of its parts; absent: by its place. */
  pathOf?: (index: number) => string
  isPast?: boolean
}

/** Contents of one request, with their bytes; the first that cannot be taken is said. What takes bytes is loaded when some come. */
async function takeContents(given: readonly GivenContent[], ports: TakingPorts): Promise<Result<TakenContent[]>> {
  const texts = given.flatMap(({ content }) => (typeof content === 'string' ? [content] : []))
  if (texts.length === given.length) return ok(texts)
  const { Taking } = await import('./taking.ts')
  const taking = new Taking(ports)
  const taken: TakenContent[] = []
  for (const { content, path, pathOf = (index: number) => `${path}.${index}`, isPast = false } of given) {
    const one = typeof content === 'string' ? ok(content) : await taking.take(content, pathOf, isPast)
    if (!one.ok) return one
    taken.push(one.value)
  }
  return ok(taken)
}

/** The same of messages; their contents are at `path`. */
export async function takeMessages(
  messages: readonly MessageInput[],
  { path, isPast }: { path: string; isPast: (index: number) => boolean },
  ports: TakingPorts,
): Promise<Result<TakenMessage[]>> {
  const given = messages.map(({ content }, index) => ({
    content,
    path: `${path}.${index}.content`,
    isPast: isPast(index),
  }))
  const taken = await takeContents(given, ports)
  if (!taken.ok) return taken
  return ok(messages.map((message, index) => ({ ...message, content: taken.value[index] ?? '' })))
}

/** What a new session begins with; undefined: it has no task. */
export interface TakenOpening {
  history: PlacedMessages
  task: TakenContent | undefined
}

/** The older messages of a new session and its task, with a place for all that they bring along. */
export async function takeOpening(
  messages: readonly MessageInput[],
  task: ContentInput | undefined,
  ports: TakingPorts,
): Promise<Result<TakenOpening>> {
  const given = [...messages.map(({ content }) => content), ...(task === undefined ? [] : [task])]
  const pathOf = (index: number) => (index < messages.length ? `messages.${index}.content` : 'task')
  const taken = await takeContents(
    given.map((content, index) => ({ content, path: pathOf(index) })),
    ports,
  )
  if (!taken.ok) return taken
  const contents = taken.value
  const history = placedMessages(
    messages.map((message, index) => ({ ...message, content: contents[index] ?? '' })),
    ports.files,
  )
  if (!history.ok) return history
  const last = task === undefined ? undefined : contents[messages.length]
  if (typeof last !== 'object') return ok({ history: history.value, task: last })
  const begun = placed(last, ports.files, history.value.files)
  return begun.ok ? ok({ history: history.value, task: { ...last, place: () => begun } }) : begun
}

/** A content that is said to a session which is there, with the config that it comes with. */
export async function takeMessage(
  { content, path, config }: { content: ContentInput; path: string; config: SessionConfig | undefined },
  journal: Journal,
  { engine, now }: { engine: Engine; now: Now },
): Promise<Result<TakenContent>> {
  const gone = missing(journal)
  if (gone) return gone
  const { record, log } = journal
  const tokensMax = attachedTokensMax(engine, { ...record, config: { ...record.config, ...config } })
  const taken = await takeContents([{ content, path }], { engine, files: log.files, tokensMax, now })
  return taken.ok ? ok(taken.value[0] ?? '') : taken
}

/** What the run of a skill begins with, and the paths of inputs that are files. */
export async function takeInput(
  { content, pathOf, files }: { content: ContentInput; pathOf: (index: number) => string; files: readonly string[] },
  ports: TakingPorts,
): Promise<Result<{ content: TakenContent; inputs: Record<string, string> }>> {
  const taken = await takeContents([{ content, path: 'input', pathOf }], ports)
  if (!taken.ok) return taken
  const [one = ''] = taken.value
  if (typeof one === 'string') return ok({ content: one, inputs: {} })
  const begun = one.place(ports.files)
  if (!begun.ok) return begun
  const stored = typeof begun.value.content === 'string' ? [] : begun.value.content.slice(-files.length)
  const inputs = files.map((name, index) => [name, pathIn(stored[index])] as const)
  return ok({ content: { ...one, place: () => begun }, inputs: Object.fromEntries(inputs) })
}

function pathIn(part: Part | undefined): string {
  return part?.type === 'image' || part?.type === 'file' ? part.path : ''
}

/** Tokens that the text of attached files may take beside all else that a model is told. */
export function attachedTokensMax(
  engine: Pick<Engine, 'chooseModel'>,
  record: Pick<SessionRecord, 'config' | 'skill'>,
): number {
  const choice = engine.chooseModel(modelConfigOf(record))
  const window = choice.ok ? choice.spec.contextTokens - choice.spec.maxTokens : LIMITS.model.contextTokens
  return Math.floor(window * LIMITS.parts.windowShare)
}
