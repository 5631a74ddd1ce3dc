import * as z from 'zod'
import { textLike } from '../lib/zod.ts'
import { loggedEvent, storedMessage } from './event-input.ts'
import { storedFiles } from './file.ts'
import { logRecord } from './log-record.ts'
import { orchestratorName } from './run.ts'
import { EXPORT_VERSION } from './session.ts'
import { metadataInput } from './session-input.ts'
import { sessionSkill, skillDefinition } from './skill.ts'
import { teamSpec } from './team.ts'
import { isPathPart, NO_PATH_PART } from './path-name.ts'
import { workflowSpec } from './workflow.ts'

/** A skill, one that does a step of a workflow, or the team or the workflow that an agent gave a task. */
const workerName = textLike(
  /^(?:team\/|workflow\/)?[\p{L}\p{N}][\p{L}\p{N}_.-]{0,199}$/u,
  'the name of a skill or of a step, or team/NAME, or workflow/NAME',
)

const exported = z.looseObject({
  object: z.literal('session.export').optional(),
  version: z.literal(EXPORT_VERSION, `an export of version ${EXPORT_VERSION}`).optional(),
  session: z.looseObject({
    title: z.string().max(2_000).optional(),
    character: z.string().max(200).nullish(),
    orchestrator: orchestratorName.optional(),
    user: z.string().max(200).refine(isPathPart, NO_PATH_PART).nullish(),
    metadata: metadataInput.optional(),
    config: z.unknown().optional(),
    output_schema: z.record(z.string(), z.unknown()).nullish(),
    messages: z.array(storedMessage).optional(),
  }),
  /** The skill that the session runs, as it was when the session was made. */
  skill: sessionSkill.nullish(),
  /** Skills that its plan gave work to, as they were then. */
  workers: z.record(workerName, skillDefinition).optional(),
  /** What its runs go by, likewise. */
  workflow: workflowSpec().optional(),
  /** Teams that worked at its sub-tasks, by their worker. */
  worker_teams: z.record(workerName, teamSpec).optional(),
  /** The team that works in it, likewise. */
  team: teamSpec.nullish(),
  events: z.array(loggedEvent).optional(),
  records: z.array(logRecord).optional(),
  results: z.record(z.string().max(200), z.string()).optional(),
  files: storedFiles().optional(),
})

/** What POST /v1/sessions/import takes: an export, or no more than `session.messages` with role and content. */
export const importInput = exported.refine(({ session, events }) => session.messages ?? events, {
  path: ['session', 'messages'],
  message: 'an export has events, or session.messages: [{role, content}]',
})
export type ImportInput = z.infer<typeof importInput>
