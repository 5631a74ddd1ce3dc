import type { Context } from 'hono'
import { fail, invalid, ok, type Result } from '../domain/errors.ts'
import { languageOf } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import { skillDefinition, skillRun, type SkillDefinition } from '../domain/skill.ts'
import { isDeeper } from '../lib/json.ts'
import type { DirectoryApi } from '../objects/api.ts'
import { serverOf } from '../objects/engine.ts'
import { directoryObject } from '../objects/env.ts'
import { type SkillRegistry, mergedPage, shownSkill } from '../skills/registry.ts'
import type { Done } from '../store/claims.ts'
import { command, fromBody } from './command.ts'
import { needs } from './middleware/auth.ts'
import { bodyBytes, encoded, query } from './middleware/body.ts'
import { factory, type AppEnv } from './context.ts'
import { behindName } from './cursors.ts'
import { describe, listOf } from './openapi/describe.ts'
import { answeredOnce, doneWith } from './middleware/idempotency.ts'
import { list } from './list.ts'
import { problem } from './problem.ts'
import { skillListQuery, skillQuery } from './queries.ts'

const registry = (c: Context<AppEnv>): SkillRegistry => serverOf(c.env).engine.skills
const directory = (c: Context<AppEnv>): DirectoryApi => directoryObject(c.env, c.get('principal').tenant)
const nameOf = (c: Context<AppEnv>): string => c.req.param('name') ?? ''

/** Skills: those that come with the product, and those of the tenant, which go before a shipped one of the same name. */
export const skills = factory
  .createApp()

  .get(
    '/',
    describe({
      summary: 'Skills by name, without their prompts',
      returns: listOf('ListedSkill'),
      query: skillListQuery,
    }),
    needs('read'),
    query(skillListQuery),
    async (c) => {
      const { limit, cursor = '', language } = c.req.valid('query')
      const own = await directory(c).skills(cursor, limit + 1)
      const page = mergedPage(registry(c).shipped, own, { after: cursor, limit, language: languageFor(c, language) })
      return list(c, page.data, behindName(page.last))
    },
  )

  .post(
    '/',
    describe({
      summary: 'Add a skill, as JSON or as a SKILL.md',
      returns: 'Skill',
      status: [201],
      errors: ['already_exists', 'too_many'],
      audit: { action: 'skill.create' },
      body: skillDefinition,
      takesMarkdown: true,
    }),
    needs('admin'),
    answeredOnce,
    async (c) => {
      const read = await readSkill(c, null)
      if (!read.ok) return problem(c, read.error)
      if (registry(c).shipped.has(read.value.name)) return alreadyExists(c, read.value.name)
      const made = { body: shown(c, read.value), location: `/v1/skills/${encodeURIComponent(read.value.name)}` }
      const kept = await keep(c, read.value, false, doneWith(c, made))
      if (!kept.ok) return problem(c, kept.error)
      c.header('location', made.location)
      return c.json(made.body, 201)
    },
  )

  .get(
    '/:name',
    describe({ summary: 'A skill with its prompt', returns: 'Skill', query: skillQuery }),
    needs('read'),
    query(skillQuery),
    async (c) => {
      const found = await registry(c).find(c.get('principal').tenant, nameOf(c))
      if (!found) return problem(c, { code: 'not_found', what: 'skill' })
      return c.json(shownSkill(found, languageFor(c, c.req.valid('query').language)))
    },
  )

  .put(
    '/:name',
    describe({
      summary: 'Add or replace a skill; a shipped one is replaced for this tenant',
      returns: 'Skill',
      status: [200, 201],
      errors: ['too_many'],
      audit: { action: 'skill.put' },
      body: skillDefinition,
      takesMarkdown: true,
    }),
    needs('admin'),
    async (c) => {
      const read = await readSkill(c, nameOf(c))
      if (!read.ok) return problem(c, read.error)
      const kept = await keep(c, read.value, true)
      return kept.ok ? c.json(shown(c, read.value), kept.value) : problem(c, kept.error)
    },
  )

  .delete(
    '/:name',
    describe({
      summary: 'Delete a skill; the shipped one that it replaced is there again',
      audit: { action: 'skill.delete' },
    }),
    needs('admin'),
    async (c) => {
      const removed = await directory(c).removeSkill(nameOf(c))
      registry(c).forget(c.get('principal').tenant)
      if (removed) return c.body(null, 204)
      if (!registry(c).shipped.has(nameOf(c))) return problem(c, { code: 'not_found', what: 'skill' })
      const detail = 'A shipped skill cannot be deleted; PUT one of its name to replace it.'
      return problem(c, { code: 'forbidden', detail })
    },
  )

  .post(
    '/:name/run',
    describe({
      summary: 'Make a session that runs the skill, and run it',
      command: 'run_skill',
      body: skillRun,
      answers: 'skill_run',
    }),
    command(
      'run_skill',
      fromBody(skillRun, (input, c) => ({ type: 'run_skill', input: { name: nameOf(c), ...input } })),
      { target: nameOf },
    ),
  )

/** The skill of a body, checked. `name`: the one that the path says. */
async function readSkill(c: Context<AppEnv>, name: string | null): Promise<Result<SkillDefinition>> {
  const given = await readGiven(c, name)
  if (!given.ok) return given
  const checked = await registry(c).checkFor(c.get('principal').tenant, given.value)
  if (!checked.ok) return invalid(checked.issues, 'The skill does not fit; see errors.')
  const isOther = name !== null && checked.skill.name !== name
  return isOther ? invalid([{ path: 'name', message: `${name}, as in the path` }]) : ok(checked.skill)
}

/** A SKILL.md as text, or JSON; what GET shows beside the definition is left out. */
async function readGiven(c: Context<AppEnv>, name: string | null): Promise<Result<unknown>> {
  const type = c.req.header('content-type') ?? ''
  const bytes = await bodyBytes(c, LIMITS.skill.fileBytesMax)
  if (!bytes.ok) return bytes
  const packed = encoded(c)
  if (packed) return fail(packed)
  const text = new TextDecoder().decode(bytes.value)
  if (/^text\/(markdown|x-markdown)\s*(;|$)/i.test(type)) return ok(text)
  if (!/^application\/json\s*(;|$)/i.test(type))
    return fail({ code: 'unsupported_media_type', expected: 'application/json or text/markdown' })
  return parsedSkill(text, name)
}

const TOO_DEEP = invalid([{ path: '', message: `nested deeper than ${LIMITS.http.jsonDepthMax} levels` }])

const SHOWN_ONLY: ReadonlySet<string> = new Set(['object', 'source', 'languages', 'input_schema'])

function parsedSkill(text: string, name: string | null): Result<unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (isDeeper(value, LIMITS.http.jsonDepthMax)) return TOO_DEEP
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return ok(value)
    const fields = Object.entries(value).filter(([key]) => !SHOWN_ONLY.has(key))
    return ok({ ...(name === null ? {} : { name }), ...Object.fromEntries(fields) })
  } catch {
    return invalid([{ path: '', message: 'not valid JSON in UTF-8' }], 'The body is not valid JSON.')
  }
}

/** 201: it is new; 200: it replaced one. */
async function keep(
  c: Context<AppEnv>,
  skill: SkillDefinition,
  mayReplace: boolean,
  done: Done | null = null,
): Promise<Result<200 | 201>> {
  const kept = await directory(c).putSkill(skill, mayReplace, done)
  registry(c).forget(c.get('principal').tenant)
  if (kept === 'known') return fail({ code: 'already_exists', what: `skill ${skill.name}` })
  if (kept === 'too_many') return fail({ code: 'too_many', what: 'skills', max: LIMITS.skill.perTenantMax })
  return ok(kept === 'made' ? 201 : 200)
}

function alreadyExists(c: Context<AppEnv>, name: string): Response {
  return problem(c, { code: 'already_exists', what: `skill ${name}` })
}

function shown(c: Context<AppEnv>, definition: SkillDefinition) {
  return shownSkill({ definition, texts: {}, source: 'tenant' }, languageFor(c, undefined))
}

/** The language that was asked for, else the server's. */
function languageFor(c: Context<AppEnv>, asked: string | undefined) {
  return languageOf(asked ?? serverOf(c.env).config.language ?? 'zh-CN')
}
