import { expect, test } from 'vitest'
import { graphemesOf, nameAsWords, opaqueWords } from '../../../src/lib/text.ts'

test.each([
  ['best lighthouses 2026-11-21 gpt-4 claude-3-5-sonnet-20241022 v1.2.3', []],
  ['港口 疏浚 2026年11月21日 最新消息', []],
  ['这是一句很长的中文而且没有任何空格但它仍然只是一句普通的话不是什么编码或者密钥所以不应该被拦下来', []],
  ['from 2026-11-21T00:00:00Z to 2026-11-22T08:00:00.5+08:00', []],
  ['find sk-proj-9fK2xQ7LmZ4tR8vB, please', ['sk-proj-9fK2xQ7LmZ4tR8vB']],
  ['call 13800138000 or a.b@c.example', ['13800138000', 'a.b@c.example']],
  ['卡号6222020200112233是谁的', ['卡号6222020200112233是谁的']],
  ['card 6222-0202-0011-2233', ['6222-0202-0011-2233']],
  ['x'.repeat(41), ['x'.repeat(41)]],
])('codes in: %s', (text, words) => {
  expect(opaqueWords(text)).toEqual(words)
})

test.each([
  ['file_path', 'File path'],
  ['maxLineCount', 'Max line count'],
  ['dry-run', 'Dry run'],
  ['URL', 'URL'],
  ['文件_名', '文件 名'],
  ['_', '_'],
])('the name %s as words', (name, words) => {
  expect(nameAsWords(name)).toBe(words)
})

test.for([
  ['plain words', 'plain words'.split('')],
  ['东京タワー', '东京タワー'.split('')],
  ['née', ['n', 'é', 'e']],
  ['ne\u0301e', ['n', 'e\u0301', 'e']],
  ['a👨‍👩‍👧b🇩🇪', ['a', '👨‍👩‍👧', 'b', '🇩🇪']],
  ['', []],
] as const)('graphemes of %j are what people see', ([text, signs]) => {
  expect(graphemesOf(text)).toEqual(signs)
})
