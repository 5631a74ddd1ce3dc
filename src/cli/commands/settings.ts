import type { ListedSettings, SettingsInfo } from '../../domain/settings.ts'
import { isObject, parseJson } from '../../lib/json.ts'
import type { Context } from '../context.ts'
import { EXIT, usageError } from '../exit.ts'
import { connect, type ClientFlags } from '../run/connect.ts'
import { factLines, rowLines, widthOf } from '../view/rows.ts'
import { localTime, visible } from '../view/text.ts'

/** As many as are kept. */
const VERSIONS_MAX = 100

export interface SettingsFlags extends ClientFlags {
  /** List the versions. */
  versions?: boolean
  /** The version that is to hold again. */
  rollback?: number
  json?: boolean
}

/** Prints what holds for the tenant, one field a line with where it comes from, after these changes: `limits.max_iterations=8`,
 *  `limits=null`. */
export async function settings(context: Context, flags: SettingsFlags, changes: readonly string[]): Promise<number> {
  const patch = patchOf(changes, context)
  const { stdout, stderr, texts } = context
  const { client, close } = await connect(context, {
    ...flags,
    kept: changes.length > 0 || flags.rollback !== undefined,
  })
  try {
    if (flags.versions) {
      await change()
      const page = await client.settings.versions({ limit: VERSIONS_MAX })
      if (page.data.length === 0 && !flags.json) stderr.write(`${texts.noVersions}\n`)
      print(
        page.data,
        rowLines(
          page.data.map((one) => versionCells(one, context)),
          widthOf(stdout),
        ),
      )
      return EXIT.ok
    }
    const info = (await change()) ?? (await client.settings.get())
    const isBare = flags.json || info.version === 0
    const { data } = isBare ? { data: [] } : await client.settings.versions({ limit: VERSIONS_MAX })
    if (info.version === 0 && !flags.json) stderr.write(`${texts.noVersions}\n`)
    print(info, factLines(fieldRows(info, data, context), widthOf(stdout)))
    return EXIT.ok
  } finally {
    await close()
  }

  /** Null: nothing is to be changed. */
  async function change(): Promise<SettingsInfo | null> {
    const back = flags.rollback === undefined ? null : await client.settings.rollBack(flags.rollback)
    return changes.length > 0 ? client.settings.patch(patch) : back
  }

  function print(value: unknown, lines: readonly string[]): void {
    for (const line of flags.json ? [JSON.stringify(value, null, 2)] : lines) stdout.write(`${line}\n`)
  }
}

function versionCells({ version, time, by, changed }: ListedSettings, { stdout, texts }: Context): string[] {
  return [String(version), stdout.isTTY ? localTime(time) : time, visible(by), visible(texts.list(changed))]
}

/** What holds, each field with who set it and when, else that the config file says so, and whether it does so for all. */
function fieldRows(
  info: SettingsInfo,
  versions: readonly ListedSettings[],
  { stdout, texts }: Pick<Context, 'stdout' | 'texts'>,
): string[][] {
  const own = new Set(leavesOf(info.settings).map(([path]) => path))
  return leavesOf(info.effective).map(([path, value]) => {
    const isLocked = info.locked.some((one) => path === one || path.startsWith(`${one}.`))
    const { version, time, by } = versions.find(({ changed }) => changed.includes(path)) ?? {
      version: info.version,
      time: info.updated_time ?? '',
      by: info.updated_by ?? '',
    }
    const origin =
      own.has(path) && !isLocked
        ? texts.setIn(version, stdout.isTTY ? localTime(time) : time, visible(by))
        : texts.ofFile(isLocked)
    return [visible(path), visible(typeof value === 'string' ? value : JSON.stringify(value)), origin]
  })
}

/** Fields with no others within, by their names with dots between; a list is one. */
function leavesOf(value: unknown, path = ''): [string, unknown][] {
  if (!isObject(value)) return [[path, value]]
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, path === '' ? name : `${path}.${name}`))
}

/** Changes as one patch; a value that is JSON is that, else a text. */
function patchOf(changes: readonly string[], { texts }: Context): Record<string, unknown> {
  const patch: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const given of changes) {
    const at = given.indexOf('=')
    if (at < 1) throw usageError(texts.told(given, texts.expected('FIELD=VALUE')))
    const written = given.slice(at + 1)
    const value = written === 'null' ? null : (parseJson(written) ?? written)
    const path = given.slice(0, at).split('.')
    const last = path.pop() ?? ''
    let place = patch
    for (const name of path) place = (place[name] ??= Object.create(null)) as Record<string, unknown>
    place[last] = value
  }
  return patch
}
