import { test } from 'vitest'
import pc from 'picocolors'
import { renderedAnswer } from '../../../../src/cli/view/answer.ts'
import { renderMarkdown } from '../../../../src/cli/view/markdown.ts'
import { brokenTo, columnsOf, cutTo, wrap } from '../../../../src/cli/view/text.ts'

const plain = pc.createColors(false)
const render = (markdown: string, columns = 80) => renderMarkdown(markdown, { columns, colors: plain })

test('headings, lists, code, quotes, links and tables become lines of a terminal', ({ expect }) => {
  const markdown = [
    '# Title & more',
    'A **bold** and `x < y` [link](https://x.test/).',
    '1. one\n2. two\n   - inner',
    '```mermaid\ngraph TD\nA-->B\n```',
    '> quoted',
    '| 名称 | n |\n|---|---|\n| 苹果 | 1 |\n| b | 22 |',
    '- [x] done\n- [ ] open',
  ].join('\n\n')
  expect(render(markdown)).toBe(
    [
      'Title & more',
      '',
      'A bold and x < y link (https://x.test/).',
      '',
      '1. one',
      '2. two',
      '   • inner',
      '',
      '  graph TD',
      '  A-->B',
      '',
      '│ quoted',
      '',
      '名称 │ n',
      '─────┼───',
      '苹果 │ 1',
      'b    │ 22',
      '',
      '☑ done',
      '☐ open',
    ].join('\n'),
  )
})

test('a table has its columns where they are aligned to', ({ expect }) => {
  const table = '| 名称 | Price | |\n|:--|--:|:-:|\n| 苹果 | 3.50 | 中 |\n| Fig | 12 | abcde |'
  expect(renderMarkdown(table, { columns: 60, colors: plain }).split('\n')).toEqual([
    '名称 │ Price │',
    '─────┼───────┼──────',
    '苹果 │  3.50 │  中',
    'Fig  │    12 │ abcde',
  ])
})

test.for([
  ['**注意：**请带证件', '<注意：>请带证件'],
  ['这是**“引号”**的词，见**（一）**节', '这是<“引号”>的词，见<（一）>节'],
  ['**甲：**乙，**丙：**丁', '<甲：>乙，<丙：>丁'],
  ['**价格(元)**的 **b**', '<价格(元)>的 <b>'],
  ['**甲**、**乙** 2**3**4', '<甲>、<乙> 2<3>4'],
  ['`**注：**x` **`a**b`**的', '**注：**x <a**b>的'],
  ['a**"b"**c', 'a**"b"**c'],
  ['甲 ** 乙：** 丙', '甲 ** 乙：** 丙'],
] as const)('what is emphasised in %s is what Chinese means', ([markdown, wanted], { expect }) => {
  const colors = { ...plain, bold: (text: unknown) => `<${String(text)}>` }
  expect(renderMarkdown(markdown, { columns: 80, colors })).toBe(wanted)
})

test('a table wider than the terminal becomes a line a cell', ({ expect }) => {
  const wide = `| k | v |\n|---|---|\n| a | ${'word '.repeat(10)}|`
  expect(
    render(wide, 24)
      .split('\n')
      .every((line) => columnsOf(line) <= 24),
  ).toBe(true)
})

test.for([
  { text: '这是一个很长的中文句子，需要按列折行。', columns: 12 },
  { text: 'an English sentence that has to be wrapped', columns: 12 },
  { text: '中文 and English 混合在一起的句子 with words', columns: 14 },
])(
  'lines of "$text" keep to $columns columns, lose nothing, and do not begin with closing punctuation',
  ({ text, columns }, { expect }) => {
    const lines = wrap(text, columns)
    expect(lines.length).toBeGreaterThan(1)
    // Punctuation that sticks to the character before it may stand one character over.
    expect(lines.every((line) => columnsOf(line) <= columns)).toBe(true)
    expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''))
    expect(lines.filter((line) => /^[，。、]/.test(line))).toEqual([])
  },
)

test('colours take no columns', ({ expect }) => {
  expect(columnsOf(pc.createColors(true).bold('粗体ab'))).toBe(6)
})

test('escape sequences in an answer do not reach the terminal', ({ expect }) => {
  expect(render('a\u001b[2Jb')).toBe('a[2Jb')
})

test('an answer is shown block by block as it is written, and once', ({ expect }) => {
  const written: string[] = []
  const sink = renderedAnswer(
    (text) => void written.push(text),
    (markdown) => markdown.trim(),
  )
  for (const char of 'one\n\n```\na\n\nb\n```\n\nlast') sink.push(char)
  expect(written).toEqual(['one\n\n', '```\na\n\nb\n```\n\n'])
  sink.finish('one\n\n```\na\n\nb\n```\n\nlast')
  expect(written.at(-1)).toBe('last\n\n')
})

test('what is being written is seen at once, and gives way to its block when that is complete', ({ expect }) => {
  const screen: string[] = []
  const write = (text: string) => {
    const [first = '', ...sequences] = text.split('\u001b')
    const put = (part: string) => screen.push(...part.split('\n').slice(0, -1))
    put(first)
    for (const sequence of sequences) {
      const [, lines] = /^\[(\d+)A/.exec(sequence) ?? []
      if (lines !== undefined) screen.splice(screen.length - Number(lines))
      else put(sequence.slice('[J'.length))
    }
  }
  const sink = renderedAnswer(
    write,
    (markdown) => `[${markdown.trim()}]`,
    (text) => (text === '' ? [] : text.split('\n').slice(-2)),
  )
  sink.push('Fir')
  expect(screen).toEqual(['Fir'])
  sink.push('st\nline\nmore')
  expect(screen).toEqual(['line', 'more'])
  sink.push('\n\nNext')
  expect(screen).toEqual(['[First', 'line', 'more]', '', 'Next'])
  sink.hide()
  expect(screen).toEqual(['[First', 'line', 'more]', ''])
  sink.push(' one')
  expect(screen.at(-1)).toBe('Next one')
  sink.finish('First\nline\nmore\n\nNext one')
  expect(screen).toEqual(['[First', 'line', 'more]', '', '[Next one]', ''])
})

test('what is being written is taken away whole when the terminal became narrower', ({ expect }) => {
  const written: string[] = []
  let columns = 40
  const sink = renderedAnswer(
    (text) => void written.push(text),
    (markdown) => markdown,
    (text) => [text],
    () => columns,
  )
  sink.push('thirty columns of what is said')
  columns = 20
  sink.hide()
  expect(written.at(-1)).toBe('\u001b[2A\u001b[J')
})

test('an answer that is another than was told is shown whole', ({ expect }) => {
  const written: string[] = []
  const sink = renderedAnswer(
    (text) => void written.push(text),
    (markdown) => markdown.trim(),
  )
  sink.push('draft\n\nmore')
  sink.finish('final')
  expect(written).toEqual(['draft\n\n', 'final\n\n'])
})

test.for([
  ['$E = mc^2$ and \\(x_1 = \\frac{-b + \\sqrt{b^2-4ac}}{2a}\\)', 'E = mc² and x₁ = (−b + √(b²−4ac))/(2a)'],
  ['So $$x^2$$ and \\[y^2\\] stay in their line.', 'So x² and y² stay in their line.'],
  ['$$\\int_0^\\infty e^{-x^2}\\,dx = \\frac{\\sqrt{\\pi}}{2}$$', '  ∫₀^∞ e^(−x²) dx = √π/2'],
  ['\\[\\sum_{i=1}^{n} i = \\frac{n(n+1)}{2}\\]', '  ∑ᵢ₌₁ⁿ i = n(n+1)/2'],
  ['水是 $H_2O$，$\\alpha \\le \\mathbb{R}$', '水是 H₂O，α ≤ ℝ'],
  ['costs $5 and $10, or 3$ a day, `$x^2$`', 'costs $5 and $10, or 3$ a day, $x^2$'],
  ['$\\begin{matrix}1&2\\end{matrix}$', '$\\begin{matrix}1&2\\end{matrix}$'],
  [`$${'{'.repeat(100)}x$`, `$${'{'.repeat(100)}x$`],
] as const)('%s is shown as %s', ([markdown, shown], { expect }) => {
  expect(render(markdown)).toBe(shown)
})

test('a formula stands on one line where it fits, and is broken between its parts where it does not', ({ expect }) => {
  const text = 'So the energy is $E = m \\times c^2$, they say.'
  expect(render(text, 26)).toBe('So the energy is\nE = m × c², they say.')
  expect(render('It is $a + b + c + d + e + f + g + h + i = 45$ in all.', 20)).toBe(
    'It is a + b + c + d\n+ e + f + g + h + i\n= 45 in all.',
  )
  expect(render('| a |\n|--|\n| $x = 1$ |')).toContain('x = 1')
})

test('a line is broken anywhere to fit, by columns, and colours take none', ({ expect }) => {
  expect(brokenTo('长长长长a', 4)).toEqual(['长长', '长长', 'a'])
  const bold = pc.createColors(true).bold('abcd')
  expect(brokenTo(bold, 4)).toEqual([bold])
  expect([cutTo('一二三四', 5), cutTo('abc', 3)]).toEqual(['一二…', 'abc'])
})
