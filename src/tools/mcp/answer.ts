import type { CallToolResult } from '@modelcontextprotocol/client'
import type { Language } from '../../domain/language.ts'
import { IMAGE_TYPES, type ImagePart } from '../../domain/content.ts'
import { type FileChange, changeProblem, filePath } from '../../domain/file.ts'
import type { ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { canonicalJson, sha256Hex } from '../../lib/hash.ts'
import { fence } from '../../lib/fence.ts'
import { TEXTS } from './texts.ts'
import { LIMITS } from '../../domain/limits.ts'
import { fromBase64 } from '../../lib/base64.ts'
import { contentTypeOf, endingOf } from '../../lib/content-type.ts'

type Content = CallToolResult['content'][number]

/** What a server answered as a result: text between markers, everything else described and its bytes kept as files. */
export async function mcpOutcome(server: string, answer: CallToolResult, context: ToolContext): Promise<ToolOutcome> {
  const { language } = context
  const kept = new AnswerFiles(context)
  const parts: string[] = []
  for (const content of answer.content) parts.push(await described(content, kept, language))
  const structured = structuredText(answer, language)
  const body = [...parts, ...(structured === null ? [] : [structured])]
    .filter((part) => part.trim() !== '')
    .join('\n\n')
    .toWellFormed()
  return toolOutcome(server, { body, isError: answer.isError === true, kept }, context)
}

interface Answer {
  body: string
  isError: boolean
  kept: AnswerFiles
}

async function toolOutcome(
  server: string,
  { body, isError, kept: { changes: files, images } }: Answer,
  context: ToolContext,
): Promise<ToolOutcome> {
  const text = await fencedAnswer(server, body === '' ? TEXTS[context.language].empty : body, context)
  if (isError) return { ok: false, reason: text, untrusted: true }
  const changes = {
    ...(files.length > 0 ? { files } : {}),
    ...(context.vision && images.length > 0 ? { images } : {}),
  }
  return { ok: true, content: text, untrusted: true, essence: body, ...changes }
}

/** Words of a server between markers that they cannot forge. */
export async function fencedAnswer(
  server: string,
  body: string,
  { language, sessionId, callId }: Pick<ToolContext, 'language' | 'sessionId' | 'callId'>,
): Promise<string> {
  const { untrusted, begin, end } = TEXTS[language]
  return `${untrusted(server)}\n${await fence(body, begin, end, `${sessionId}\n${callId}`)}`
}

async function described(content: Content, kept: AnswerFiles, language: Language): Promise<string> {
  switch (content.type) {
    case 'text':
      return content.text
    case 'image':
    case 'audio':
      return bytesText(content.data, content.mimeType, kept, language)
    case 'resource_link':
      return linkText(content, language)
    case 'resource':
      return resourceText(content.resource, kept, language)
  }
}

async function bytesText(base64: string, type: string, kept: AnswerFiles, language: Language): Promise<string> {
  const texts = TEXTS[language]
  const added = await kept.add(base64, type)
  if (added === null) return texts.bytes(type, 0)
  return `${texts.bytes(type, added.size)} ${added.path === null ? texts.notKept : texts.kept(added.path)}`
}

function linkText(link: Extract<Content, { type: 'resource_link' }>, language: Language): string {
  const { uri, name, title, description, mimeType, size } = link
  const facts = [mimeType, size === undefined ? undefined : `${size} bytes`].filter((fact) => fact !== undefined)
  const beside = facts.length > 0 ? ` (${facts.join(', ')})` : ''
  return `[${TEXTS[language].link}] ${title ?? name}: ${uri}${beside}${description ? `\n${description}` : ''}`
}

type Resource = Extract<Content, { type: 'resource' }>['resource']

async function resourceText(resource: Resource, kept: AnswerFiles, language: Language): Promise<string> {
  const type = resource.mimeType ?? ('text' in resource ? 'text/plain' : 'application/octet-stream')
  const heading = `[${TEXTS[language].resource}] ${resource.uri} (${type})`
  const inside = 'text' in resource ? resource.text : await bytesText(resource.blob, type, kept, language)
  return `${heading}\n${inside}`
}

/** The structured content as JSON, unless a text of the answer says the same. */
function structuredText({ content, structuredContent }: CallToolResult, language: Language): string | null {
  if (structuredContent === undefined) return null
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return isSaidIn(texts, structuredContent)
    ? null
    : `[${TEXTS[language].structured}]\n${JSON.stringify(structuredContent, null, 2)}`
}

/** Whether texts say all of a structure: as its JSON, or where it only wraps them (`{"result": "…"}`), as they are. */
function isSaidIn(texts: readonly string[], structure: unknown): boolean {
  const says = (text: string, value: unknown) =>
    canonicalOf(text) === canonicalJson(value) || (isPlain(value) && text.trim() === `${value}`.trim())
  const saysAll = (value: unknown) =>
    texts.some((text) => says(text, value)) ||
    says(texts.join('\n'), value) ||
    (Array.isArray(value) && value.length === texts.length && value.every((one, at) => says(texts[at] ?? '', one)))
  const members = typeof structure === 'object' && structure !== null ? Object.values(structure) : []
  return saysAll(structure) || (members.length === 1 && !Array.isArray(structure) && saysAll(members[0]))
}

function isPlain(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

function canonicalOf(text: string): string | null {
  if (!/^\s*[[{]/.test(text)) return null
  try {
    return canonicalJson(JSON.parse(text))
  } catch {
    return null
  }
}

function imageOf(change: FileChange): ImagePart[] {
  const type = change.action === 'write' ? contentTypeOf(change.path, change.bytes) : ''
  if (change.action !== 'write' || !IMAGE_TYPES.has(type)) return []
  return [{ type: 'image', path: change.path, media_type: type, size: change.bytes.byteLength, untrusted: true }]
}

type Place = Pick<ToolContext, 'callId' | 'files'>

/** Bytes of one answer on their way into the workspace. */
class AnswerFiles {
  readonly #place: Place
  readonly #changes: FileChange[] = []
  #bytes = 0

  constructor(place: Place) {
    this.#place = place
  }

  /** Of them, what a model can be shown. */
  get images(): ImagePart[] {
    return this.#changes.flatMap((change) => imageOf(change))
  }

  get changes(): FileChange[] {
    return this.#changes
  }

  /** Take bytes in. `path` null: they are not kept, as the workspace has no room for them. Null: it is no base64. */
  async add(base64: string, mediaType: string): Promise<{ size: number; path: string | null } | null> {
    const bytes = fromBase64(base64)
    if (bytes === null) return null
    const path = filePath(`mcp/${this.#place.callId}/${this.#changes.length + 1}.${endingOf(mediaType)}`)
    const change: FileChange | null = path.ok
      ? { action: 'write', path: path.path, bytes, sha256: await sha256Hex(bytes), untrusted: true, base: null }
      : null
    if (change === null || !this.#fits(change, bytes.byteLength)) return { size: bytes.byteLength, path: null }
    this.#changes.push(change)
    this.#bytes += bytes.byteLength
    return { size: bytes.byteLength, path: change.path }
  }

  #fits(change: FileChange, size: number): boolean {
    const { files } = this.#place
    const total = files.total()
    return (
      this.#changes.length < LIMITS.mcp.filesPerResultMax &&
      total.files + this.#changes.length < LIMITS.files.filesMax &&
      total.bytes + this.#bytes + size <= LIMITS.files.sessionBytesMax &&
      changeProblem(files, change) === null
    )
  }
}
