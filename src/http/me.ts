import type { Me } from '../domain/access.ts'
import { factory } from './context.ts'
import { described } from './openapi/describe.ts'

/** What whoever asks may do. A client knows by it what to offer, before anything is refused; so it takes no scope. */
export const meRoutes = factory.createApp().get(
  '/',
  described({ summary: 'Who asks, and what they may do', id: 'getMe', returns: 'Me' }, (c) => {
    const { kind, id, tenant, scopes } = c.get('principal')
    const body: Me = { object: 'me', actor: { kind, id }, tenant, scopes: [...scopes] }
    return c.json(body)
  }),
)
