import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest'
import { runYaa, startSite, workFolder, type Site } from '../support/cli.ts'
import { startScriptedModel, type MockModel } from '../support/scripted-model.ts'
import { PNG_URL, smallPng } from '../support/small-image.ts'

const folder = workFolder()
const models: MockModel[] = []
let site: Site
beforeAll(async () => {
  site = await startSite('<title>Facts</title><h1>Facts</h1><p>Water boils at 100 degrees at sea level.</p>')
  writeFileSync(join(folder.path, 'dot.png'), smallPng())
  folder.file('notes.txt', 'The keeper sleeps at noon.')
  writeFileSync(join(folder.path, 'large.bin'), new Uint8Array(10 * 1024 * 1024 + 1))
})
afterEach(async () => {
  for (const model of models.splice(0)) await model.close()
})
afterAll(async () => {
  await site.close()
  folder.remove()
})

/** Flags for a command that runs on a model that is shown images. */
async function on(answers: string[]): Promise<{ flags: string[]; asked: (call: number) => string }> {
  const script = answers.map((reason) => `<finish><reason>${reason}</reason></finish>`)
  const model = await startScriptedModel({ script })
  models.push(model)
  const name = `model-${new URL(model.url).port}`
  const config = {
    language: 'en',
    models: { m: { api_url: model.url, model: 'm', protocol: 'xml', vision: true, retry: { times: 0 } } },
    default_model: 'm',
    web: { allow_private_hosts: [site.host] },
  }
  const asked = (call: number) => JSON.stringify(Reflect.get(Object(model.requests[call]?.body), 'messages'))
  return { flags: ['--config', folder.file(`${name}.json`, config), '--data', name], asked }
}

const cwd = folder.path

describe('what goes along with a task', () => {
  test('is given by --attach, again and again: files and addresses', async ({ expect }) => {
    const { flags, asked } = await on(['A dot'])
    const attach = ['dot.png', 'notes.txt', site.url].flatMap((source) => ['--attach', source])
    const ended = await runYaa(['task', ...flags, ...attach, 'Describe'], { cwd })
    expect(ended).toMatchObject({ code: 0, stdout: 'A dot\n' })
    for (const name of ['dot.png', 'notes.txt', site.url]) expect(ended.stderr).toContain(`+ ${name}\n`)
    for (const told of [PNG_URL, 'The keeper sleeps at noon.', 'Water boils at 100 degrees'])
      expect(asked(0)).toContain(told)
  })

  test('and cannot be read, or is too large, ends with exit 2 and one line before anything is asked', async ({
    expect,
  }) => {
    const { flags } = await on([])
    for (const [source, reason] of [
      ['nowhere.txt', 'no such file'],
      ['large.bin', 'at most 10 MiB'],
      ['.', 'a folder, where a file is wanted'],
      ['ftp://example.com/a.txt', 'only addresses that begin with http:// or https:// can be attached'],
    ] as const) {
      const ended = await runYaa(['task', ...flags, '--attach', source, 'Describe'], { cwd })
      expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining(`${source}: `)])
      expect(ended.stderr).toContain(reason)
    }
    expect(models[0]?.requests).toEqual([])
  })

  test('and is refused by the server leaves no session behind, and chat goes on in one that is made then', async ({
    expect,
  }) => {
    const { flags } = await on(['A text'])
    const refused = ['--attach', 'http://169.254.1.1/']
    const ended = await runYaa(['task', ...flags, ...refused, 'Describe'], { cwd })
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining('The input does not fit. content.1.url: ')])
    expect((await runYaa(['sessions', ...flags], { cwd })).stdout).toBe('')
    const chat = await runYaa(['chat', ...flags, ...refused], { cwd, stdin: 'Describe\nAgain\n/exit\n' })
    expect(chat).toMatchObject({ code: 0, stdout: 'A text\n' })
    expect((await runYaa(['sessions', ...flags], { cwd })).stdout.trim().split('\n')).toHaveLength(1)
  })

  test('goes along again when the task is done once more', async ({ expect }) => {
    const { flags, asked } = await on(['A dot', 'A dot again'])
    const attach = ['dot.png', 'notes.txt'].flatMap((source) => ['--attach', source])
    const ended = await runYaa(['chat', ...flags, ...attach], { cwd, stdin: 'What?\n/retry\n/exit\n' })
    expect(ended).toMatchObject({ code: 0, stdout: 'A dot\nA dot again\n' })
    for (const told of [PNG_URL, 'The keeper sleeps at noon.']) expect(asked(1)).toContain(told)
  })

  test('is given in chat by /attach, for the next message alone', async ({ expect }) => {
    const { flags, asked } = await on(['A dot', 'A text'])
    const lines = ['/attach', '/attach nowhere.txt', '/attach dot.png', 'What?', 'And now?', '/exit']
    const ended = await runYaa(['chat', ...flags, '--attach', 'notes.txt'], { cwd, stdin: `${lines.join('\n')}\n` })
    expect(ended).toMatchObject({ code: 0, stdout: 'A dot\nA text\n' })
    expect(ended.stderr).toContain('/attach FILE: expected a file, or an address')
    expect(ended.stderr).toContain('nowhere.txt')
    expect(asked(0)).toContain(PNG_URL)
    expect(asked(0)).toContain('The keeper sleeps at noon.')
    expect(asked(1).split(PNG_URL)).toHaveLength(2)
  })
})
