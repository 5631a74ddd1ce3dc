import { languageOf } from '../domain/language.ts'
import { teamMessageInput } from '../domain/team.ts'
import { serverOf } from '../objects/engine.ts'
import { sessionObject } from '../objects/env.ts'
import { languageTagOf } from '../engine/engine.ts'
import { shownTeam } from '../teams/shipped.ts'
import { command, fromBody } from './command.ts'
import { needs } from './middleware/auth.ts'
import { query } from './middleware/body.ts'
import { factory } from './context.ts'
import { pageOfWhole } from './cursors.ts'
import { describe, listOf } from './openapi/describe.ts'
import { knownId } from './middleware/known-id.ts'
import { list } from './list.ts'
import { problem } from './problem.ts'
import { messageListQuery, skillListQuery } from './queries.ts'

/** The bus of a session's team. */
export const team = factory
  .createApp()

  .post(
    '/:id/team/messages',
    describe({
      summary: "Put a message on the bus of the session's team",
      command: 'team_message',
      body: teamMessageInput,
      answers: 'run',
    }),
    command(
      'team_message',
      fromBody(teamMessageInput, (input) => ({ type: 'team_message', input })),
    ),
  )

  .get(
    '/:id/team/messages',
    describe({
      summary: "List the messages of the session's team",
      returns: listOf('PlacedTeamMessage'),
      query: messageListQuery,
    }),
    needs('read'),
    knownId,
    query(messageListQuery),
    async (c) => {
      const { after, cursor, limit } = c.req.valid('query')
      const object = sessionObject(c.env, c.get('principal').tenant, c.req.param('id'))
      const found = await object.teamMessages(cursor ?? after ?? 0, limit + 1)
      if (!found.ok) return problem(c, found.error)
      const page = found.value.slice(0, limit)
      const data = page.map(({ seq, message }) => ({ ...message, seq }))
      return list(c, data, found.value.length > limit ? String(data.at(-1)?.seq) : null)
    },
  )

/** The teams that come with the product. */
export const teams = factory
  .createApp()
  .get(
    '/',
    describe({ summary: 'Teams', returns: listOf('ShippedTeam'), query: skillListQuery }),
    needs('read'),
    query(skillListQuery),
    (c) => {
      const { limit, cursor, language: tag } = c.req.valid('query')
      const { engine } = serverOf(c.env)
      const language = languageOf(tag ?? languageTagOf(engine, {}))
      const page = pageOfWhole(engine.teams, ({ name }) => name, { cursor, limit })
      if (!page.ok) return problem(c, page.error)
      const { data, next } = page.value
      return list(
        c,
        data.map((file) => shownTeam(file, language)),
        next,
      )
    },
  )
