import * as z from 'zod'
import { LIMITS } from '../domain/limits.ts'
import { directoryObject } from '../objects/env.ts'
import { needs } from './auth.ts'
import { query } from './body.ts'
import { factory } from './context.ts'
import { describe } from './describe.ts'
import { list } from './list.ts'
import { listOf } from './shapes/answers.ts'
import { usageSum } from './shapes/parts.ts'
import { limit, moment } from './queries.ts'

const usageQuery = z.strictObject({
  by: z.enum(['day', 'model', 'user', 'session'], 'day, model, user or session').default('day'),
  from: moment.optional(),
  to: moment.optional(),
  limit,
  cursor: z.string().max(LIMITS.text.nameCharsMax).optional(),
})

/** What the tenant spent. */
export const usage = factory.createApp().get(
  '/',
  describe({
    summary: 'What was spent, by day, model, user or session',
    id: 'getUsage',
    returns: listOf(usageSum),
    query: usageQuery,
  }),
  needs('read'),
  query(usageQuery),
  async (c) => {
    const { data, nextCursor } = await directoryObject(c.env, c.get('principal').tenant).usage(c.req.valid('query'))
    return list(c, data, nextCursor)
  },
)
