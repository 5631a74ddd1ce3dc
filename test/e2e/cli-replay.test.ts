import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, describe, test } from 'vitest'
import { runYaa, workFolder } from '../support/cli.ts'

const folder = workFolder()
afterAll(() => folder.remove())
const RECORDED = resolve('test/contract/replay/several-approvals.json')
const replay = (...args: string[]) => runYaa(['replay', ...args], { cwd: folder.path })

describe('yaa replay', () => {
  test('of a run that would go the same way today is exit 0', async ({ expect }) => {
    const ended = await replay(RECORDED)
    expect(ended).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+ decisions, all as today\n$/), stderr: '' })
  })

  test('of a run of a release that kept no moves says so, and is exit 0', async ({ expect }) => {
    const ended = await replay(resolve('test/contract/replay/earlier-plan-cancelled.json'))
    const unrecorded =
      /^the first \d+ events do not say what was decided: they are read, not compared\n0 decisions, all as today\n$/
    expect(ended).toEqual({ code: 0, stdout: expect.stringMatching(unrecorded), stderr: '' })
  })

  test('shows seq, what was decided and what would be now, and is exit 1', async ({ expect }) => {
    const config = folder.file('deny.json', { tools: { web_access: { permission: 'deny' } } })
    const { session, events, records } = JSON.parse(readFileSync(RECORDED, 'utf8')) as {
      session: object
      events: { type: string }[]
      records: object[]
    }
    const untilAsked = events.slice(0, events.findIndex(({ type }) => type === 'pending') + 1)
    const ended = await replay(folder.file('cut.json', { session, events: untilAsked, records }), '--config', config)
    expect(ended).toMatchObject({ code: 1, stderr: '' })
    expect(ended.stdout).toMatch(
      /^event \d+: recorded ask (call_\w+); now reject-call \1 \(denied\)\n1 of \d+ decisions would be others today\n$/,
    )
  })

  test.for([
    { content: 'no JSON', line: /file\.json: expected JSON/ },
    {
      content: { session: {} },
      line: /file\.json: expected the export of a session, with its events \(session\.messages: /,
    },
    {
      content: { session: { messages: [] } },
      line: /file\.json: expected the export of a session, with its events \(events\.0\)/,
    },
    {
      content: { session: {}, events: [{ type: 'nope', seq: 1 }] },
      line: /file\.json: expected the export of a session/,
    },
  ])('of a file that is no export is exit 2 and one line: $content', async ({ content, line }, { expect }) => {
    const { code, stdout, stderr } = await replay(folder.file('file.json', content))
    expect({ code, stdout, lines: stderr.trim().split('\n').length }).toEqual({ code: 2, stdout: '', lines: 1 })
    expect(stderr).toMatch(line)
  })

  test('of a file that is none is told in the language of the terminal', async ({ expect }) => {
    const file = folder.file('none.json', {})
    const { code, stderr } = await runYaa(['--lang', 'zh-CN', 'replay', file], { cwd: folder.path })
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^[^]*类型不符/) })
    expect(stderr).not.toContain('expected')
  })

  test('of a file that is not there is exit 2', async ({ expect }) => {
    expect(await replay('missing.json')).toMatchObject({
      code: 2,
      stderr: 'yaa: missing.json: no such file\n',
    })
  })
})
