import { unusableSkills } from '../skills/shipped.ts'
import { textOf } from '../lib/text.ts'
import { inRequestLanguage, languageAsked } from './language.ts'
import type { FolderFile } from '../skills/folder.ts'
import type { GivenSkill, SkillRegistry } from '../skills/registry.ts'
import { fail, invalid, ok, type Result } from '../domain/errors.ts'
import { type Language, languageOf } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import { inLanguage, type Skill, skillDefinition, type SkillDefinition } from '../domain/skill.ts'
import { skillRun } from '../domain/session-input.ts'
import { serverFor, serverOf } from '../objects/engine.ts'
import { directoryObject } from '../objects/env.ts'
import type { StoredResponse } from '../store/claims.ts'
import { bodyBytes, encoded, parsedBody } from './body.ts'
import { type AppEnv, factory } from './context.ts'
import { asksFor } from './negotiate.ts'
import { behindName, skillListQuery, skillQuery } from './queries.ts'
import { type Call, command, jsonParts, list, nothing, query, route } from './route.ts'
import type { Context } from 'hono'

const book = async ({ c, tenant }: Call<unknown>): Promise<SkillRegistry> =>
  (await serverFor(c.env, tenant)).engine.skills
const directory = ({ c, tenant }: Call<unknown>) => directoryObject(c.env, tenant)

/** Skills: those that come with the product, and those of the tenant, which go before a shipped one of the same name. */
export const skillRoutes = factory
  .createApp()

  .get(
    '/',
    route(
      {
        summary: 'Skills by name, without their prompts',
        scope: 'read',
        reads: query(skillListQuery),
        returns: 'ListedSkills',
      },
      async (call) => {
        const { limit, cursor = '', language } = call.input
        const own = await directory(call).skills(cursor, limit + 1)
        const asked = { after: cursor, limit, language: languageFor(call.c, language) }
        const { problems } = await (await book(call)).loadShipped()
        const found = await (await book(call)).page(own, asked)
        const page = list(found.data, behindName(found.last))
        const unusable = cursor === '' ? unusableSkills(problems) : []
        return ok(unusable.length > 0 ? { body: { ...page.body, unusable } } : page)
      },
    ),
  )

  .post(
    '/',
    route(
      {
        summary: 'Add a skill, as JSON, as a SKILL.md, or as a zip of its folder',
        scope: 'admin',
        reads: nothing,
        body: skillDefinition,
        takesMarkdown: true,
        takesZip: true,
        returns: 'Skill',
        status: [201],
        errors: ['already_exists', 'too_many'],
        audit: { action: 'skill.create' },
      },
      async (call) => {
        const read = await readSkill(call, null)
        if (!read.ok) return read
        const { name } = read.value.skill
        if ((await (await book(call)).loadShipped()).skills.has(name)) return alreadyExists(name)
        const location = `/v1/skills/${encodeURIComponent(name)}`
        const made = { body: await shown(call, read.value.skill), location, status: 201 } as const
        const kept = await keep(call, read.value, false, call.done(made))
        return kept.ok ? ok(made) : kept
      },
    ),
  )

  .get(
    '/:name',
    route(
      {
        summary: 'A skill with its prompt; also as a SKILL.md, or as a zip of its folder',
        scope: 'read',
        reads: query(skillQuery),
        returns: 'Skill',
        answers: 'skill',
      },
      async (call) => {
        const found = await (await book(call)).find(call.tenant, call.param('name'))
        if (!found) return fail({ code: 'not_found', what: 'skill' })
        const language = languageFor(call.c, call.input.language)
        const form = ['application/zip', 'text/markdown'].find((type) => asksFor(call.c, type))
        return form === undefined
          ? ok({ body: await (await book(call)).view(found, language) })
          : ok({ response: await folderResponse(call, found, form, language) })
      },
    ),
  )

  .put(
    '/:name',
    route(
      {
        summary: 'Add or replace a skill; a shipped one is replaced for this tenant',
        scope: 'admin',
        reads: nothing,
        body: skillDefinition,
        takesMarkdown: true,
        takesZip: true,
        returns: 'Skill',
        status: [200, 201],
        errors: ['too_many'],
        audit: { action: 'skill.put' },
      },
      async (call) => {
        const read = await readSkill(call, call.param('name'))
        if (!read.ok) return read
        const kept = await keep(call, read.value, true)
        if (!kept.ok) return kept
        const stored = await directory(call).skill(read.value.skill.name)
        return ok({ body: await shown(call, stored ?? read.value.skill), status: kept.value })
      },
    ),
  )

  .delete(
    '/:name',
    route(
      {
        summary: 'Delete a skill; the shipped one that it replaced is there again',
        scope: 'admin',
        reads: nothing,
        audit: { action: 'skill.delete' },
      },
      async (call) => {
        const name = call.param('name')
        const skills = await book(call)
        const removed = await directory(call).removeSkill(name)
        skills.forget(call.tenant)
        if (removed) return ok({})
        if (!(await skills.loadShipped()).skills.has(name)) return fail({ code: 'not_found', what: 'skill' })
        const detail = 'A shipped skill cannot be deleted; PUT one of its name to replace it.'
        return fail({ code: 'forbidden', detail })
      },
    ),
  )

  .post(
    '/:name/run',
    command(
      'run_skill',
      {
        summary: 'Make a session that runs the skill, and run it',
        reads: jsonParts(skillRun),
        bytesMax: LIMITS.parts.bodyBytesMax,
        target: 'name',
        answers: 'skill_run',
      },
      (input, c) => ({
        type: 'run_skill',
        input: { name: c.req.param('name') ?? '', ...inRequestLanguage(c, input, textOf(input.input)) },
      }),
    ),
  )

/** A skill that came, and the files of its folder; null: none came with it. */
interface ReadSkill {
  skill: SkillDefinition
  files: readonly FolderFile[] | null
}

/** The skill of a body, checked. `name`: the one that the path says. */
async function readSkill(call: Call<unknown>, name: string | null): Promise<Result<ReadSkill>> {
  const given = await readGiven(call.c, name)
  if (!given.ok) return given
  const checked = await (await book(call)).checkFor(call.tenant, given.value.skill)
  if (!checked.ok) return invalid(checked.issues, 'The skill does not fit; see errors.')
  const { skill } = checked
  if (name !== null && skill.name !== name) return invalid([{ path: 'name', message: `${name}, as in the path` }])
  return ok({ skill, files: given.value.files })
}

/** A zip of a folder, a SKILL.md as text, or JSON; what GET shows beside the definition is left out. */
async function readGiven(
  c: Context<AppEnv>,
  name: string | null,
): Promise<Result<{ skill: GivenSkill; files: readonly FolderFile[] | null }>> {
  const type = c.req.header('content-type') ?? ''
  const isZip = /^application\/(x-)?zip(-compressed)?\s*(;|$)/i.test(type)
  const { fileBytesMax, zipBytesMax } = LIMITS.skill
  const bytes = await bodyBytes(c, isZip ? zipBytesMax : fileBytesMax)
  if (!bytes.ok) return bytes
  const packed = encoded(c)
  if (packed) return fail(packed)
  if (isZip) return readFolder(bytes.value)
  if (/^text\/(markdown|x-markdown)\s*(;|$)/i.test(type))
    return ok({ skill: { text: new TextDecoder().decode(bytes.value), files: [] }, files: null })
  if (!/^application\/json\s*(;|$)/i.test(type))
    return fail({ code: 'unsupported_media_type', expected: 'application/json, text/markdown or application/zip' })
  const parsed = parsedSkill(bytes.value, name)
  return parsed.ok ? ok({ skill: { json: parsed.value }, files: null }) : parsed
}

async function readFolder(zip: Uint8Array): Promise<Result<{ skill: GivenSkill; files: readonly FolderFile[] }>> {
  const { readZip } = await import('../skills/folder.ts')
  const read = await readZip(zip)
  if (!read.ok) return invalid(read.issues, 'The zip is no folder of a skill; see errors.')
  return ok({ skill: read.folder, files: read.folder.files })
}

/** A skill as its author would have it: the SKILL.md, or its folder as a zip. */
async function folderResponse(call: Call<unknown>, skill: Skill, type: string, language: Language): Promise<Response> {
  const [{ skillMarkdown }, { zipSync, strToU8 }] = await Promise.all([
    import('../skills/write-skill.ts'),
    import('../lib/deflate.ts'),
  ])
  const definition = inLanguage(skill, language)
  const text = skillMarkdown(definition)
  if (type === 'text/markdown') return call.c.body(text, 200, { 'content-type': 'text/markdown; charset=utf-8' })
  const { name } = definition
  const files = await (await book(call)).files(call.tenant, skill)
  const all = [{ path: 'SKILL.md', bytes: strToU8(text) }, ...files]
  const zip = zipSync(Object.fromEntries(all.map(({ path, bytes }) => [`${name}/${path}`, bytes])))
  const disposition = `attachment; filename*=UTF-8''${encodeURIComponent(name)}.zip`
  return call.c.body(zip, 200, { 'content-type': type, 'content-disposition': disposition })
}

const SHOWN_ONLY: ReadonlySet<string> = new Set(['object', 'source', 'languages', 'input_schema', 'files', 'warnings'])

function parsedSkill(bytes: Uint8Array, name: string | null): Result<unknown> {
  const parsed = parsedBody(bytes)
  if (!parsed.ok || typeof parsed.value !== 'object' || parsed.value === null || Array.isArray(parsed.value))
    return parsed
  const fields = Object.entries(parsed.value).filter(([key]) => !SHOWN_ONLY.has(key))
  return ok({ ...(name === null ? {} : { name }), ...Object.fromEntries(fields) })
}

/** 201: it is new; 200: it replaced one. */
async function keep(
  call: Call<unknown>,
  { skill, files }: ReadSkill,
  mayReplace: boolean,
  done: StoredResponse | null = null,
): Promise<Result<200 | 201>> {
  const skills = await book(call)
  const kept = await directory(call).putSkill(skill, mayReplace, files, done)
  skills.forget(call.tenant)
  if (kept === 'known') return alreadyExists(skill.name)
  if (kept === 'too_many') return fail({ code: 'too_many', what: 'skills', max: LIMITS.skill.perTenantMax })
  return ok(kept === 'made' ? 201 : 200)
}

function alreadyExists(name: string) {
  return fail({ code: 'already_exists', what: `skill ${name}` })
}

async function shown(call: Call<unknown>, definition: SkillDefinition) {
  return (await book(call)).view({ definition, texts: {}, source: 'tenant' }, languageFor(call.c, undefined))
}

/** The language that was asked for, by the query or else by the header, else the server's. */
function languageFor(c: Context<AppEnv>, asked: string | undefined) {
  return languageOf(asked ?? languageAsked(c) ?? serverOf(c.env).config.language ?? 'zh-CN')
}
