import { version } from '../../package.json'
import { serverOf } from '../objects/engine.ts'
import { factory } from './context.ts'
import { described } from './openapi/describe.ts'

/** Whether the server is up, and which model it uses by default. Open to all, so it says no more. */
export const health = factory.createApp().get(
  '/',
  described({ summary: 'Whether the server is up', id: 'getHealth', returns: 'Health', open: true }, (c) => {
    const model = serverOf(c.env).models.find((one) => one.default)?.id ?? null
    return c.json({ status: 'ok', version, default_model: model })
  }),
)
