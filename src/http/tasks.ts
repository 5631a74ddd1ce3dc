import { ok } from '../domain/errors.ts'
import { command } from './command.ts'
import { factory } from './context.ts'
import { describe } from './openapi/describe.ts'

/** The tasks of a session's plan, one by one. */
export const tasks = factory
  .createApp()

  .post(
    '/:id/tasks/:task/cancel',
    describe({ summary: 'End one task of a plan; the run goes on', command: 'cancel_task', answers: 'run' }),
    command('cancel_task', { read: async (c) => ok({ type: 'cancel_task', task: c.req.param('task') ?? '' }) }),
  )

  .post(
    '/:id/tasks/:task/retry',
    describe({ summary: 'Do a task once more that failed or was cancelled', command: 'retry_task', answers: 'run' }),
    command('retry_task', { read: async (c) => ok({ type: 'retry_task', task: c.req.param('task') ?? '' }) }),
  )
