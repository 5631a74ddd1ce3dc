// `npx node --import ./src/cli/markdown.mjs test/support/record-runs.ts [NAME…]`: plays the scenes of record/scenes.ts on the real
// server and keeps their exports in test/contract/replay, from where every change of what decide decides is seen.
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath, URL } from 'node:url'
import { PLAN_SCENES } from './record/plan-scenes.ts'
import { ROLE_PLAN_SCENES } from './record/role-plan-scenes.ts'
import { SCENES } from './record/scenes.ts'
import { openStage, RECORDED_HOST } from './record/stage.ts'
import { TEAM_SCENES } from './record/team-scenes.ts'
import { WORKFLOW_SCENES } from './record/workflow-scenes.ts'
import { TEAM_WORKER_SCENES } from './record/team-worker-scenes.ts'

const FOLDER = fileURLToPath(new URL('../contract/replay/', import.meta.url))
const wanted = process.argv.slice(2)

mkdirSync(FOLDER, { recursive: true })
const ALL = {
  ...SCENES,
  ...PLAN_SCENES,
  ...TEAM_SCENES,
  ...ROLE_PLAN_SCENES,
  ...TEAM_WORKER_SCENES,
  ...WORKFLOW_SCENES,
}
for (const [name, scene] of Object.entries(ALL)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const { stage, host, close } = await openStage()
  const id = await scene(stage)
  const exported = await stage.get(`/v1/sessions/${id}/export`)
  await close()
  writeFileSync(`${FOLDER}${name}.json`, `${JSON.stringify(exported, null, 1).replaceAll(host, RECORDED_HOST)}\n`)
  const { status, finish_reason: reason } = Object(Reflect.get(Object(exported), 'session')) as Record<string, string>
  console.log(`${name}: ${status} ${reason}`)
}
