import { describe, test } from 'vitest'
import { languageOfWords } from '../../../src/domain/language.ts'

describe('the language of words', () => {
  test.for([
    '法国',
    '法国的首都是哪里？',
    '再说一遍 again',
    '用 Python 写一个排序',
    '解释一下 TypeScript 的 generics',
    '总结这个网页：https://developer.mozilla.org/en-US/docs/Web/JavaScript/Reference',
    '改好这段代码\n```ts\nexport function languageOfWords(text: string): Language | null {}\n```',
    '```\n法国的首都是哪里？\n```',
    '{"user_input":"法国","target_language":"中文"}',
  ])('is Chinese where much of them is: %s', (text, { expect }) => expect(languageOfWords(text)).toBe('zh-CN'))

  test.for([
    'What is the capital of France?',
    'What does 你好 mean?',
    'Translate 你好世界 into plain English, please.',
    'Fix it:\n```py\nprint("法国的首都是哪里，你知道吗，我不知道")\n```',
    'フランスの首都はどこですか',
    '東京都の人口を教えてください',
    'Quelle est la capitale ?',
  ])('is English for all others: %s', (text, { expect }) => expect(languageOfWords(text)).toBe('en'))

  test('is not known of a text without letters', ({ expect }) => {
    expect(['', '1 + 1 = ?', '🙂'].map(languageOfWords)).toEqual([null, null, null])
  })
})
