import { test } from 'vitest'
import pc from 'picocolors'
import { textsOf } from '../../../../src/cli/texts.ts'
import { liveScreen } from '../../../../src/cli/view/screen.ts'
import { writtenOutput } from '../../../support/written-output.ts'

test('a terminal breaks lines between words, and leaves a long word whole', ({ expect }) => {
  const out = { ...writtenOutput(), columns: 24 }
  const screen = liveScreen(out, pc.createColors(false))
  const address = `http://x.test/${'a'.repeat(30)}`
  screen.show({
    type: 'line',
    style: 'bad',
    text: `failed: nobody has answered\n  see ${address} 失败的原因在这里，请看一看`,
  })
  expect(out.written.join('').split('\n')).toEqual([
    'failed: nobody has',
    '  answered',
    '  see',
    `    ${address}`,
    '    失败的原因在这里，',
    '    请看一看',
    '',
  ])
})

test('what a model thinks has a mark before it and is broken between words, also of one that comes in pieces', ({
  expect,
}) => {
  const out = Object.assign(writtenOutput(), { columns: 16 })
  const screen = liveScreen(out, pc.createColors(false))
  const flow = (text: string) => screen.show({ type: 'flow', kind: 'thinking', text })
  for (const piece of ['I have ', 'to th', 'ink of it', '，中文也要换行', '\nthen', ' end']) flow(piece)
  screen.show({ type: 'line', style: 'dim', text: 'next' })
  expect(out.written.join('').split('\n')).toEqual([
    '… I have to ',
    'think of it，中',
    '文也要换行',
    'then end',
    'next',
    '',
  ])
})

test('of a word without an end that a model thinks the begin is shown, and no line is empty behind it', ({
  expect,
}) => {
  const out = Object.assign(writtenOutput(), { columns: 16 })
  const screen = liveScreen(out, pc.createColors(false))
  const data = 'QUJD'.repeat(200)
  for (const piece of data.match(/.{8}/g) ?? []) screen.show({ type: 'flow', kind: 'thinking', text: piece })
  expect(out.written.join('')).toContain(data.slice(0, 400))
  screen.show({ type: 'line', style: 'dim', text: 'next' })
  const lines = out.written.join('').split('\n')
  expect(lines.slice(-3)).toEqual([expect.stringMatching(/^(QUJD)+$/), 'next', ''])
  expect(lines.join('')).toBe(`… ${data}next`)
})

test('a status line says what works, for how long and what it took; it gives way to text and fits the terminal', ({
  expect,
}) => {
  const out = { ...writtenOutput(), columns: 40 }
  const texts = textsOf('zh-CN')
  const screen = liveScreen(out, pc.createColors(false), texts.worked)
  screen.show({ type: 'spent', tokens: 1_234 })
  screen.show({ type: 'status', text: '模型一二三四五六七八九十正在阅读' })
  screen.show({ type: 'line', style: 'dim', text: 'next' })
  const erase = '\r\u001b[2K'
  expect(out.written).toEqual([`${erase}⠋ 模型一二三四五… · 0 秒 · 1,234 Token`, erase, 'next\n'])
})

test('a status line is taken away whole when the terminal became narrower', ({ expect }) => {
  const out = { ...writtenOutput(), columns: 60 }
  const screen = liveScreen(out, pc.createColors(false))
  screen.show({ type: 'status', text: 'the model of a long name is reading what it was given' })
  out.columns = 30
  screen.show({ type: 'status', text: null })
  expect(out.written.at(-1)).toBe('\u001b[1A\r\u001b[J')
})

test('what works is said again once a line of the person was written, as long as it works', ({ expect }) => {
  const out = writtenOutput()
  const screen = liveScreen(out, pc.createColors(false))
  screen.show({ type: 'status', text: 'it works' })
  screen.clear()
  const before = out.written.length
  screen.resume()
  expect(out.written.slice(before).join('')).toContain('it works · 0 s')
  screen.show({ type: 'status', text: null })
  const after = out.written.length
  screen.resume()
  expect(out.written).toHaveLength(after)
})
