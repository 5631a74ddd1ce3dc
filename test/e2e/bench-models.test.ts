import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { StepInput } from '../../src/cli/mock-model/script.ts'
import { workFolder, type Ended } from '../support/cli.ts'
import { startScriptedModel, type MockModel, type RecordedRequest } from '../support/scripted-model.ts'
import { memberOf } from '../../src/lib/json.ts'

const ONLY = [
  'questions/capital-of-france',
  'questions/capital-of-japan',
  'questions/largest-planet',
  'pages/garden',
  'tools/write',
  'plans/two-capitals',
  'skills/translate',
  'schemas/country',
]

/** A model that knows some things, and asks for a page and a file by calls. */
function reply({ body }: RecordedRequest): StepInput {
  const said = JSON.stringify(memberOf(body, 'messages'))
  const isBare = !said.includes('"role":"system"')
  const has = (text: string) => said.includes(text)
  if (has('capital of France')) return 'Paris.'
  if (has('capital of Japan'))
    return isBare ? 'It is Tokyo.' : { tool_calls: [{ name: 'finish', arguments: { reason: 'Tokyo' } }] }
  if (has('planet of the solar system')) return 'Saturn.'
  if (has('/pages/garden')) {
    const url = /http:[^\s"\\]+\/pages\/garden/.exec(said)?.[0] ?? ''
    if (isBare) return 'I cannot read pages.'
    return has('Clara Whitfield') ? 'Clara Whitfield.' : { tool_calls: [{ name: 'web_access', arguments: { url } }] }
  }
  if (has('colour of fresh grass')) {
    if (isBare || has('"role":"tool"')) return 'Green; it is written.'
    return { tool_calls: [{ name: 'write_file', arguments: { path: 'colour.txt', content: 'green\n' } }] }
  }
  if (has('capital of Italy')) return isBare ? 'Rome, Madrid' : '{"plan": []} Rome and Madrid'
  if (has('The cat is black.')) return 'Le chat est noir.'
  return '{"capital": "Cairo", "continent": "Africa"}'
}

const folder = workFolder()
let model: MockModel

beforeAll(async () => {
  model = await startScriptedModel({ script: reply })
})
afterAll(async () => {
  await model.close()
  folder.remove()
})

describe('bench:models', () => {
  test('does tasks of each kind with a model, beside the model alone', async ({ expect }) => {
    const keep = join(folder.path, 'kept')
    const { code, stdout, stderr } = await bench(
      '--url',
      model.url,
      '--model',
      'scripted',
      '--only',
      ONLY.join(),
      '--keep',
      keep,
    )
    expect({ code, stderr }).toMatchObject({ code: 0 })
    const done = { tasks: 1, completed: 1, 'own words': 1, right: 1, finish: 0, loops: 0, wedged: 0 }
    expect(rowsOf(stdout)).toEqual({
      questions: { ...done, tasks: 3, completed: 3, 'own words': 3, right: 2, 'bare right': 2, finish: 1 },
      pages: { ...done, 'bare right': 0 },
      tools: { ...done, 'bare right': 0 },
      plans: { ...done, 'bare right': 1 },
      skills: { ...done, 'bare right': 1 },
      schemas: { ...done, 'bare right': 1 },
      all: { ...done, tasks: 8, completed: 8, 'own words': 8, right: 7, 'bare right': 5, finish: 1 },
    })
    expect(stdout).toContain('wedged: 0 (wanted 0) ok')
    expect(stdout).toContain('answers of 500 and above: 0 (wanted 0) ok')
    const kept: unknown = JSON.parse(readFileSync(join(keep, 'pages-garden.json'), 'utf8'))
    expect(memberOf(kept, 'object')).toBe('session.export')
  })

  test('refuses a name that no task has', async ({ expect }) => {
    const { code, stderr } = await bench('--url', model.url, '--model', 'scripted', '--only', 'questions/none')
    expect(code).toBe(1)
    expect(stderr).toContain('questions/none')
  })
})

/** The columns of each row that do not hang on how the product asks. */
function rowsOf(stdout: string): Record<string, Record<string, number>> {
  const cells = (line: string) => line.trim().split(/ {2,}/)
  const lines = stdout.split('\n')
  const head = cells(lines.find((line) => line.startsWith('kind')) ?? '')
  const rows = lines.filter((line) => /^(questions|pages|tools|plans|skills|schemas|all) +\d/.test(line)).map(cells)
  const shown = ['tasks', 'completed', 'own words', 'right', 'bare right', 'finish', 'loops', 'wedged']
  return Object.fromEntries(
    rows.map((row) => [row[0], Object.fromEntries(shown.map((name) => [name, Number(row[head.indexOf(name)])]))]),
  )
}

async function bench(...args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, ['test/bench/models/main.ts', ...args])
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code]: unknown[] = await once(child, 'close')
  return { code: typeof code === 'number' ? code : null, stdout, stderr }
}
