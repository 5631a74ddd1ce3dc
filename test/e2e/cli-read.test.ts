import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loopback, page } from '../unit/net/loopback.ts'
import { startYaa, workFolder } from '../support/cli.ts'

const TEXT = 'The council met on Tuesday, and after a long debate it agreed to build the bridge over the river. '
const HTML = `<html lang=en><head><title>A bridge - Site</title><meta name=author content=Ann></head><body><nav><a href=/>NAV</a></nav>
<article><h1>A bridge</h1>${`<p>${TEXT.repeat(3)}</p>`.repeat(4)}</article></body></html>`

const folder = workFolder()
const file = (name: string) => join(folder.path, name)
const run = (...args: string[]) => startYaa(['read', ...args], { cwd: folder.path }).ended

beforeAll(() => {
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

  test('--json gives one line a page with its fields, and one with the error where there is none', async () => {
    const { code, stdout } = await run('--json', file('a.html'), file('missing.html'), folder.path, file('b.csv'))
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    expect(code).toBe(1)
    expect(lines).toMatchObject([
      { file: file('a.html'), title: 'A bridge', byline: 'Ann', published_time: null, language: 'en', confidence: 1 },
      { file: file('missing.html'), error: expect.stringContaining('ENOENT') },
      { file: folder.path, error: expect.stringContaining('EISDIR') },
      { file: file('b.csv'), markdown: '| x | y |\n| --- | --- |\n| 1 | 2 |' },
    ])
    expect(lines[0]).toMatchObject({ text: Array.from({ length: 4 }, () => TEXT.repeat(3).trim()).join('\n') })
    expect(lines[0]).toMatchObject({ ms: expect.any(Number), markdown: expect.any(String) })
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
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: expect.stringContaining('not allowed') })
    expect(server.requests).toHaveLength(0)
    writeFileSync(file('config.json'), JSON.stringify({ web: { allow_private_hosts: [server.host] } }))
    const allowed = await run('--json', '--config', file('config.json'), server.origin)
    expect(allowed.code).toBe(0)
    expect(JSON.parse(allowed.stdout)).toMatchObject({ file: server.origin, title: 'A bridge' })
  })

  test('without a source is a usage error', async () => {
    expect((await run()).code).toBe(2)
  })
})
