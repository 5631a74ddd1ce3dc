import type { Context } from 'hono'
import type * as z from 'zod'
import { type AppError, fail, invalid, ok, type Result } from '../../domain/errors.ts'
import type { AppEnv } from '../../http/context.ts'
import { checkedBy } from '../../lib/zod.ts'
import { VERSION } from './shapes.ts'

/** Why a request is of a version that is not spoken here; null: it is not. A client that names none speaks one of before 1.0. Source: the A2A specification
 *  1.0, "Versioning". */
export function versionFault(c: Context<AppEnv>): AppError | null {
  const version = c.req.header('a2a-version') ?? c.req.query('A2A-Version') ?? ''
  if (/^1\.0(\.\d+)?$/.test(version.trim())) return null
  return { code: 'unsupported_version', protocol: 'A2A', asked: version.slice(0, 20) || '0.3', there: [VERSION] }
}

/** What a request asks, if it fits. */
export function fitting<T extends z.ZodType>(schema: T, given: unknown): Result<z.output<T>> {
  const read = checkedBy(schema, given ?? {})
  return read.ok ? ok(read.value) : invalid(read.issues)
}

/** The same once the version is one of ours. */
export function asked<T extends z.ZodType>(c: Context<AppEnv>, schema: T, given: unknown): Result<z.output<T>> {
  const fault = versionFault(c)
  return fault ? fail(fault) : fitting(schema, given)
}
