import type { AppError } from '../domain/errors.ts'
import { withoutRoom } from '../service/limits.ts'
import { isMigrated, migrate, schemaOf } from '../store/migrate.ts'
import { serverOf } from './engine.ts'
import type { Env } from './env.ts'
import { objectDatabase } from './storage.ts'
import { TenantLists } from './tenant-lists.ts'

/** There is a row where the tenant said last that there is no room. */
const NO_ROOM_SCHEMA = schemaOf(['CREATE TABLE IF NOT EXISTS no_room (told INTEGER NOT NULL);'])

/** What a session knows of the room that its tenant has left (`quotas.bytes_max`). It is told with the answers to its reports, so that no run
 *  waits for the tenant; where there was none, a task asks first. */
export function tenantRoom(ctx: DurableObjectState, env: Env) {
  const db = objectDatabase(ctx.storage)
  const { quotas } = serverOf(env).config
  const max = quotas?.bytes_max
  let isFull: boolean | null = null
  const wasFull = () => isMigrated(db, NO_ROOM_SCHEMA) && db.first('SELECT 1 FROM no_room') !== undefined
  return {
    bytes: () => ctx.storage.sql.databaseSize,
    heard: (full: boolean) => {
      if ((isFull ??= wasFull()) === full) return
      isFull = full
      // The session may have been deleted meanwhile, and made anew.
      migrate(db, NO_ROOM_SCHEMA)
      db.all(full ? 'INSERT INTO no_room (told) VALUES (1)' : 'DELETE FROM no_room')
    },
    refusal: (tenant: string): Promise<AppError | null> | null => {
      if (max === undefined || !(isFull ??= wasFull())) return null
      return withoutRoom({ tenant: (name) => new TenantLists(env, name), config: { quotas } }, tenant)
    },
  }
}
