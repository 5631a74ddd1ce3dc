import { describe, test } from 'vitest'
import { filePath, type PathProblem } from '../../../../src/domain/file.ts'
import { LIMITS } from '../../../../src/domain/limits.ts'

const NAMES: [string, string][] = [
  ['a.md', 'a.md'],
  ['docs/报告（一）.md', 'docs/报告（一）.md'],
  ['./a/b.txt', 'a/b.txt'],
  ['  a.md\n', 'a.md'],
  ['.env', '.env'],
  ['.github/workflows/ci.yml', '.github/workflows/ci.yml'],
  ['100%.txt', '100%.txt'],
  ['a b/c d.txt', 'a b/c d.txt'],
  ['cafe\u0301.txt', 'caf\u00e9.txt'],
  ['👩‍👩‍👧.png', '👩‍👩‍👧.png'],
  ['a..b/c...d', 'a..b/c...d'],
]

const REFUSED: [string, PathProblem][] = [
  ['', 'empty'],
  ['   ', 'empty'],
  ['./', 'empty'],
  ['..', 'traversal'],
  ['../a', 'traversal'],
  ['a/../b', 'traversal'],
  ['a/..', 'traversal'],
  ['a/./b', 'traversal'],
  ['././a', 'traversal'],
  ['...', 'traversal'],
  ['%2e%2e/a', 'traversal'],
  ['a/%2E%2e/b', 'traversal'],
  ['.%2e/a', 'traversal'],
  ['%252e%252e/a', 'traversal'],
  ['．．/a', 'traversal'],
  ['a/‥/b', 'traversal'],
  ['a／..／b', 'traversal'],
  ['a／b', 'traversal'],
  ['..%2fetc', 'characters'],
  ['a%5cb', 'characters'],
  ['a%00b', 'characters'],
  ['a%252fb', 'characters'],
  ['/etc/passwd', 'absolute'],
  ['//server/share', 'absolute'],
  ['C:/Windows', 'absolute'],
  ['c:a', 'absolute'],
  ['..\\a', 'characters'],
  ['a\\b', 'characters'],
  ['a\0b', 'characters'],
  ['a\nb', 'characters'],
  ['a\u007fb', 'characters'],
  ['a\u202egpj.exe', 'characters'],
  ['a\ud800b', 'characters'],
  ['a//b', 'segment'],
  ['a/', 'segment'],
  ['a. /b', 'segment'],
  ['a./b', 'segment'],
  ['a /b', 'segment'],
  ['a/ b', 'segment'],
  ['a.', 'segment'],
  ['.. /a', 'segment'],
  ['x'.repeat(LIMITS.files.pathCharsMax + 1), 'too_long'],
  [Array.from({ length: LIMITS.files.depthMax + 1 }, () => 'a').join('/'), 'too_deep'],
]

describe('a path', () => {
  test.for(NAMES)('%j is the name %j', ([written, path], { expect }) => {
    expect(filePath(written)).toEqual({ ok: true, path })
    expect(filePath(path)).toEqual({ ok: true, path })
  })

  test.for(REFUSED)('%j is refused as %s', ([written, problem], { expect }) => {
    expect(filePath(written)).toEqual({ ok: false, problem })
  })

  test('at its limits is taken', ({ expect }) => {
    expect(filePath('x'.repeat(LIMITS.files.pathCharsMax)).ok).toBe(true)
    expect(filePath(Array.from({ length: LIMITS.files.depthMax }, () => 'a').join('/')).ok).toBe(true)
  })

  test('that is taken stays in the folder that it is joined to, however it is decoded', ({ expect }) => {
    const alphabet = [
      '.',
      '..',
      '/',
      '\\',
      '%2e',
      '%2f',
      '%5c',
      '%00',
      '．',
      '／',
      '‥',
      'a',
      ' ',
      ':',
      '~',
      '\u0000',
      '%25',
    ]
    let taken = 0
    for (let n = 0; n < alphabet.length ** 4; n++) {
      const written = [0, 1, 2, 3]
        .map((place) => alphabet[Math.floor(n / alphabet.length ** place) % alphabet.length])
        .join('')
      const checked = filePath(written)
      if (!checked.ok) continue
      taken++
      for (const spelling of spellingsOf(checked.path)) {
        const { pathname } = new URL(spelling.replaceAll('\\', '/'), 'file:///root/folder/')
        if (!pathname.startsWith('/root/folder/')) throw new Error(`${JSON.stringify(written)} leads to ${pathname}`)
      }
    }
    expect(taken).toBeGreaterThan(100)
  })
})

/** As it is, with its widths taken away, and decoded once and twice. */
function spellingsOf(path: string): string[] {
  const encoded = path.split('/').map(encodeURIComponent).join('/')
  const plain = path.normalize('NFKC').split('/').map(encodeURIComponent).join('/')
  const once = decoded(path)
  return [
    encoded,
    plain,
    path.replaceAll(/[?#:]/g, '_'),
    once.replaceAll(/[?#:]/g, '_'),
    decoded(once).replaceAll(/[?#:]/g, '_'),
  ]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
