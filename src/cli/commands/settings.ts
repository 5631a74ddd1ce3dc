import type { SettingsInfo } from '../../domain/settings.ts'
import { parseJson } from '../../lib/json.ts'
import type { Context } from '../context.ts'
import { EXIT, usageError } from '../exit.ts'
import { connect, type ClientFlags } from '../run/connect.ts'
import { rowLines, widthOf } from '../view/rows.ts'
import { visible } from '../view/text.ts'

export interface SettingsFlags extends ClientFlags {
  /** List the versions. */
  versions?: boolean
  /** The version that is to hold again. */
  rollback?: number
}

/** Prints the settings of the tenant as JSON, after these changes: `limits.max_iterations=8`, `limits=null`. */
export async function settings(context: Context, flags: SettingsFlags, changes: readonly string[]): Promise<number> {
  const patch = patchOf(changes, context)
  const { client, close } = await connect(context, flags)
  try {
    if (flags.versions) {
      const { data } = await client.settings.versions({ limit: 100 })
      if (data.length === 0) context.stderr.write(`${context.texts.noVersions}\n`)
      const rows = data.map(({ version, time, by, changed }) => [
        String(version),
        time,
        visible(by),
        visible(changed.join(', ')),
      ])
      for (const line of rowLines(rows, widthOf(context.stdout))) context.stdout.write(`${line}\n`)
      return EXIT.ok
    }
    const told = await answer()
    context.stdout.write(`${JSON.stringify(told, null, 2)}\n`)
    return EXIT.ok
  } finally {
    await close()
  }

  function answer(): Promise<SettingsInfo> {
    if (flags.rollback !== undefined) return client.settings.rollBack(flags.rollback)
    return changes.length > 0 ? client.settings.patch(patch) : client.settings.get()
  }
}

/** Changes as one patch; a value that is JSON is that, else a text. */
function patchOf(changes: readonly string[], { texts }: Context): Record<string, unknown> {
  const patch: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const given of changes) {
    const at = given.indexOf('=')
    if (at < 1) throw usageError(`${given}: ${texts.expected('FIELD=VALUE')}`)
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
