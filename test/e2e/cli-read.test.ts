import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { loopback, page } from '../unit/net/loopback.ts'
import { startYaa, workFolder } from '../support/cli.ts'

const TEXT = 'The council met on Tuesday, and after a long debate it agreed to build the bridge over the river. '
const HTML = `<html lang=en><head><title>A bridge - Site</title><meta name=author content=Ann></head><body><nav><a href=/>NAV</a></nav>
<article><h1>A bridge</h1>${`<p>${TEXT.repeat(3)}</p>`.repeat(4)}</article></body></html>`

const LINE = z.looseObject({ markdown: z.string(), text: z.string(), ms: z.number() })

const folder = workFolder()
const file = (name: string) => join(folder.path, name)
const run = (...args: string[]) => startYaa(['read', ...args], { cwd: folder.path }).ended

const linesOf = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => LINE.parse(JSON.parse(line)))

beforeAll(() => {
  const parts = Array.from(
    { length: 60 },
    (_, at) => `<h2>Part ${at}</h2><p>${at === 41 ? 'A zebra. ' : ''}${TEXT.repeat(3)}</p>`,
  )
  writeFileSync(file('long.html'), `<article><h1>Parts</h1>${parts.join('')}</article>`)
  writeFileSync(file('a.html'), HTML)
  writeFileSync(file('b.csv'), 'x,y\n1,2')
  mkdirSync(file('many'))
  for (let index = 0; index < 1_500; index += 1) writeFileSync(file(`many/${index}.html`), `<p>Page ${index}`)
})
afterAll(() => folder.remove())

describe('yaa read', () => {
  test('prints what the agent would see of a file', async () => {
    const { code, stdout } = await run(file('a.html'))
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Address: .*a\.html\nTime: [^]*\[BEGIN PAGE CONTENT [0-9a-f]{16}\]\nTitle: A bridge\n/)
    expect(stdout).not.toContain('NAV')
  })

  test('--json gives one line a page with its fields and no other', async () => {
    const { code, stdout, stderr } = await run('--json', file('a.html'), 'b.csv')
    const lines = linesOf(stdout)
    expect([code, stderr]).toEqual([0, ''])
    expect(lines).toMatchObject([
      { file: file('a.html'), title: 'A bridge', byline: 'Ann', published_time: null, language: 'en', confidence: 1 },
      { file: 'b.csv', markdown: '| x | y |\n| --- | --- |\n| 1 | 2 |' },
    ])
    expect(lines[0]).toMatchObject({ text: Array.from({ length: 4 }, () => TEXT.repeat(3).trim()).join('\n') })
    const fields = [
      'file',
      'title',
      'byline',
      'published_time',
      'language',
      'kind',
      'type',
      'type_confidence',
      'confidence',
      'markdown',
      'text',
      'ms',
    ]
    for (const line of lines) expect(Object.keys(line).toSorted()).toEqual(fields.toSorted())
    for (const { ms } of lines) expect(ms).toBeGreaterThan(0)
  })

  test.each([['--json'], []])(
    'what cannot be read is a line on stderr each, and the rest is read (%s)',
    async (...flags) => {
      const { code, stdout, stderr } = await run(...flags, 'missing.html', 'a.html', folder.path, 'b.csv')
      expect(code).toBe(1)
      expect(stderr.trimEnd().split('\n')).toEqual([
        expect.stringMatching(/^yaa: missing\.html: no such file$/),
        expect.stringMatching(/^yaa: .*: a folder, where a file is wanted$/),
      ])
      expect(stdout).toMatch(/A bridge[^]*\| x \| y \|/)
      if (flags.length > 0) expect(linesOf(stdout)).toHaveLength(2)
    },
  )

  test('--focus keeps what is wanted of a long page', async () => {
    const { stdout } = await run('--json', '--focus', 'zebra', 'long.html')
    const [line] = linesOf(stdout)
    expect(line?.markdown).toMatch(/zebra/)
    expect(line?.markdown).not.toMatch(/Part 7\n/)
    expect(line?.text).toMatch(/Part 7\n/)
  })

  test('ends in peace when nobody reads on', async () => {
    const names = Array.from({ length: 300 }, () => 'long.html')
    const child = startYaa(['read', '--json', ...names], { cwd: folder.path })
    child.process.stdout?.once('data', () => child.process.stdout?.destroy())
    const { code, stderr } = await child.ended
    expect([code, stderr]).toEqual([0, ''])
  })

  test('reads thousands of files in one call', async () => {
    const files = Array.from({ length: 1_500 }, (_, index) => file(`many/${index}.html`))
    const { code, stdout } = await run('--json', ...files)
    expect(code).toBe(0)
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(1_500)
    expect(lines[1_499]).toContain('Page 1499')
  })

  test('refuses private addresses without a request, but for those that the config names', async () => {
    const server = await loopback(page(HTML))
    const refused = await run('--json', server.origin)
    expect(refused.code).toBe(1)
    expect(refused.stdout).toBe('')
    expect(refused.stderr).toMatch(/not allowed/)
    expect(server.connections()).toBe(0)
    writeFileSync(file('config.json'), JSON.stringify({ web: { allow_private_hosts: [server.host] } }))
    const allowed = await run('--json', '--config', file('config.json'), server.origin)
    expect(allowed.code).toBe(0)
    expect(JSON.parse(allowed.stdout)).toMatchObject({ file: server.origin, title: 'A bridge' })
  })

  test('without a source is a usage error', async () => {
    expect((await run()).code).toBe(2)
  })
})
