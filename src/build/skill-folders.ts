import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { decodedText } from '../lib/content-type.ts'
import { isLitter, SKILL_FILE_NAME } from '../skills/folder.ts'
import type { SkillFiles } from '../skills/shipped.ts'

const CHINESE = 'SKILL.zh-CN.md'

/** The module whose folders are skills, and which holds them in a bundle: a Worker cannot list folders. */
export const SKILLS_MODULE = /[\\/]configs[\\/]skills[\\/]index\.ts$/

/** That module as a bundle has it. */
export function skillsModule(folder: string): string {
  return `export const SKILL_FILES = ${JSON.stringify(skillFolders(folder))}`
}

/** Every folder within a folder as a skill, by its name. */
export function skillFolders(folder: string): Record<string, SkillFiles> {
  const names = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? entry.name : []))
  return Object.fromEntries(names.toSorted().map((name) => [name, skillFiles(join(folder, name))]))
}

/** One of them. Links are not followed: a skill is what its folder holds. */
export function skillFiles(folder: string): SkillFiles {
  const paths = readdirSync(folder, { withFileTypes: true, recursive: true })
    .flatMap((entry) => (entry.isFile() ? relative(folder, join(entry.parentPath, entry.name)) : []))
    .map((path) => path.split(sep).join('/'))
    .filter((path) => !isLitter(path))
  const read = (path: string) => readFileSync(join(folder, path), 'utf8')
  const others = paths.filter((path) => path !== SKILL_FILE_NAME && path !== CHINESE)
  return {
    en: paths.includes(SKILL_FILE_NAME) ? read(SKILL_FILE_NAME) : '',
    ...(paths.includes(CHINESE) ? { 'zh-CN': read(CHINESE) } : {}),
    ...(others.length > 0
      ? { files: Object.fromEntries(others.toSorted().map((path) => [path, contentOf(join(folder, path))])) }
      : {}),
  }
}

function contentOf(file: string): string | { base64: string } {
  const bytes = readFileSync(file)
  const text = decodedText(bytes)
  return text?.charset === 'utf-8' ? text.text : { base64: bytes.toString('base64') }
}
