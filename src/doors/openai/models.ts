import type { Context } from 'hono'
import * as z from 'zod'
import { fail, ok } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { MODEL_KINDS } from '../../domain/model.ts'
import type { DoorRoutes } from '../../http/application.ts'
import { type AppEnv, factory } from '../../http/context.ts'
import { languageOfRequest } from '../../http/language.ts'
import { listOf } from '../../http/openapi/describe.ts'
import { namedListQuery, pageOfWhole } from '../../http/queries.ts'
import { type Call, list, nothing, query, route } from '../../http/route.ts'
import { serverFor } from '../../objects/engine.ts'
import { listedNames, serverLanguage } from '../kernel/names.ts'
import { BOTH_ERRORS } from './errors.ts'

const modelListQuery = namedListQuery.extend({ kind: z.enum(MODEL_KINDS).optional() })

/** What a client may give as a model, in OpenAI's shape with fields of ours beside it. */
const modelRoutes = factory
  .createApp()
  .get(
    '/',
    route(
      {
        summary: 'Names that clients give as a model: agents, models, teams, skills',
        about: 'Clients of OpenAI know no pages: a request without a query is answered with up to 1,000 names.',
        scope: 'read',
        reads: query(modelListQuery),
        returns: listOf('Model'),
      },
      async (call) => {
        const { kind, ...asked } = call.input
        const all = kind === 'model' ? (await serverFor(call.c.env, call.tenant)).models : await names(call)
        const found = pageOfWhole(
          all.filter((one) => kind === undefined || one.kind === kind),
          ({ id }) => id,
          isPlain(call.c) ? { limit: LIMITS.door.modelsMax } : asked,
        )
        return found.ok ? ok(list(found.value.data, found.value.next)) : found
      },
    ),
  )
  .get(
    '/:model{.+}',
    route({ summary: 'What one name stands for', scope: 'read', reads: nothing, returns: 'Model' }, async (call) => {
      const all = await names(call)
      const found = all.find(({ id }) => id === call.param('model'))
      return found ? ok({ body: found }) : fail({ code: 'not_found', what: 'model', there: all.map(({ id }) => id) })
    }),
  )

/** As clients of OpenAI ask, who know no pages. */
function isPlain(c: Context<AppEnv>): boolean {
  return Object.keys(c.req.query()).length === 0
}

function names({ c, tenant }: Call<unknown>) {
  return listedNames(c.env, tenant, languageOfRequest(c, '') ?? serverLanguage(c.env))
}

export const modelsDoor: DoorRoutes = { keyed: [['/v1/models', modelRoutes]], errors: BOTH_ERRORS }
