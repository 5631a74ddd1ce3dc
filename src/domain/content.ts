import * as z from 'zod'
import { onDemand, type ShapeOf } from '../lib/shape.ts'
import { textOf } from '../lib/text.ts'
import { filePath } from './file.ts'
import type { Language } from './language.ts'
import { LIMITS } from './limits.ts'

const { contentPartsMax, mediaTypeCharsMax, nameCharsMax } = LIMITS.text

/** A part of a message. Bytes live in the session's workspace; a part names them by their path. */
export const part = /* @__PURE__ */ onDemand(() => {
  const file = {
    path: z.string().refine((path) => spelling(path) === path, 'the path of a file in the workspace'),
    media_type: z.string().min(1).max(mediaTypeCharsMax),
  }
  return z.discriminatedUnion('type', [
    z.object({ type: z.literal('text'), text: z.string() }),
    z.object({ type: z.literal('image'), ...file }),
    z.object({ type: z.literal('file'), ...file, name: z.string().min(1).max(nameCharsMax).exactOptional() }),
    z.object({ type: z.literal('data'), data: z.unknown() }),
  ])
})
export type Part = ShapeOf<typeof part>

/** What a message says. */
export type Content = string | Part[]

function spelling(path: string): string | null {
  const checked = filePath(path)
  return checked.ok ? checked.path : null
}

/** The parts of a log from elsewhere. Those of a type that only a later release knows are kept as they are. */
export const storedContent = /* @__PURE__ */ onDemand(() => {
  const known = new Set<string>(part().options.map(({ shape }) => shape.type.value))
  const stored = z
    .looseObject({ type: z.string().min(1).max(mediaTypeCharsMax) })
    .superRefine((given, context) => {
      const read = known.has(given.type) ? part().safeParse(given) : null
      for (const { path, message } of read?.error?.issues ?? []) context.addIssue({ code: 'custom', path, message })
    })
    .pipe(z.custom<Part>())
  return z.union([z.string(), z.array(stored).max(contentPartsMax)])
})

const MARKS = {
  'zh-CN': { image: (path: string) => `[图片：${path}]`, file: (path: string) => `[文件：${path}]` },
  en: { image: (path: string) => `[image: ${path}]`, file: (path: string) => `[file: ${path}]` },
} as const satisfies Record<Language, unknown>

/** What a message says as text: the one way to read a content. Data is its JSON; an image or a file is a short mark in the words of the
 *  language. `null`: only what was said, no marks. */
export function contentText(content: Content, language: Language | null): string {
  if (typeof content === 'string') return content
  return content.flatMap((one) => partText(one, language)).join('\n')
}

/** The words that a message is told in: its text; its data only where it has no text. */
export function contentWords(content: Content): string {
  const texts = typeof content === 'string' ? content : content.filter(({ type }) => type === 'text')
  return contentText(texts, null) || contentText(content, null)
}

/** A part of a type that is not known here, as a later release may have written, says nothing. */
function partText(one: Part, language: Language | null): string[] {
  if (one.type === 'text') return [one.text]
  if (one.type === 'data') return [textOf(one.data)]
  if (language === null || !(one.type in MARKS.en)) return []
  return [MARKS[language][one.type](one.path)]
}
