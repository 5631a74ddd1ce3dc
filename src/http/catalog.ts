import { factory } from './context.ts'
import { describe } from './describe.ts'
import { list } from './list.ts'
import { listOf } from './shapes/answers.ts'
import { model, tool } from './shapes/resources.ts'
import { needs } from './auth.ts'
import { serverOf } from '../objects/engine.ts'
import { sessionEngine } from '../session/servers.ts'
import { shownTool } from '../tools/shown-tool.ts'

/** What this server offers. */
export const catalog = factory
  .createApp()
  .get(
    '/tools',
    describe({ summary: 'Tools, with their schemas', returns: listOf(tool) }),
    needs('read'),
    async (c) => {
      const { engine, config } = serverOf(c.env)
      const own = sessionEngine(engine, (work) => c.executionCtx.waitUntil(work))
      await own.load({ tenant: c.get('principal').tenant, config: {} })
      return list(
        c,
        own.tools.map((one) => shownTool(one, config)),
      )
    },
  )
  .get('/models', describe({ summary: 'Models', returns: listOf(model) }), needs('read'), (c) =>
    list(c, serverOf(c.env).models),
  )
