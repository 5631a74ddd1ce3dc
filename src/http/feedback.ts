import { feedbackInput } from '../domain/feedback.ts'
import { ok } from '../domain/errors.ts'
import { sessionObject } from '../objects/env.ts'
import { factory } from './context.ts'
import { json, route, sessionInPath } from './route.ts'

/** What people say of answers. */
export const feedbackRoutes = factory.createApp().post(
  '/:id/messages/:message/feedback',
  route(
    {
      summary: 'Say whether an answer is good or bad, and why',
      id: 'rateMessage',
      scope: 'run',
      refuse: sessionInPath,
      reads: json(feedbackInput),
      returns: 'Feedback',
      errors: ['needs_newer'],
      audit: { action: 'message.rate' },
    },
    async ({ c, tenant, param, input, note }) => {
      note({ message_id: param('message'), rating: input.rating })
      const said = await sessionObject(c.env, tenant, param('id')).rate(param('message'), input)
      return said.ok ? ok({ body: said.value }) : said
    },
  ),
)
