import { afterAll, beforeAll, test } from 'vitest'
import { runYaa, workFolder } from '../support/cli.ts'
import { startServed, type Served } from '../support/served.ts'

const YAML = `name: greet
description: Greets somebody.
inputs: { type: object, properties: { who: { type: string } }, required: [who] }
steps:
  - id: say
    type: set
    values: { text: "Hello, {{ inputs.who }}!" }
output: "{{ steps.say.output.text }}"
`
const folder = workFolder()
let served: Served
beforeAll(async () => {
  served = await startServed({ html: '<title>Facts</title>' })
})
afterAll(async () => {
  await served.close()
  folder.remove()
})
const yaa = (...args: string[]) =>
  runYaa([...args, '--server', served.url], { cwd: folder.path, env: { YAA_API_KEY: served.key } })

test('workflows are added from files, and run', async ({ expect }) => {
  const file = folder.file('greet.yaml', YAML)
  const json = folder.file('other.json', {
    name: 'other',
    description: 'O',
    steps: [{ id: 'a', type: 'set', values: {} }],
  })
  const added = await yaa('workflows', file, json)
  expect(added).toMatchObject({
    code: 0,
    stdout: 'added workflow greet, version 1\nadded workflow other, version 1\n',
  })
  expect((await yaa('workflows', file)).stdout).toBe('added workflow greet, version 2\n')
  expect(await yaa('run', 'greet', '--input', 'who=Ann')).toMatchObject({ code: 0, stdout: 'Hello, Ann!\n' })
})

test('a file that holds no workflow is refused with its line', async ({ expect }) => {
  const broken = await yaa('workflows', folder.file('broken.yaml', 'name: x\n\tsteps: y'))
  expect(broken).toMatchObject({ code: 2, stderr: expect.stringContaining('line 2: ') })
  const wrong = await yaa('workflows', folder.file('wrong.yaml', YAML.replace('inputs.who', 'inputs.how')))
  expect(wrong).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('steps.0.values.text: line 7: step say: unknown input how'),
  })
})
