import type { Language } from '../domain/language.ts'
import type { Protocol } from '../domain/model.ts'
import { cutText } from '../lib/text.ts'
import { type NamedTool, displayName, writeCall } from './tool-names.ts'

/** Of a long answer a lesson shows the start. */
const SHOWN_CHARS_MAX = 1_500

const TEXTS = {
  'zh-CN': {
    tags: (call: string) => `如果这就是给用户的答复，请这样写：\n\n${call}`,
    native: (name: string, args: string) => `如果这就是给用户的答复，请调用函数 ${name}，参数为：\n\n${args}`,
  },
  en: {
    tags: (call: string) => `If that is your answer to the user, write it like this:\n\n${call}`,
    native: (name: string, args: string) =>
      `If that is your answer to the user, call the function ${name} with these arguments:\n\n${args}`,
  },
} as const

/** How a model gives its own words as the answer, in the protocol that it is spoken to in; null: there are no words, or nothing that
 *  takes an answer. */
export function answerLesson(
  said: string,
  tools: readonly NamedTool[],
  protocol: Protocol,
  language: Language,
): string | null {
  const finish = tools.find(({ id }) => id === 'finish')
  if (said === '' || !finish) return null
  const args = { reason: cutText(said, SHOWN_CHARS_MAX) }
  const texts = TEXTS[language]
  return protocol === 'xml'
    ? texts.tags(writeCall({ name: finish.id, arguments: args }, tools, language))
    : texts.native(displayName(finish.id, [], language), JSON.stringify(args))
}
