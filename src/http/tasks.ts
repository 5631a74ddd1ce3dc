import { sessionObject } from '../objects/env.ts'
import { callOptions, respond } from './answer.ts'
import { atOnceIf } from './middleware/at-once.ts'
import { auditNote } from './middleware/audited.ts'
import { needs } from './middleware/auth.ts'
import { factory } from './context.ts'
import { describe } from './openapi/describe.ts'
import { keyed } from './middleware/idempotency.ts'
import { knownId } from './middleware/known-id.ts'

const summary = {
  cancel: 'End one task of a plan; the run goes on',
  retry: 'Do a task once more that failed or was cancelled',
} as const

/** The tasks of a session's plan, one by one. */
export const tasks = factory.createApp()

for (const act of ['cancel', 'retry'] as const) {
  tasks.post(
    `/:id/tasks/:task/${act}`,
    describe({ summary: summary[act], audit: { action: `task.${act}` }, answers: 'run' }),
    needs('run'),
    knownId,
    keyed(),
    atOnceIf(() => act === 'retry'),
    async (c) => {
      const id = c.req.param('id') ?? ''
      auditNote(c, { details: { task: c.req.param('task') ?? '' } })
      const object = sessionObject(c.env, c.get('principal').tenant, id)
      return respond(c, id, await object.task(c.req.param('task') ?? '', act, callOptions(c)))
    },
  )
}
