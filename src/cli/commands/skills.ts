import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import { skillFiles } from '../../build/skill-folders.ts'
import type { Client } from '../../client/client.ts'
import type { ListedSkill } from '../../domain/skill.ts'
import { SKILL_FILE_NAME } from '../../skills/folder.ts'
import { filesBeside, readSkillFile } from '../../skills/shipped.ts'
import type { Context } from '../context.ts'
import { EXIT, usageError } from '../exit.ts'
import { connect, type ClientFlags } from '../run/connect.ts'
import type { TerminalTexts } from '../texts.ts'
import { rowLines, widthOf } from '../view/rows.ts'
import { oneLine, visible } from '../view/text.ts'

export interface SkillsFlags extends ClientFlags {
  json?: boolean
}

/** Lists the skills, those that cannot be used with their reasons; or adds folders first. */
export async function skills(context: Context, flags: SkillsFlags, folders: readonly string[]): Promise<number> {
  const found = folders.map((folder) => zipOf(folder, context))
  const { client, close } = await connect(context, { ...flags, kept: folders.length > 0 }, context.texts.language)
  try {
    for (const { name, zip } of found) {
      const added = await client.putSkill(name, zip)
      context.stdout.write(
        `${context.texts.skillAdded(added.name)}\n${warningLines(added.warnings, context.texts).join('')}`,
      )
    }
    return found.length > 0 ? EXIT.ok : await list(client, context, flags)
  } finally {
    await close()
  }
}

async function list(client: Client, { stdout, stderr, texts }: Context, { json }: SkillsFlags): Promise<number> {
  const page = await client.skills()
  const { unusable = [] } = page
  if (json) stdout.write(`${JSON.stringify(page, null, 2)}\n`)
  else if (page.data.length === 0 && unusable.length === 0) stderr.write(`${texts.noSkills}\n`)
  else {
    const lines = rowLines(
      page.data.map((skill) => cellsOf(skill, { stdout, texts })),
      widthOf(stdout),
    )
    for (const [at, line] of lines.entries())
      stdout.write(`${line}\n${warningLines(page.data[at]?.warnings, texts).join('')}`)
    for (const { name, problems } of unusable)
      for (const { path, message } of problems) stdout.write(`${visible(texts.skillLeftOut(name, path, message))}\n`)
  }
  return EXIT.ok
}

/** In words at a terminal, by the names of the API elsewhere. */
const cellsOf = (
  { name, version, source, description }: ListedSkill,
  { stdout, texts }: Pick<Context, 'stdout' | 'texts'>,
) => [visible(name), visible(version), stdout.isTTY ? texts.sources[source] : source, oneLine(description, stdout)]

const warningLines = (warnings: ListedSkill['warnings'] = [], texts: TerminalTexts) =>
  warnings.map(({ path, message }) => `  ! ${visible(texts.told(path, message))}\n`)

/** The folder of a skill, or of its SKILL.md, as the server takes it. */
function zipOf(given: string, { texts }: Context): { name: string; zip: Uint8Array } {
  const isThere = statSync(given, { throwIfNoEntry: false })
  const folder = resolve(isThere?.isDirectory() === false ? dirname(given) : given)
  // Any other folder may be a whole disk.
  const files = existsSync(join(folder, SKILL_FILE_NAME)) ? skillFiles(folder) : { en: '' }
  const read = readSkillFile(files.en)
  if (!read.ok && files.en !== '') {
    const message = read.issues[0]?.message ?? ''
    throw usageError(texts.told(join(folder, SKILL_FILE_NAME), texts.misfit(message) ?? texts.expected(message)))
  }
  const name = read.ok ? read.value['name'] : undefined
  if (typeof name !== 'string') throw usageError(texts.noSkillFile(given))
  const top = basename(folder)
  const all = [{ path: 'SKILL.md', bytes: strToU8(files.en) }, ...filesBeside(files)]
  return { name, zip: zipSync(Object.fromEntries(all.map(({ path, bytes }) => [`${top}/${path}`, bytes]))) }
}
