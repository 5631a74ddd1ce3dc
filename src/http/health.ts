import { serverOf } from '../objects/engine.ts'
import { describe } from './openapi/describe.ts'
import { factory } from './context.ts'
import { VERSION } from './version.ts'

/** Whether the server is up, and which model it uses by default. Open to all, so it says no more. */
export const health = factory
  .createApp()
  .get('/', describe({ summary: 'Whether the server is up', id: 'getHealth', returns: 'Health', open: true }), (c) => {
    const model = serverOf(c.env).models.find((one) => one.default)?.id ?? null
    return c.json({ status: 'ok', version: VERSION, default_model: model })
  })
