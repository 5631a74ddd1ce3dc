import { fail, invalid, ok, type Result } from '../domain/errors.ts'
import { type Language, languageOf } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import { workflowRun } from '../domain/session-input.ts'
import { type StoredWorkflow, type WorkflowDefinition } from '../domain/workflow.ts'
import { type WorkflowInfo } from '../domain/workflow-view.ts'
import { serverFor, serverOf } from '../objects/engine.ts'
import { directoryObject } from '../objects/env.ts'
import type { StoredResponse } from '../store/claims.ts'
import { factory } from './context.ts'
import { inRequestLanguage, languageAsked } from './language.ts'
import { listOf } from './openapi/describe.ts'
import { type SentWorkflow, workflowReading } from './workflow-body.ts'
import { behindName, namedListQuery, pageOfWhole, skillListQuery, workflowQuery } from './queries.ts'
import { type Call, command, json, list, query, nothing, route } from './route.ts'

const directory = ({ c, tenant }: Call<unknown>) => directoryObject(c.env, tenant)
const shipped = () => import('../skills/shipped-workflows.ts')

/** Workflows: those that come with the product, and those of the tenant, which go before a shipped one of the same name. */
export const workflowRoutes = factory
  .createApp()

  .get(
    '/',
    route(
      {
        summary: 'Workflows by name, without their steps',
        scope: 'read',
        reads: query(skillListQuery),
        returns: listOf('ListedWorkflow'),
      },
      async (call) => {
        const { limit, cursor = '', language } = call.input
        const own = await directory(call).workflows(cursor, limit + 1)
        const names = new Set(own.map(({ definition }) => definition.name))
        const others = (await shipped())
          .shippedIn(languageFor(call, language))
          .filter(({ definition: { name } }) => name > cursor && !names.has(name))
        const all = [...own, ...others].toSorted((a, b) => (a.definition.name < b.definition.name ? -1 : 1))
        const data = all.slice(0, limit)
        const next = all.length > limit ? behindName(data.at(-1)?.definition.name) : null
        return ok(
          list(
            data.map((one) => listed(one)),
            next,
          ),
        )
      },
    ),
  )

  .post(
    '/',
    route(
      {
        summary: 'Add a workflow, as JSON or as YAML',
        scope: 'admin',
        reads: workflowReading,
        takesYaml: true,
        returns: 'Workflow',
        status: [201],
        errors: ['already_exists', 'too_many'],
        audit: { action: 'workflow.create' },
      },
      async (call) => {
        const { name: given } = call.input.body
        if (given === undefined) return invalid([{ path: 'name', message: 'the name of the workflow' }])
        const checked = await read(call, given)
        if (!checked.ok) return checked
        const { name } = checked.value
        if (await isShipped(name)) return alreadyExists(name)
        const location = `/v1/workflows/${encodeURIComponent(name)}`
        const body = shown({ definition: checked.value, version: 1, source: 'tenant', createdTime: Date.now() })
        const made = { body, location, status: 201 } as const
        const kept = await keep(call, checked.value, false, call.done(made))
        return kept.ok ? ok(made) : kept
      },
    ),
  )

  .get(
    '/:name',
    route(
      { summary: 'A workflow with its steps', scope: 'read', reads: query(workflowQuery), returns: 'Workflow' },
      async (call) => {
        const { version = null, language } = call.input
        const name = call.param('name')
        const own = await directory(call).workflow(name, version)
        const isOther = own !== null || (version !== null && version !== 1)
        const found = isOther ? own : (await shipped()).shippedWorkflow(name, languageFor(call, language))
        return found ? ok({ body: shown(found) }) : notFound()
      },
    ),
  )

  .get(
    '/:name/versions',
    route(
      {
        summary: 'The versions of a workflow that are kept, newest first',
        scope: 'read',
        reads: query(namedListQuery),
        returns: listOf('ListedWorkflow'),
      },
      async (call) => {
        const name = call.param('name')
        const own = await directory(call).workflowVersions(name)
        const other = own.length > 0 ? null : (await shipped()).shippedWorkflow(name, languageFor(call, undefined))
        const all = other ? [other] : own
        if (all.length === 0) return notFound()
        const found = pageOfWhole(all, ({ version }) => String(version), call.input)
        return found.ok ? ok(list(found.value.data.map(listed), found.value.next)) : found
      },
    ),
  )

  .put(
    '/:name',
    route(
      {
        summary:
          'Add a workflow, as JSON or as YAML, or another version of it; a shipped one is replaced for this tenant',
        scope: 'admin',
        reads: workflowReading,
        takesYaml: true,
        returns: 'Workflow',
        status: [200, 201],
        errors: ['too_many'],
        audit: { action: 'workflow.put' },
      },
      async (call) => {
        const name = call.param('name')
        const checked = await read(call, name)
        if (!checked.ok) return checked
        const kept = await keep(call, checked.value, true)
        if (!kept.ok) return kept
        const stored = await directory(call).workflow(name, null)
        return stored ? ok({ body: shown(stored), status: kept.value }) : notFound()
      },
    ),
  )

  .delete(
    '/:name',
    route(
      {
        summary: 'Delete a workflow with its versions; the shipped one that it replaced is there again',
        scope: 'admin',
        reads: nothing,
        audit: { action: 'workflow.delete' },
      },
      async (call) => {
        const name = call.param('name')
        if (await directory(call).removeWorkflow(name)) return ok({})
        if (!(await isShipped(name))) return notFound()
        return fail({
          code: 'forbidden',
          detail: 'A shipped workflow cannot be deleted; PUT one of its name to replace it.',
        })
      },
    ),
  )

  .post(
    '/:name/run',
    command(
      'create',
      {
        summary: 'Make a session that goes by the workflow, and run it',
        reads: json(workflowRun),
        target: 'name',
        answers: 'new_session',
        good: 201,
      },
      ({ task, inputs, ...more }, c) => {
        const workflow = c.req.param('name') ?? ''
        const words = task ?? JSON.stringify(inputs ?? {})
        // Words alone are the inputs, too.
        const given = inputs ?? (task === undefined ? {} : undefined)
        const input = { ...more, workflow, task: words, ...(given === undefined ? {} : { inputs: given }) }
        return { type: 'create', input: inRequestLanguage(c, input, words) }
      },
    ),
  )

function notFound() {
  return fail({ code: 'not_found', what: 'workflow' })
}

function alreadyExists(name: string) {
  return fail({ code: 'already_exists', what: `workflow ${name}` })
}

/** The workflow of a body, checked as a whole. `name`: the one that the path says, or else the body. */
async function read(call: Call<SentWorkflow>, name: string): Promise<Result<WorkflowDefinition>> {
  const { engine } = await serverFor(call.c.env, call.tenant)
  const { body, located } = call.input
  if (body.name !== undefined && body.name !== name)
    return invalid(located([{ path: 'name', message: `${name}, as in the path` }]))
  const { checkFor } = await import('../orchestrators/workflow/given.ts')
  const checked = await checkFor(engine, call.tenant, { ...body, name }, languageFor(call, undefined))
  if (!checked.ok) return invalid(located(checked.issues), 'The workflow does not fit; see errors.')
  return ok(checked.definition)
}

/** 201: it is new; 200: it is another version. */
async function keep(
  call: Call<unknown>,
  definition: WorkflowDefinition,
  mayReplace: boolean,
  done: StoredResponse | null = null,
): Promise<Result<200 | 201>> {
  const kept = await directory(call).putWorkflow(definition, mayReplace, done)
  if (kept === 'known') return alreadyExists(definition.name)
  if (kept === 'too_many') return fail({ code: 'too_many', what: 'workflows', max: LIMITS.workflow.perTenantMax })
  return ok(kept === 'made' ? 201 : 200)
}

async function isShipped(name: string): Promise<boolean> {
  return (await shipped()).shippedWorkflow(name, 'en') !== null
}

function shown({ definition, version, source, createdTime }: StoredWorkflow): WorkflowInfo {
  const { name, description, inputs, expose, steps, output } = definition
  return {
    object: 'workflow',
    name,
    version,
    description,
    source,
    created_time: createdTime === null ? null : new Date(createdTime).toISOString(),
    ...(inputs === undefined ? {} : { inputs }),
    ...(expose === undefined ? {} : { expose }),
    steps: steps as unknown as WorkflowInfo['steps'],
    ...(output === undefined ? {} : { output }),
  }
}

function listed(stored: StoredWorkflow): Omit<WorkflowInfo, 'steps' | 'output'> {
  const { steps: _, output: __, ...rest } = shown(stored)
  return rest
}

/** The language that was asked for, by the query or else by the header, else the server's. */
function languageFor({ c }: Call<unknown>, asked: string | undefined): Language {
  return languageOf(asked ?? languageAsked(c) ?? serverOf(c.env).config.language ?? 'zh-CN')
}
