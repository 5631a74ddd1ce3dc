import type { Context } from 'hono'
import type * as z from 'zod'
import { type AppError, fail, invalid, ok, type Result } from '../../domain/errors.ts'
import { languageOf } from '../../domain/language.ts'
import { type AppEnv, originOf } from '../../http/context.ts'
import { languageAsked } from '../../http/language.ts'
import { checkedBy } from '../../lib/zod.ts'
import { ownerMark } from '../kernel/thread.ts'
import type { TaskView } from './reader.ts'
import { VERSION } from './shapes.ts'

/** What is the same in both bindings: versions, tenants, what a request asks, and how its answer is told. */

/** Why a request is of a version that is not spoken here; null: it is not. A client that names none speaks one of before 1.0. Source: the A2A specification
 *  1.0, "Versioning". */
export function versionFault(c: Context<AppEnv>): AppError | null {
  const version = c.req.header('a2a-version') ?? c.req.query('A2A-Version') ?? ''
  if (/^1\.0(\.\d+)?$/.test(version.trim())) return null
  return { code: 'unsupported_version', protocol: 'A2A', asked: version.slice(0, 20) || '0.3', there: [VERSION] }
}

/** A key is of one tenant; a client that names another asks for what is not there. */
export function foreignTenant(c: Context<AppEnv>, tenant: string | null | undefined): AppError | null {
  if (!tenant || tenant === c.get('principal').tenant) return null
  return { code: 'not_found', what: 'tenant' }
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

/** How an answer is wrapped: as that of a JSON-RPC request, or as it is. */
export interface Binding {
  contentType: string
  rpc?: { id: string | number | null }
}

/** How a task is told to whoever asks for it. */
export async function taskView(
  c: Context<AppEnv>,
  { rpc }: Pick<Binding, 'rpc'>,
  { session, historyLength }: { session: string; historyLength: number | null },
): Promise<TaskView> {
  const inLanguage = languageAsked(c)
  const language = inLanguage === null ? null : languageOf(inLanguage)
  return {
    form: 'whole',
    isNamed: false,
    ...(rpc ? { rpc } : {}),
    owner: await ownerMark(c, session),
    language,
    origin: originOf(c),
    historyLength,
  }
}
