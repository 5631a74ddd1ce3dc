import { fail, ok } from '../domain/errors.ts'
import type { UserJob, UserJobType } from '../domain/user-job.ts'
import { memoryObject } from '../objects/env.ts'
import { factory } from './context.ts'
import { refuseUser } from './memory.ts'
import { listOf } from './openapi/describe.ts'
import { namedListQuery, pageOfWhole } from './queries.ts'
import { type Answer, type Call, list, nothing, query, route } from './route.ts'

const POLL_SECONDS = '1'

/** The jobs of the user that the path names. */
const jobsOf = ({ c, tenant, param }: Call<unknown>) => memoryObject(c.env, tenant, param('user'))

/** Begins a job on all that there is of the user, or finds the one that goes on. */
async function asked(call: Call<unknown>, type: UserJobType) {
  const { kind, id } = call.c.get('principal')
  return jobsOf(call).askJob({ type, tenant: call.tenant, user: call.param('user'), actor: { kind, id } })
}

/** A job that goes on, and where it is looked at. */
function accepted({ c }: Call<unknown>, job: UserJob): Answer {
  c.header('retry-after', POLL_SECONDS)
  return { body: job, status: 202, location: `/v1/users/${encodeURIComponent(job.user)}/jobs/${job.id}` }
}

/** All that there is of a person. */
export const userRoutes = factory
  .createApp()

  .delete(
    '/:user',
    route(
      {
        summary: 'Erase a person: memory, sessions with their links, the name on usage. A job, which goes on by itself',
        scope: 'admin',
        refuse: refuseUser,
        reads: nothing,
        returns: 'UserJob',
        status: [202],
        errors: ['job_in_progress'],
        audit: { action: 'user.erase' },
      },
      async (call) => {
        const { outcome, job } = await asked(call, 'erase')
        if (outcome === 'other') return fail({ code: 'job_in_progress', jobId: job.id, type: job.type })
        call.note({ job: job.id })
        return ok(accepted(call, job))
      },
    ),
  )

  .get(
    '/:user/export',
    route(
      {
        summary: 'All that there is of a person as JSON lines; 202 with the job that gathers it until that is done',
        id: 'exportUser',
        scope: 'admin',
        refuse: refuseUser,
        reads: nothing,
        answers: 'user_export',
        errors: ['job_in_progress'],
      },
      async (call) => {
        const { outcome, job } = await asked(call, 'export')
        if (outcome === 'other') return fail({ code: 'job_in_progress', jobId: job.id, type: job.type })
        const bytes = outcome === 'completed' ? await jobsOf(call).readExport(job.id) : null
        if (!bytes) return ok(accepted(call, job))
        return ok({ response: call.c.body(bytes, 200, { 'content-type': 'application/x-ndjson' }) })
      },
    ),
  )

  .get(
    '/:user/jobs',
    route(
      {
        summary: 'Erasures and exports of a person, newest first',
        scope: 'admin',
        refuse: refuseUser,
        reads: query(namedListQuery),
        returns: listOf('UserJob'),
      },
      async (call) => {
        const found = pageOfWhole(await jobsOf(call).jobs(), ({ id }) => id, call.input)
        return found.ok ? ok(list(found.value.data, found.value.next)) : found
      },
    ),
  )

  .get(
    '/:user/jobs/:job',
    route(
      {
        summary: 'How an erasure or an export of a person stands',
        scope: 'admin',
        refuse: refuseUser,
        reads: nothing,
        returns: 'UserJob',
      },
      async (call) => {
        const found = (await jobsOf(call).jobs()).find(({ id }) => id === call.param('job'))
        return found ? ok({ body: found }) : fail({ code: 'not_found', what: 'job' })
      },
    ),
  )
