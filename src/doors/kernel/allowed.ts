import type { Context } from 'hono'
import type { Scope } from '../../domain/access.ts'
import { fail, ok, type Result } from '../../domain/errors.ts'
import { callerOf, serviceOf } from '../../http/caller.ts'
import type { AppEnv } from '../../http/context.ts'
import { act } from '../../service/act.ts'

/** What is asked that is no command of a session: the caller needs this scope. `action`: for the audit; null: it only reads. `target`: what it is about. */
export async function allowed<T>(
  c: Context<AppEnv>,
  { scope, action = null, target = null }: { scope: Scope; action?: string | null; target?: string | null },
  work: () => Promise<Result<T>>,
): Promise<Result<T>> {
  const order = {
    scope,
    action,
    target,
    idempotency: null,
    read: async () => ok(null),
    endOf: () => ({ status: 200 }),
  }
  const done = await act<null, { value: T; replayed?: boolean }>(serviceOf(c), callerOf(c), order, async () => {
    const value = await work()
    return value.ok ? ok({ value: value.value }) : value
  })
  if (!done.ok) return done
  return done.value.stored ? fail({ code: 'internal_error' }) : ok(done.value.done.value)
}
