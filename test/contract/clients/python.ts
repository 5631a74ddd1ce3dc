import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { deepStrictEqual } from 'node:assert'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { filledIn } from '../../../src/console/connect/recipes.ts'
import { isPrinted, playFor, RECIPES } from '../../support/recipes.ts'
import { calls, says } from '../../support/scripted-model.ts'
import { startServed } from '../../support/served.ts'
import { REPORT, startWorld, type World } from './world.ts'

/** `npm run check:clients`: Python clients of the OpenAPI document, made, type-checked and used against a server. Their tools come
 *  from the Python package index into a folder that is kept. */

const HERE = join(import.meta.dirname, 'python')
const NEEDED = 'check:clients needs Python 3.10 or later with venv and pip: install python3 and python3-venv'

class Failed extends Error {}

const exec = promisify(execFile)

/** Runs a command to its end; gives what it printed. The model of the world answers meanwhile: it is in this process. */
async function run(command: string, args: string[], cwd: string): Promise<string> {
  const path = `${resolve(command, '..')}:${process.env['PATH'] ?? ''}`
  const options = { cwd, maxBuffer: 64 * 1024 * 1024, env: { ...process.env, PATH: path, PYTHONWARNINGS: 'ignore' } }
  try {
    const { stdout, stderr } = await exec(command, args, options)
    return stdout + stderr
  } catch (error) {
    const { stdout = '', stderr = '', message } = Object(error) as { stdout?: string; stderr?: string; message: string }
    throw new Failed(`${message}\n${stdout}${stderr}`)
  }
}

/** The folder with the commands of what requirements.txt names; made anew when that changes. */
async function tools(): Promise<string> {
  const requirements = join(HERE, 'requirements.txt')
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12)
  const folder = resolve('node_modules/.cache', `yaa-clients-${digest}`)
  const bin = join(folder, 'bin')
  if (existsSync(join(bin, 'openapi-python-client'))) return bin
  const check = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))'
  await run('python3', ['-c', check], '.').catch(() => {
    throw new Failed(NEEDED)
  })
  mkdirSync(folder, { recursive: true })
  await run('python3', ['-m', 'venv', folder], '.')
  await run(join(bin, 'pip'), ['install', '--quiet', '--disable-pip-version-check', '-r', requirements], '.')
  return bin
}

/** Makes a client of the document and checks its types. */
async function make(bin: string, { folder, document }: World): Promise<void> {
  cpSync(HERE, folder, { recursive: true })
  const config = join(folder, 'openapi-python-client.yaml')
  const client = ['generate', '--path', document, '--output-path', join(folder, 'made'), '--meta', 'none']
  const said = await run(join(bin, 'openapi-python-client'), [...client, '--config', config], folder)
  // It takes JSON alone where a body may also be Markdown, YAML or a zip, and says so.
  const warnings = said.split(/^(?=WARNING|Unable|ERROR)/m).slice(1)
  const others = warnings.filter(
    (text) => !/Unsupported content type (text\/markdown|application\/zip|application\/yaml)\n/.test(text),
  )
  if (others.length > 0) throw new Failed(others.join('\n'))
  const models = ['--input', document, '--input-file-type', 'openapi', '--output', join(folder, 'made_models.py')]
  const forms = [
    '--output-model-type',
    'pydantic_v2.BaseModel',
    '--target-python-version',
    '3.10',
    '--formatters',
    'builtin',
  ]
  await run(
    join(bin, 'datamodel-codegen'),
    [...models, ...forms, '--use-annotated', '--enum-field-as-literal', 'all'],
    folder,
  )
  await run(join(bin, 'mypy'), ['--config-file', 'mypy.ini', 'made', 'use_client.py'], folder)
}

/** Each use has a server of its own, whose model plays its script once. */
async function use(bin: string, name: string): Promise<void> {
  const world = await startWorld()
  try {
    await make(bin, world)
    const said = await run(join(bin, 'python'), [name, world.url, world.key], world.folder)
    deepStrictEqual(JSON.parse(said), REPORT)
    console.log(`${name}: made, checked and used`)
  } finally {
    await world.close()
  }
}

/** The recipes of docs/foreign-clients.md that are in Python, each as its reader would run it. */
async function useRecipes(bin: string): Promise<void> {
  const served = await startServed({ html: '<p>Water boils at 100 °C.</p>' })
  try {
    for (const recipe of RECIPES.filter(({ language }) => language === 'py')) {
      await playFor(served)
      const code = filledIn(recipe.code, served.url, served.key)
      const said = await run(join(bin, 'python'), ['-c', code], '.')
      if (!isPrinted(said, recipe.prints ?? '')) throw new Failed(`${recipe.file} printed\n${said}`)
      console.log(`${recipe.file}: run as docs/foreign-clients.md has it`)
    }
  } finally {
    await served.close()
  }
}

/** What each official client of a protocol reports, once for each of its two ways. */
const ANSWER = '一百度。'
const OF_MCP = {
  tools: [true, true],
  asked: ['write_file', 'web_access'],
  progress: true,
  answer: ANSWER,
  status: ['completed', 'completed'],
  file: '你好',
  listed: true,
  prompts: true,
}
const OF_A2A = {
  card: true,
  waited: ['write_file', 'web_access'],
  ended: 'TASK_STATE_COMPLETED',
  answer: ANSWER,
  history: '水在几度沸腾？',
  listed: true,
}
const PROTOCOLS = {
  'use_mcp.py': { '2026-07-28': OF_MCP, legacy: OF_MCP },
  'use_a2a.py': { JSONRPC: OF_A2A, 'HTTP+JSON': OF_A2A },
}

/** Clients of protocols, which have a file written and a page read that nobody allowed. */
async function useProtocols(bin: string): Promise<void> {
  const served = await startServed({ html: '<p>Water boils at 100 °C.</p>' })
  try {
    for (const [name, report] of Object.entries(PROTOCOLS)) {
      const visit = calls('web_access', { url: served.site.url })
      const note = calls('write_file', { path: 'out/note.txt', content: '你好' })
      await served.script([note, visit, says(ANSWER), note, visit, says(ANSWER)])
      const said = await run(join(bin, 'python'), [join(HERE, name), served.url, served.key], '.')
      deepStrictEqual(JSON.parse(said), report)
      console.log(`${name}: used in both of its ways`)
    }
  } finally {
    await served.close()
  }
}

try {
  const bin = await tools()
  await useRecipes(bin)
  await useProtocols(bin)
  for (const name of ['use_client.py', 'use_models.py']) await use(bin, name)
} catch (error) {
  console.error(error instanceof Failed ? error.message : error)
  process.exitCode = 1
}
