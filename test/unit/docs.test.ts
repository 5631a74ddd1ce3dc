import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, test } from 'vitest'

const PAGES = ['README.md', 'README.zh-CN.md', 'ARCHITECTURE.md', ...globSync('docs/**/*.md')]
const LINES_MAX = 200

const textOf = (page: string) => readFileSync(page, 'utf8')

/** A page without its blocks of code, in which paths are those of examples. The tree of folders is no example. */
const proseOf = (page: string) =>
  page === 'ARCHITECTURE.md' ? textOf(page) : textOf(page).replaceAll(/^```[^]*?^```$/gm, '')

/** Paths of the repository that a text names, as `src/log/journal.ts`. */
function pathsIn(text: string): string[] {
  const found = text.matchAll(/(?<![\w./…-])(?:src|test|docs|configs)\/[\w./-]*\w/g)
  return [...found].map(([path]) => path)
}

/** Pages that the comments of a file of code cite, as `security.md`. Texts of tests name files that need not be there. */
function citedIn(file: string): string[] {
  const comments = textOf(file).match(/^\s*(?:\/\/|\/\*\*?|\*) .*$/gm) ?? []
  return comments.flatMap((comment) => comment.match(/(?<![\w./-])(?:docs\/)?[a-z][a-z0-9-]*\.md\b/g) ?? [])
}

/** Files of code that a text names by less than their path: nobody can look whether they are there. */
function looseFilesIn(text: string): string[] {
  const quoted = [...text.matchAll(/`([^`\s]+\.(?:tsx?|mts|conf|toml))`/g)].map((match) => match[1] ?? '')
  return quoted.filter((name) => !existsSync(name))
}

/** Where the links of a page lead within the repository, `PATH#HEADING`. */
function linksIn(page: string): { path: string; heading: string }[] {
  const targets = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '')
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', heading = ''] = target.split('#')
      return { path: path === '' ? page : normalize(join(dirname(page), path)), heading }
    })
}

/** Anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): string[] {
  const headings = [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map((match) => match[1] ?? '')
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

const isMissing = ({ path, heading }: { path: string; heading: string }) =>
  !existsSync(path) || (heading !== '' && !anchorsOf(path).includes(heading))

describe('documents', () => {
  test('are there, each in its place', ({ expect }) => {
    expect(PAGES.length).toBeGreaterThan(50)
    const misnamed = PAGES.filter((page) => page.startsWith('docs/') && !/^[a-z0-9/-]+(?:README)?\.md$/.test(page))
    expect(misnamed).toEqual([])
  })

  test.for(PAGES)('%s names paths that exist only', (page, { expect }) => {
    expect(pathsIn(proseOf(page)).filter((path) => !existsSync(path))).toEqual([])
    expect(looseFilesIn(proseOf(page))).toEqual([])
  })

  test('that code cites exist, by their path or in docs', ({ expect }) => {
    const files = globSync(['{src,test,configs}/**/*.{ts,tsx,mts,mjs}', '*.mts'])
    const cited = files.flatMap((file) => citedIn(file).map((page) => ({ file, page })))
    expect(files.length).toBeGreaterThan(500)
    expect(cited.filter(({ page }) => !existsSync(page) && !existsSync(join('docs', page)))).toEqual([])
  })

  test.for(PAGES)('%s links to pages and headings that exist', (page, { expect }) => {
    expect(linksIn(page).filter(isMissing)).toEqual([])
  })

  test('name every table of every object', ({ expect }) => {
    const page = textOf('docs/storage.md')
    const made = globSync('src/**/*.ts').flatMap((file) => [
      ...textOf(file).matchAll(/CREATE (?:VIRTUAL )?TABLE (?:IF NOT EXISTS )?([a-z_]+)/g),
    ])
    const names = new Set(made.map(([, name = '']) => name))
    expect(names.size).toBeGreaterThan(50)
    expect([...names].filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })

  test('are found from the READMEs, page by page', ({ expect }) => {
    const reached = new Set(['README.md', 'README.zh-CN.md'])
    for (const page of reached)
      for (const { path } of linksIn(page)) if (path.endsWith('.md') && existsSync(path)) reached.add(path)
    expect(PAGES.filter((page) => !reached.has(page))).toEqual([])
  })

  test('of the architecture are a page of at most 200 lines that has every folder of src', ({ expect }) => {
    const text = textOf('ARCHITECTURE.md')
    expect(text.split('\n').length - 1).toBeLessThanOrEqual(LINES_MAX)
    const named = new Set(pathsIn(text))
    const folders = globSync('src/*/').map((folder) => normalize(folder).replace(/\/$/, ''))
    const rooms = globSync('src/{session,run,log,engine}/*')
    expect(folders.length).toBeGreaterThan(20)
    expect(rooms.length).toBeGreaterThan(25)
    expect([...folders, ...rooms].filter((place) => !named.has(place))).toEqual([])
  })

  test('of a topic have at most 200 lines', ({ expect }) => {
    expect(PAGES.filter((page) => page.startsWith('docs/') && textOf(page).split('\n').length - 1 > LINES_MAX)).toEqual(
      [],
    )
  })

  test('of decisions say what, why, what else and at what cost', ({ expect }) => {
    const decisions = globSync('docs/decisions/2*.md')
    expect(decisions.length).toBeGreaterThan(30)
    const parts = ['What', 'Why', 'Alternatives', 'Cost']
    const lacking = decisions.filter((page) => !parts.every((part) => textOf(page).includes(`\n## ${part}\n`)))
    expect(lacking).toEqual([])
    expect(decisions.filter((page) => !textOf(page).includes(`Decided on ${page.slice(15, 25)}.`))).toEqual([])
  })
})
