import { languageOf } from '../domain/language.ts'
import { ok } from '../domain/errors.ts'
import { teamMessageInput } from '../domain/team.ts'
import { serverOf } from '../objects/engine.ts'
import { sessionObject } from '../objects/env.ts'
import { languageTagOf } from '../engine/settings.ts'
import { shippedTeamView } from '../orchestrators/team/given.ts'
import { languageAsked } from './language.ts'
import { command, json, list, noFields, page, query, route, sessionInPath } from './route.ts'
import { factory } from './context.ts'
import { listOf } from './openapi/describe.ts'
import { messageListQuery, pageOfWhole, skillListQuery } from './queries.ts'

/** Who works in a session: the tasks of its plan and the steps of its workflow one by one, and the bus of its team. */
export const sessionTeamRoutes = factory
  .createApp()

  .post(
    '/:id/tasks/:task/cancel',
    command(
      'cancel_task',
      { summary: 'End one task of a plan; the run goes on', reads: noFields, answers: 'run' },
      (_, c) => ({
        type: 'cancel_task',
        task: c.req.param('task') ?? '',
      }),
    ),
  )

  .post(
    '/:id/tasks/:task/retry',
    command(
      'retry_task',
      { summary: 'Do a task once more that failed or was cancelled', reads: noFields, answers: 'run' },
      (_, c) => ({
        type: 'retry_task',
        task: c.req.param('task') ?? '',
      }),
    ),
  )

  .post(
    '/:id/workflow/steps/:step/retry',
    command(
      'retry_step',
      { summary: 'Do a step of a workflow once more that has ended', reads: noFields, answers: 'run' },
      (_, c) => ({
        type: 'retry_step',
        step: c.req.param('step') ?? '',
      }),
    ),
  )

  .post(
    '/:id/team/messages',
    command(
      'team_message',
      {
        summary: "Put a message on the bus of the session's team",
        reads: json(teamMessageInput),
        answers: 'run',
        errors: ['too_many'],
      },
      (input, c) => ({ type: 'team_message', input, language: languageAsked(c) ?? undefined }),
    ),
  )

  .get(
    '/:id/team/messages',
    route(
      {
        summary: "List the messages of the session's team",
        scope: 'read',
        refuse: sessionInPath,
        reads: query(messageListQuery),
        returns: listOf('PlacedTeamMessage'),
      },
      async ({ c, tenant, param, input: { after, cursor, limit } }) => {
        const object = sessionObject(c.env, tenant, param('id'))
        const found = await object.teamMessages(cursor ?? after ?? 0, limit + 1)
        const seqOf = ({ seq }: { seq: number }) => String(seq)
        return found.ok ? ok(page(found.value, limit, seqOf, ({ seq, message }) => ({ ...message, seq }))) : found
      },
    ),
  )

/** The teams that come with the product. */
export const teamRoutes = factory.createApp().get(
  '/',
  route(
    { summary: 'Teams', scope: 'read', reads: query(skillListQuery), returns: listOf('ShippedTeam') },
    async ({ c, input: { limit, cursor, language: tag } }) => {
      const { engine } = serverOf(c.env)
      const language = languageOf(tag ?? languageAsked(c) ?? languageTagOf(engine, {}))
      const found = pageOfWhole(await engine.teams(), ({ name }) => name, { cursor, limit })
      if (!found.ok) return found
      const { data, next } = found.value
      const shown = data.map((file) => shippedTeamView(file, language))
      return ok(list(shown, next))
    },
  ),
)
