import { isId } from '../../lib/id.ts'
import { factory } from '../context.ts'
import { problem } from '../problem.ts'

/** Ids that no session can have are answered here, without waking an object. */
export const knownId = factory.createMiddleware(async (c, next) =>
  isId('ses', c.req.param('id') ?? '') ? next() : problem(c, { code: 'not_found', what: 'session' }),
)
