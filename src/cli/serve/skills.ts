import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../build/bundle.ts'
import type { ServerConfig } from '../../domain/server-config.ts'
import { createEngine } from '../../run/setup/create-engine.ts'
import type { SkillFiles, SkillProblem } from '../../skills/shipped.ts'
import type { TeamFile } from '../../domain/team.ts'

const FOLDER = `${ROOT}configs/skills`
const TEAMS = `${ROOT}configs/teams`

/** What is wrong with the skills that are bundled into the server of a config: it leaves them out. */
export async function skillProblems(config: ServerConfig, folder: string = FOLDER): Promise<readonly SkillProblem[]> {
  const nowhere = () => Promise.reject(new Error('a check reaches nothing'))
  const { engine } = createEngine(config, {
    publicFetch: nowhere,
    privateFetch: null,
    models: { secret: () => undefined, workersAi: true },
    workersAi: null,
    runtime: '',
    skills: { files: async () => skillFiles(folder), tenants: null },
    teams: async () => teamFiles(),
  })
  const { problems } = await engine.skills.loadShipped()
  return [...problems, ...unlisted(folder)]
}

function skillFiles(folder: string): Record<string, SkillFiles> {
  return Object.fromEntries(names(folder).map((name) => [name, filesOf(join(folder, name))]))
}

/** The shipped teams, which skills may name; what their actions are told is not looked at. */
function teamFiles(): TeamFile[] {
  const files = readdirSync(TEAMS).filter((file) => file.endsWith('.json'))
  return files.map((file): TeamFile => ({ ...JSON.parse(readFileSync(join(TEAMS, file), 'utf8')), prompts: {} }))
}

function filesOf(folder: string): SkillFiles {
  const read = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '')
  return { en: read('SKILL.md'), 'zh-CN': read('SKILL.zh-CN.md') }
}

/** Folders that the index does not name: a Worker cannot look for them. */
function unlisted(folder: string): SkillProblem[] {
  const index = readFileSync(join(folder, 'index.ts'), 'utf8')
  const missing = names(folder).filter((name) => !index.includes(`'./${name}/SKILL.md'`))
  return missing.map((skill) => ({ skill, path: '', message: 'configs/skills/index.ts does not name it' }))
}

function names(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
}
