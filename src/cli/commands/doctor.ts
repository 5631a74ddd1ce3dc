import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { ApiProblem, createClient } from '../../client/client.ts'
import type { ModelConfig } from '../../domain/model-config.ts'
import type { ServerConfig } from '../../domain/server-config.ts'
import { listModels, providerKeysOf } from '../../models/aliases.ts'
import type { Context } from '../context.ts'
import { CommandError, EXIT } from '../exit.ts'
import { readConfigFile } from '../serve/config-file.ts'
import { fetchOfYaa } from '../run/yaa-alone.ts'
import { isPortTaken } from '../serve/open-port.ts'
import { lockDataFolder } from '../serve/data-folder.ts'
import { namedSecrets, type Environment } from '../serve/environment.ts'
import { unheldBounds } from '../serve/prices.ts'
import { skillProblems } from '../serve/skills.ts'
import { ROOT } from '../../build/bundle.ts'
import { workerdBinary } from '../../build/serve-config.ts'
import { widthOf } from '../view/rows.ts'
import { colorsFor, wrap } from '../view/text.ts'

export interface DoctorFlags {
  port: number
  config?: string
  data: string
}

/** `note`: nothing is wrong, but worth knowing. */
interface Finding {
  state: 'ok' | 'bad' | 'note'
  text: string
}

const PROBE_TIMEOUT_MS = 5_000
/** Of a mark and the space behind it. */
const INDENT = 2

/** Checks what yaa needs, one line a check; exit 1 when something is wrong. */
export async function doctor(context: Context, flags: DoctorFlags): Promise<number> {
  const { stdout, env, texts } = context
  const { config, finding } = checkConfig(context, flags)
  const findings = [
    { state: 'ok', text: texts.nodeOk(process.versions.node) } as const,
    checkWorkerd(context),
    finding,
    ...checkSecrets(context, config),
    ...(await checkSkills(context, config)),
    checkData(context, flags),
    await checkPort(context, flags),
    ...(await Promise.all(
      Object.entries(config.models ?? {}).map(([alias, model]) => checkModel(context, alias, model)),
    )),
    ...checkPrices(context, config),
    ...((config.directory_shards ?? 1) > 1 ? [{ state: 'note', text: texts.shardsOfNew } as const] : []),
    ...(config.models === undefined
      ? [{ state: 'note', text: texts.modelBuiltIn(relative('', `${ROOT}configs/deepseek.json`)) } as const]
      : []),
  ]
  const colors = colorsFor(stdout, env)
  const marks = { ok: colors.green('✓'), bad: colors.red('✗'), note: colors.yellow('·') }
  for (const { state, text } of findings) stdout.write(`${marks[state]} ${hanging(text, widthOf(stdout))}\n`)
  const bad = findings.filter(({ state }) => state === 'bad').length
  stdout.write(`${bad === 0 ? texts.doctorOk : texts.doctorBad(bad)}\n`)
  return bad === 0 ? EXIT.ok : EXIT.failed
}

/** A text that goes on below its own beginning where the terminal is narrow. */
function hanging(text: string, width: number): string {
  return (width === Infinity ? [text] : wrap(text, width - INDENT)).join(`\n${' '.repeat(INDENT)}`)
}

function checkWorkerd({ texts }: Context): Finding {
  try {
    return {
      state: 'ok',
      text: texts.workerdOk(execFileSync(workerdBinary(), ['--version'], { encoding: 'utf8' }).trim()),
    }
  } catch (error) {
    return { state: 'bad', text: texts.workerdBad(error instanceof Error ? (error.message.split('\n')[0] ?? '') : '') }
  }
}

function checkConfig({ texts }: Context, { config: file }: DoctorFlags): { config: ServerConfig; finding: Finding } {
  if (file === undefined) return { config: {}, finding: { state: 'ok', text: texts.bundledConfig } }
  try {
    return { config: readConfigFile(file, texts), finding: { state: 'ok', text: texts.configOk(file) } }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return { config: {}, finding: { state: 'bad', text: error.message } }
  }
}

function checkSecrets({ texts, env }: Context, config: ServerConfig): Finding[] {
  return namedSecrets(config, env).missing.map(({ name, path }) => ({
    state: 'bad',
    text: texts.secretMissing(name, path),
  }))
}

async function checkSkills({ texts }: Context, config: ServerConfig): Promise<Finding[]> {
  return (await skillProblems(config)).map(({ skill, path, message }) => ({
    state: 'bad',
    text: texts.skillLeftOut(skill, path, message),
  }))
}

/** Looks without making the folder. */
function checkData({ texts }: Context, { data }: DoctorFlags): Finding {
  if (!existsSync(data)) return { state: 'ok', text: texts.dataOk(data) }
  const lock = lockDataFolder(data)
  if (lock.ok) lock.release()
  else
    return {
      state: lock.reason === 'in_use' ? 'note' : 'bad',
      text: lock.reason === 'in_use' ? texts.dataInUse(data) : texts.dataUnwritable(data, lock.detail),
    }
  return { state: 'ok', text: texts.dataOk(data) }
}

async function checkPort({ texts }: Context, { port }: DoctorFlags): Promise<Finding> {
  const server = `http://localhost:${port}`
  if (!(await isPortTaken(port)))
    return { state: 'note', text: texts.portFreeAnd(texts.portFree(port), texts.serverDown(server)) }
  try {
    const health = await createClient({ server, fetch: fetchOfYaa(server) }).health(
      AbortSignal.timeout(PROBE_TIMEOUT_MS),
    )
    return { state: 'ok', text: texts.serverOk(server, health.version) }
  } catch (error) {
    return {
      state: 'bad',
      text:
        error instanceof ApiProblem && error.code !== 'unknown' ? texts.refused(error.message) : texts.portTaken(port),
    }
  }
}

/** Asks an OpenAI-compatible service for its list of models; a 404 is an answer too (some have no such list). */
async function checkModel({ texts, env }: Context, alias: string, model: ModelConfig): Promise<Finding> {
  if (model.provider === 'workers-ai') return { state: 'note', text: texts.modelOnPlatform(alias) }
  if (model.api_url === undefined) return { state: 'ok', text: texts.modelOk(alias) }
  const key = keyOf(model, env)
  try {
    const response = await fetch(`${model.api_url.replace(/\/+$/, '')}/models`, {
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      redirect: 'manual',
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    })
    await response.body?.cancel()
    const answers = response.ok || response.status === 404 || response.status === 405
    return answers
      ? { state: 'ok', text: texts.modelOk(alias) }
      : { state: 'bad', text: texts.modelRefuses(alias, response.status) }
  } catch {
    return { state: 'bad', text: texts.modelDown(alias, new URL(model.api_url).origin) }
  }
}

function checkPrices({ texts }: Context, config: ServerConfig): Finding[] {
  const unheld = unheldBounds(config)
  const models = listModels(config, { secret: () => undefined, workersAi: false })
  return [
    ...unheld.map(({ alias, path, currency }) => ({
      state: 'bad' as const,
      text: texts.boundUnheld(alias, path, currency),
    })),
    ...models
      .filter(
        ({ id, provider, price }) =>
          provider !== 'built-in' && price === null && !unheld.some(({ alias }) => alias === id),
      )
      .map(({ id }) => ({ state: 'note' as const, text: texts.modelUnpriced(id) })),
  ]
}

const keyOf = (model: ModelConfig, env: Environment) => providerKeysOf(model, { secret: (name) => env[name] })[0]
