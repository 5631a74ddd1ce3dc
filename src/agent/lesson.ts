import type { Language } from '../domain/language.ts'
import type { Protocol } from '../domain/model.ts'
import type { JsonSchema } from '../domain/tool.ts'
import { cutText } from '../lib/text.ts'
import { exampleAnswer, fitAnswer } from '../skills/output-schema.ts'
import { type NamedTool, displayName, writeCall } from './tool-names.ts'

/** Of a long answer a lesson shows the start. */
const SHOWN_CHARS_MAX = 1_500

const TEXTS = {
  'zh-CN': {
    tags: (call: string) => `如果这就是给用户的答复，请这样写：\n\n${call}`,
    native: (name: string, args: string) => `如果这就是给用户的答复，请调用函数 ${name}，参数为：\n\n${args}`,
    exampleTags: (call: string) => `给用户的答复必须是符合 Schema 的 JSON，请这样写，把值换成你的：\n\n${call}`,
    exampleNative: (name: string, args: string) =>
      `给用户的答复必须是符合 Schema 的 JSON，请调用函数 ${name}，参数如下，把值换成你的：\n\n${args}`,
  },
  en: {
    tags: (call: string) => `If that is your answer to the user, write it like this:\n\n${call}`,
    native: (name: string, args: string) =>
      `If that is your answer to the user, call the function ${name} with these arguments:\n\n${args}`,
    exampleTags: (call: string) =>
      `Your answer to the user has to be JSON that fits the schema. Write it like this, with values of your own:\n\n${call}`,
    exampleNative: (name: string, args: string) =>
      `Your answer to the user has to be JSON that fits the schema. Call the function ${name} with arguments like these, with values of your own:\n\n${args}`,
  },
} as const

/** How a model is spoken to, and what it is asked for. */
export interface Spoken {
  protocol: Protocol
  language: Language
  /** What the answer has to fit; null: anything. */
  outputSchema: JsonSchema | null
}

/** How a model gives its own words as the answer, in the protocol that it is spoken to in, or, where they do not fit the schema of the answer, an
 *  example that does; null: there are no words, nothing that takes an answer, or no such example. */
export function answerLesson(
  said: string,
  tools: readonly NamedTool[],
  { protocol, language, outputSchema }: Spoken,
): string | null {
  const finish = tools.find(({ id }) => id === 'finish')
  if (said === '' || !finish) return null
  const shown = outputSchema ? shownBeside(said, outputSchema) : { reason: cutText(said, SHOWN_CHARS_MAX), isOwn: true }
  if (shown === null) return null
  const { reason, isOwn } = shown
  const texts = TEXTS[language]
  if (protocol === 'xml') {
    const call = writeCall({ name: finish.id, arguments: { reason } }, tools, language)
    return isOwn ? texts.tags(call) : texts.exampleTags(call)
  }
  const name = displayName(finish.id, [], language)
  const args = JSON.stringify({ reason })
  return isOwn ? texts.native(name, args) : texts.exampleNative(name, args)
}

/** The answer that a lesson shows beside a schema: the words, if they fit, else an example. Cut it would fit nothing. */
function shownBeside(said: string, schema: JsonSchema): { reason: string; isOwn: boolean } | null {
  const fitted = fitAnswer(said, schema)
  if (fitted.ok && fitted.json.length <= SHOWN_CHARS_MAX) return { reason: fitted.json, isOwn: true }
  const example = exampleAnswer(schema)
  return example === null || example.length > SHOWN_CHARS_MAX ? null : { reason: example, isOwn: false }
}
