import { ROOT } from '../../build/bundle.ts'
import { sessionConfig } from '../../domain/config.ts'
import { importInput } from '../../domain/import-input.ts'
import type { ServerConfig } from '../../domain/server-config.ts'
import { issuesOf } from '../../lib/zod.ts'
import { WHOLE } from '../../orchestrators/all.ts'
import { createEngine } from '../../run/setup/create-engine.ts'
import { replay, type Difference, type RecordedLog, type ReplaySetting } from '../../run/replay/replay.ts'
import type { Context } from '../context.ts'
import { EXIT, usageError } from '../exit.ts'
import { readConfigFile } from '../serve/config-file.ts'
import { jsonFile } from '../run/json-file.ts'
import type { TerminalTexts } from '../texts.ts'

export interface ReplayFlags {
  config?: string
}

/** Decides again over an exported log and shows where today's code would decide otherwise, and what no record tells of. Exit 0:
 *  nowhere; 1: somewhere; 2: the file is no export. */
export async function replayFile(context: Context, flags: ReplayFlags, file: string): Promise<number> {
  const { stdout, texts } = context
  const { log, ...setting } = await readExport(file, context)
  const server = readConfigFile(flags.config ?? `${ROOT}configs/default.json`, texts)
  const { decisions, unrecorded, differences } = replayed(log, { engine: engineOf(server), ...setting }, file, texts)
  if (unrecorded > 0) stdout.write(`${texts.replayUnrecorded(unrecorded)}\n`)
  for (const difference of differences) stdout.write(`${lineOf(difference, texts)}\n`)
  const others = differences.filter(({ cause }) => cause === 'code').length
  stdout.write(`${others === 0 ? texts.replaySame(decisions) : texts.replayDiffers(decisions, others)}\n`)
  return others === 0 ? EXIT.ok : EXIT.failed
}

function lineOf({ seq, recorded, now, cause }: Difference, texts: TerminalTexts): string {
  const line = texts.replayDifference(seq, recorded, now ?? texts.replayNothing)
  return cause === 'config' ? `${line} ${texts.replayConfig}` : line
}

function replayed(log: RecordedLog, setting: ReplaySetting, file: string, texts: TerminalTexts) {
  try {
    return replay(log, setting)
  } catch (error) {
    throw usageError(texts.told(file, texts.notFoldable(error instanceof Error ? error.message : String(error))))
  }
}

type Recorded = Pick<ReplaySetting, 'config' | 'skill' | 'workers' | 'workerTeams' | 'team'> & {
  log: RecordedLog
}

async function readExport(file: string, context: Context): Promise<Recorded> {
  const { texts } = context
  const parsed = importInput.safeParse((await jsonFile(file, context)).value)
  const issue = parsed.error && issuesOf(parsed.error)[0]
  if (issue)
    throw usageError(
      texts.told(file, texts.notAnExport(texts.told(issue.path, texts.misfit(issue.message) ?? issue.message))),
    )
  const {
    events = [],
    records = [],
    session,
    skill = null,
    workers,
    worker_teams: workerTeams,
    team,
  } = parsed.data ?? { session: {} }
  const gap = events.findIndex(({ seq }, index) => seq !== index + 1)
  if (events.length === 0 || gap >= 0)
    throw usageError(texts.told(file, texts.notAnExport(`events.${Math.max(gap, 0)}`)))
  const config = sessionConfig.safeParse(session.config ?? {})
  if (!config.success)
    throw usageError(texts.told(file, texts.notAnExport(issuesOf(config.error, 'session.config')[0]?.path ?? '')))
  return { log: { events, records }, config: config.data, skill, workers, workerTeams, team: team ?? undefined }
}

/** Only the names, permissions and idempotence of its tools are asked; nothing is reached. */
function engineOf(config: ServerConfig): ReplaySetting['engine'] {
  const nowhere = () => Promise.reject(new Error('a replay reaches nothing'))
  return createEngine(config, {
    publicFetch: nowhere,
    privateFetch: null,
    models: { secret: () => undefined, workersAi: false },
    workersAi: null,
    runtime: '',
    orchestrators: WHOLE,
    skills: { files: async () => ({}), tenants: null },
  }).engine
}
