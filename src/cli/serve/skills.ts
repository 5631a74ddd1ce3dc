import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../build/bundle.ts'
import { skillFolders } from '../../build/skill-folders.ts'
import type { ServerConfig } from '../../domain/server-config.ts'
import { createEngine } from '../../run/setup/create-engine.ts'
import type { SkillProblem } from '../../skills/shipped.ts'
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
    skills: { files: async () => skillFolders(folder), tenants: null },
    teams: async () => teamFiles(),
  })
  return (await engine.skills.loadShipped()).problems
}

/** The shipped teams, which skills may name; what their actions are told is not looked at. */
function teamFiles(): TeamFile[] {
  const files = readdirSync(TEAMS).filter((file) => file.endsWith('.json'))
  return files.map((file): TeamFile => ({ ...JSON.parse(readFileSync(join(TEAMS, file), 'utf8')), prompts: {} }))
}
