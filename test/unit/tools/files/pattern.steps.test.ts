import { describe, test } from 'vitest'
import { LIMITS } from '../../../../src/domain/limits.ts'
import { compilePattern } from '../../../../src/tools/files/linear-match.ts'
import type { PatternProblem } from '../../../../src/tools/files/pattern.ts'

const plenty = () => ({ left: 10_000_000 })

function found(pattern: string, line: string): boolean {
  const compiled = compilePattern(pattern)
  if (!compiled.ok) throw new Error(`${pattern}: ${compiled.problem}`)
  return compiled.match(line, plenty()) !== null
}

const PATTERNS = [
  'abc', 'a.c', '^abc$', '^$', '', 'a*', 'a+b', 'a?b', '(ab)+c', 'a|b|cd', '(a|b)*c', '[abc]', '[^abc]', '[a-c]+d', '\\d+', '\\D',
  '\\w+@\\w+\\.com', '\\bword\\b', '\\Bx', 'a{3}', 'a{2,}', 'a{1,3}b', '(a{2}){2}', '(?:ab|cd)+', '(?<n>a)b', '\\u4e2d文', '中|文',
  '😀+', '^😀.$', '[😀x]', '\\.', '\\*', '\\t', 'a\\/b', '(|a)b', '(a*)*b', '((a+)+)+$', '\\p{Script=Han}+', '\\s*$', '(a?){5}a{5}',
  'x*?y', '(^a|b$)', '[\\w.-]+', '[\\]]', 'a(b(c(d)))',
] // prettier-ignore

const LINES = [
  '', 'a', 'b', 'abc', 'aabbcc', 'xabcx', 'aaa', 'aaaaab', 'ababc', 'cd', 'word', 'a word here', 'sword', 'me@home.com', '123', '中文字',
  '😀', '😀😀', '😀a', 'x😀', 'a.b*c', 'a\tb', 'a/b', 'xy', 'yx', ']', 'abcd', '  ', 'aaaaaaaaaa', 'héllo wörld', '-._',
] // prettier-ignore

describe('a pattern', () => {
  test('finds the lines that the regular expressions of JavaScript find', ({ expect }) => {
    for (const pattern of PATTERNS) {
      for (const ignoresCase of [false, true]) {
        const regex = new RegExp(pattern, ignoresCase ? 'iu' : 'u')
        const told = LINES.filter((line) => found(ignoresCase ? `(?i)${pattern}` : pattern, line))
        expect(told, pattern).toEqual(LINES.filter((line) => regex.test(line)))
      }
    }
  })

  test('takes letter case as it is, unless it is told otherwise', ({ expect }) => {
    expect([found('abc', 'ABC'), found('(?i)aBc', 'AbC'), found('(?i)[a-c]+$', 'ABC')]).toEqual([false, true, true])
  })

  const BOMBS = [
    '(a+)+$',
    '(a*)*$',
    '(a|a)*$',
    '(a|aa)+$',
    '(.*a){20}$',
    '(a?){100}a{100}$',
    '((a+)+)+$',
    '(.*)*x',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
  ]

  test.for(BOMBS)('%j takes steps in proportion to the line, not more', (pattern, { expect }) => {
    const compiled = compilePattern(pattern)
    if (!compiled.ok) throw new Error(compiled.problem)
    const stepsOf = (length: number) => {
      const steps = { left: 1_000_000_000 }
      compiled.match(`${'a'.repeat(length)}!`, steps)
      return 1_000_000_000 - steps.left
    }
    const [short, long] = [stepsOf(1_000), stepsOf(2_000)]
    expect(long).toBeLessThan(short * 2.1)
    expect(long).toBeLessThan(2_001 * LIMITS.files.patternStatesMax)
  })

  test('stops when no step is left', ({ expect }) => {
    const compiled = compilePattern('(a+)+$')
    const steps = { left: 50 }
    expect(compiled.ok && compiled.match('a'.repeat(1_000), steps)).toBeNull()
    expect(steps.left).toBe(0)
  })

  const REFUSED: [string, PatternProblem][] = [
    ['(?=a)b', 'lookaround'],
    ['(?!a)b', 'lookaround'],
    ['(?<=a)b', 'lookaround'],
    ['(?<!a)b', 'lookaround'],
    ['(a)\\1', 'backreference'],
    ['(?<n>a)\\k<n>', 'backreference'],
    ['(a', 'group'],
    ['a)', 'group'],
    ['(?#x)', 'group'],
    ['*a', 'repeat'],
    ['a++', 'repeat'],
    ['a{3,1}', 'repeat'],
    ['^*', 'repeat'],
    ['[a', 'class'],
    ['[z-a]', 'class'],
    ['\\q', 'escape'],
    ['\\', 'escape'],
    ['\\p{Nonsense}', 'escape'],
    ['a{9999}', 'too_large'],
    ['((((a{50}){50}){50}){50})', 'too_large'],
    ['((((){9999}){9999}){9999}){9999}a{9999}', 'too_large'],
    ['x'.repeat(LIMITS.files.patternCharsMax + 1), 'too_large'],
    ['('.repeat(100) + ')'.repeat(100), 'too_deep'],
  ]

  test.for(REFUSED)('%j is refused as %s', ([pattern, problem], { expect }) => {
    expect(compilePattern(pattern)).toEqual({ ok: false, problem })
  })
})
