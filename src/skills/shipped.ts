import type { InputIssue } from '../domain/errors.ts'
import { isGroupWork, type Skill, type SkillDefinition, type SkillText } from '../domain/skill.ts'
import { checkSkill, type CheckedSkill, isKnownTool, type SkillSurroundings } from './check-skill.ts'
import { type FolderFile, folderOf, listed, SKILL_FILE_NAME, type SkillFolder } from './folder.ts'
import { ALLOWED_TOOLS, namesIn, splitTools } from './warnings.ts'
import { isMap, isScalar, parseDocument, type Document } from 'yaml'
import { LIMITS } from '../domain/limits.ts'
import { fromBase64 } from '../lib/base64.ts'
import { isDeeper, isObject, parseJson } from '../lib/json.ts'

/** One skill's folder: `SKILL.md`, which `SKILL.zh-CN.md` says in Chinese where there is one, and the files beside them by path. */
export interface SkillFiles {
  en: string
  'zh-CN'?: string
  files?: Readonly<Record<string, string | { base64: string }>>
}

/** A skill that is left out, and why. `path`: folder, language and field. */
export interface SkillProblem extends InputIssue {
  skill: string
}

export interface ShippedSkills {
  skills: ReadonlyMap<string, Skill>
  problems: readonly SkillProblem[]
  /** Files of their folders, by the name of the skill. */
  files: ReadonlyMap<string, readonly FolderFile[]>
}

/** The skills that come with the product; a bad one is named and left out, whatever is wrong with it. */
export async function shippedSkills(
  files: Readonly<Record<string, SkillFiles>>,
  around: SkillSurroundings,
): Promise<ShippedSkills> {
  const skills = new Map<string, Skill>()
  const problems: SkillProblem[] = []
  const beside = new Map<string, readonly FolderFile[]>()
  for (const [name, texts] of Object.entries(files)) {
    const read = await readSkill(name, texts, around)
    if (read.ok) {
      skills.set(name, read.skill)
      beside.set(name, read.files)
    } else problems.push(...read.issues.map((issue) => ({ skill: name, ...issue })))
  }
  for (const [name, { definition }] of skills) problems.push(...(await castProblems(name, definition, skills, around)))
  for (const { skill } of problems) skills.delete(skill)
  return { skills, problems, files: beside }
}

/** Skills that are left out, each with all that is wrong with it. */
export function unusableSkills(problems: readonly SkillProblem[]) {
  return Array.from(
    Map.groupBy(problems, ({ skill }) => skill),
    ([name, found]) => ({
      name,
      problems: found.map(({ path, message }) => ({ path, message })),
    }),
  )
}

/** Roles of a shipped skill's team can be shipped skills only. */
async function castProblems(
  skill: string,
  { team }: SkillDefinition,
  skills: ReadonlyMap<string, Skill>,
  around: SkillSurroundings,
): Promise<SkillProblem[]> {
  if (team === null) return []
  const isTeam = (name: string) => {
    const found = skills.get(name)
    return found !== undefined && isGroupWork(found.definition)
  }
  const issues = await around.teamIssues(team, { hasSkill: (name) => skills.has(name), isTeam })
  return issues.map((issue) => ({ skill, ...issue }))
}

/** A SKILL.md, read and checked. What it allows of tools that are not here is left out of its tools, and kept with what its author says. */
export async function checkSkillFile(text: string, around: SkillSurroundings): Promise<CheckedSkill> {
  const read = readSkillFile(text, around)
  return read.ok ? checkSkill(read.value, around) : read
}

/** The same of a folder. */
export async function checkSkillFolder({ text, files }: SkillFolder, around: SkillSurroundings): Promise<CheckedSkill> {
  const checked = await checkSkillFile(text, around)
  return checked.ok && files.length > 0 ? { ok: true, skill: { ...checked.skill, files: listed(files) } } : checked
}

type ReadSkill = { ok: true; skill: Skill; files: readonly FolderFile[] } | { ok: false; issues: InputIssue[] }

async function readSkill(name: string, texts: SkillFiles, around: SkillSurroundings): Promise<ReadSkill> {
  const read = folderOf([{ path: SKILL_FILE_NAME, bytes: UTF_8.encode(texts.en) }, ...filesBeside(texts)])
  if (!read.ok) return read
  const main = await checkSkillFolder(read.folder, around)
  if (!main.ok) return main
  if (main.skill.name !== name) return { ok: false, issues: [{ path: 'name', message: `${name}, as its folder` }] }
  const chinese = await translated(main.skill, texts['zh-CN'], around)
  if (!chinese.ok) return { ok: false, issues: chinese.issues.map((one) => ({ ...one, path: `zh-CN: ${one.path}` })) }
  const words = chinese.skill && { en: textOf(main.skill), 'zh-CN': textOf(chinese.skill) }
  const skill: Skill = { definition: main.skill, texts: words ?? {}, source: 'shipped' }
  return { ok: true, skill, files: read.folder.files }
}

const UTF_8 = new TextEncoder()

/** The files that lie beside a SKILL.md. */
export function filesBeside({ files = {} }: SkillFiles): FolderFile[] {
  return Object.entries(files).map(([path, content]) => ({
    path,
    bytes: typeof content === 'string' ? UTF_8.encode(content) : (fromBase64(content.base64) ?? new Uint8Array()),
  }))
}

/** A translation has a name, a description and a prompt; everything else is said once, in SKILL.md. Null: there is none. */
async function translated(
  main: SkillDefinition,
  file: string | undefined,
  around: SkillSurroundings,
): Promise<CheckedSkill | { ok: true; skill: null }> {
  if (file === undefined) return { ok: true, skill: null }
  const read = readSkillFile(file, around)
  return read.ok ? checkSkill({ ...main, ...read.value, version: main.version }, around) : read
}

function textOf({ description, prompt }: SkillDefinition): SkillText {
  return { description, prompt }
}

type ReadFile = { ok: true; value: Record<string, unknown> } | { ok: false; issues: InputIssue[] }

/** Front matter between lines of three dashes, and the body behind it. */
const PARTS = /^\uFEFF?---[^\S\n]*\n([\s\S]*?)\n---[^\S\n]*(?:\n([\s\S]*))?$/

/** Of a SKILL.md that names none: the format has it optional. */
export const FIRST_VERSION = '1'

/** What `metadata` may say about a run; its other keys are the author's own. */
const SETTINGS = [
  'version',
  'orchestrator',
  'model',
  'temperature',
  'max_tokens',
  'max_tool_iterations',
  'finish',
  'worker',
  'expose',
  'permissions',
  'inputs',
  'team',
  'workflow',
  'output_schema',
] as const

const KNOWN_SETTINGS: ReadonlySet<string> = new Set(SETTINGS)

/** The settings that are texts, whatever they look like in YAML. */
const TEXTS: ReadonlySet<string> = new Set(['version', 'orchestrator', 'model', 'finish', 'workflow'])

/** A SKILL.md as the object that JSON would be, not yet checked field by field. Source: agentskills.io, "Specification". */
export function readSkillFile(text: string, around?: Pick<SkillSurroundings, 'tools'>): ReadFile {
  const [, head, body = ''] = PARTS.exec(text.replaceAll('\r\n', '\n')) ?? []
  if (head === undefined)
    return refused('', 'a SKILL.md: YAML between two lines of three dashes, then the prompt in Markdown')
  const { frontMatterCharsMax } = LIMITS.skill
  if (head.length > frontMatterCharsMax) return refused('', `front matter of at most ${frontMatterCharsMax} characters`)
  // With a line for the dashes, so that errors name the lines of the file.
  const document = parse(`\n${head}`)
  if (document === null) return refused('', 'YAML that is not nested so deep')
  const [error] = document.errors
  if (error) return refused('', `YAML that can be read: ${error.message.split('\n', 1)[0]?.replace(/:$/, '')}`)
  return isMap(document.contents)
    ? fieldsOf(document, body.trim(), (name) => around === undefined || isKnownTool(name, around))
    : refused('', 'front matter with name and description')
}

/** Null: nested so deep that it cannot be read. */
function parse(head: string): Document | null {
  try {
    return parseDocument(head)
  } catch {
    return null
  }
}

function fieldsOf(document: Document, prompt: string, isTool: (name: string) => boolean): ReadFile {
  const values = plain(document)
  if (values === null) return refused('', 'fewer aliases in the YAML')
  if (isDeeper(values, LIMITS.http.jsonDepthMax)) return refused('', 'YAML that is not nested so deep')
  const { name, description, metadata = {}, [ALLOWED_TOOLS]: written, ...others } = values
  if (!isObject(metadata)) return refused('metadata', 'an object')
  const settings = SETTINGS.flatMap((key) =>
    metadata[key] === undefined ? [] : [[key, setting(document, key, metadata[key])]],
  )
  const { version = FIRST_VERSION, ...more } = others
  const own = Object.entries(metadata).filter(([key]) => !KNOWN_SETTINGS.has(key))
  const { tools, isAll } = toolsIn(written, isTool)
  const extra = {
    ...more,
    ...(own.length > 0 ? { metadata: Object.fromEntries(own) } : {}),
    ...(isAll ? {} : { [ALLOWED_TOOLS]: written }),
  }
  return {
    ok: true,
    value: {
      name,
      description,
      prompt,
      version: typeof version === 'number' ? textIn(document, 'version', version) : version,
      ...(Object.keys(extra).length > 0 ? { extra } : {}),
      ...(written === undefined ? {} : { tools }),
      ...Object.fromEntries(settings),
    },
  }
}

/** `version: 1.0` is the text `1.0`; a number, truth value or object may also be written as a text, as the format has it. */
function setting(document: Document, key: string, value: unknown): unknown {
  if (!TEXTS.has(key)) return typeof value === 'string' ? (parseJson(value) ?? value) : value
  const node = document.getIn(['metadata', key], true)
  return typeof value !== 'string' && isScalar(node) ? (node.source ?? String(value)) : value
}

/** A number as it was written. */
function textIn(document: Document, key: string, value: number): string {
  const node = document.get(key, true)
  return isScalar(node) ? (node.source ?? String(value)) : String(value)
}

/** The tools that are meant, as far as they are here; what is no list of names is left to the check. */
function toolsIn(written: unknown, isTool: (name: string) => boolean): { tools: unknown; isAll: boolean } {
  const names = namesIn(written)
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) return { tools: names, isAll: true }
  const { known, unknown } = splitTools(names, isTool)
  return { tools: known, isAll: unknown.length === 0 }
}

/** Null: aliases that multiply. */
function plain(document: Document): Record<string, unknown> | null {
  try {
    const values: unknown = document.toJS({ maxAliasCount: 50 })
    return isObject(values) ? values : {}
  } catch {
    return null
  }
}

function refused(path: string, message: string): ReadFile {
  return { ok: false, issues: [{ path, message }] }
}
