import { type Content, imagesIn } from '../../domain/content.ts'
import type { MissingServer } from '../../domain/mcp.ts'
import { serverPrefix } from '../../domain/tool-id.ts'
import type { Engine, MoveContext } from '../engine.ts'
import { languageTagOf, timezoneOf } from '../settings.ts'
import { declaredProtocol, type Worker } from '../worker/worker.ts'
import { LIMITS } from '../../domain/limits.ts'
import { codecFor } from '../../agent/codec.ts'
import { generatePrompt } from '../../agent/prompt.ts'
import type { Journal } from '../../log/journal.ts'
import { leastBudget, orderedIn } from '../../log/window.ts'
import { partsWithin, type PromptPart } from '../../memory/prompt.ts'
import { estimateRequest } from '../../models/estimate.ts'
import type { NewEvent } from '../../domain/event.ts'
import { roleOf } from './role.ts'

const TEXTS = {
  'zh-CN': {
    title: '暂缺的工具',
    text: '任务开始时，以下 MCP 服务或接口的工具没能载入；除非工具列表里已经有了，否则不能调用。任务需要它们时请如实告诉用户，不要编造它们的结果。',
    more: (count: number) => `- 另有 ${count} 个`,
  },
  en: {
    title: 'Tools that are missing',
    text: 'When this task began, the tools of these MCP servers or APIs could not be loaded; they cannot be called unless they are offered by now. Where the task needs them, tell the user so, and do not make up what they would say.',
    more: (count: number) => `- and ${count} more`,
  },
}

/** What a prompt is for. */
export interface PromptOf {
  /** What is to be done. */
  task: string
  /** The same as the role is told of it. */
  about: string
  /** What it says beside what the session knows; `untrusted`: text from outside had a part in it. */
  parts: readonly PromptPart[]
  /** What is remembered of the user, which gives way where the window is small. */
  told?: readonly PromptPart[]
  untrusted?: boolean
}

/** The prompt of who works in a branch. */
export function promptEvent(worker: Worker, context: MoveContext, of: PromptOf): NewEvent {
  const { told = [], untrusted = false } = of
  const whole = promptText(worker, context, of, told)
  const fits = told.length === 0 || roomBeside(whole, worker) >= 0
  const content = fits ? whole : cutPrompt(worker, context, of)
  const said = { role: 'system', kind: 'prompt', content, scope: worker.scope } as const
  return context.journal.messageEvent(said, untrusted ? { untrusted: true } : {})
}

/** The prompt with as much of what is remembered as there is room for. */
function cutPrompt(worker: Worker, context: MoveContext, of: PromptOf): string {
  const plain = promptText(worker, context, of, [])
  const kept = partsWithin(of.told ?? [], roomBeside(plain, worker))
  return kept.length === 0 ? plain : promptText(worker, context, of, kept)
}

/** Tokens that a model's window has left beside the reply, the tools and this prompt, but for what messages have at least. */
export function roomBeside(prompt: string, { choice, offered: tools, language }: Worker): number {
  if (!choice.ok) return LIMITS.model.contextTokens
  const { spec } = choice
  const request = codecFor(spec.protocol).encode({ prompt, messages: [], tools, language })
  return spec.contextTokens - spec.maxTokens - leastBudget(spec) - estimateRequest(request)
}

function promptText(
  worker: Worker,
  context: MoveContext,
  { task, about, parts }: PromptOf,
  told: readonly PromptPart[],
): string {
  const { journal, engine } = context
  const { config } = journal.record
  const { finish, outputSchema, language, offered: tools } = worker
  return generatePrompt({
    task,
    character: roleOf(context, worker, about),
    language,
    languageTag: languageTagOf(engine, config),
    timezone: timezoneOf(engine, config),
    now: journal.now(),
    runtime: engine.runtime,
    instructions: [engine.config.instructions, config.instructions].filter(Boolean).join('\n\n'),
    tools,
    protocol: declaredProtocol(worker),
    finish,
    outputSchema,
    layout: config.prompt_layout ?? engine.config.prompt_layout ?? 'cacheable',
    extra: [...missingToolsPart(worker, engine), ...parts, ...told],
  })
}

/** What a part of a task is told: words of its own, and the images of the task and of what steered it, which words stand for badly. `owner`: the
 *  branch that it is a part of. */
export function withImagesOf(owner: string | null, text: string, journal: Journal): Content {
  const ordered = orderedIn(journal, owner).flatMap(({ content }) => imagesIn(content))
  const images = ordered.slice(-LIMITS.parts.imagesPerCallMax)
  return images.length === 0 ? text : [{ type: 'text', text }, ...images]
}

/** Servers whose tools a branch would be given and is not, for its prompt. */
export function missingToolsPart(
  { toolNames, language }: Worker,
  { missing }: Pick<Engine, 'missing'>,
): { title: string; text: string }[] {
  const servers = missing.filter((server) => toolNames === null || toolNames.some((name) => isOf(name, server)))
  if (servers.length === 0) return []
  const { title, text, more } = TEXTS[language]
  const shown = servers.slice(0, LIMITS.mcp.missingShownMax).map(({ name, reason }) => `- ${name}: ${reason[language]}`)
  const rest = servers.length - shown.length
  return [{ title, text: [text, '', ...shown, ...(rest > 0 ? [more(rest)] : [])].join('\n') }]
}

function isOf(name: string, server: MissingServer): boolean {
  return name === '*' || name.startsWith(`${server.name}__`) || name.startsWith(serverPrefix(server.name))
}
