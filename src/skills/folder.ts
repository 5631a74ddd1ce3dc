import type { InputIssue } from '../domain/errors.ts'
import { filePath } from '../domain/file.ts'
import { LIMITS } from '../domain/limits.ts'
import type { SkillFile } from '../domain/skill.ts'
import { decodedText } from '../lib/content-type.ts'
import { byteSize } from '../lib/text.ts'
import { type ZipEntry, zipEntries } from '../lib/unzip.ts'

/** A file of a skill's folder with its bytes. */
export interface FolderFile {
  path: string
  bytes: Uint8Array
}

/** The folder of a skill: its SKILL.md, and what lies beside it, by path. */
export interface SkillFolder {
  text: string
  files: readonly FolderFile[]
}

export type ReadFolder = { ok: true; folder: SkillFolder } | { ok: false; issues: InputIssue[] }

export const SKILL_FILE_NAME = 'SKILL.md'

/** What the systems of authors leave in folders and zips. */
const LITTER = /(?:^|\/)(?:__MACOSX|\.git|node_modules|__pycache__)(?:\/|$)|(?:^|\/)(?:\.DS_Store|Thumbs\.db|\._[^/]*)$/

/** The folder of a skill as a zip: SKILL.md at its top, or in the one folder that holds all. */
export async function readZip(zip: Uint8Array): Promise<ReadFolder> {
  const entries = zipEntries(zip, LIMITS.skill.zipEntriesMax)
  if (entries === null && !beginsAsZip(zip))
    return refused('', `a zip of the folder of a skill, or its ${SKILL_FILE_NAME} alone: this file is neither`)
  if (entries === null) return refused('', `a zip that is whole, of at most ${LIMITS.skill.zipEntriesMax} entries`)
  const own = entries.filter(({ isFolder, name }) => !isFolder && !LITTER.test(name))
  const top = topOf(own.map(({ name }) => name))
  if (top === null) return refused('', `a zip with a ${SKILL_FILE_NAME} at its top, or in its one folder`)
  const problem = problemOf(own, top)
  if (problem) return { ok: false, issues: [problem] }
  const files: FolderFile[] = []
  for (const entry of own) {
    const bytes = await entry.read()
    if (bytes === null) return refused(entry.name, 'a file that can be unpacked (stored or deflated, not encrypted)')
    files.push({ path: entry.name.slice(top.length), bytes })
  }
  return folderOf(files)
}

/** Source: APPNOTE.TXT 6.3.10, 4.3.7 and 4.3.16: what a zip begins with, empty or not. */
const beginsAsZip = ([first, second]: Uint8Array) => first === 0x50 && second === 0x4b

/** The folder that holds all, with its slash; empty: none does. Null: there is no SKILL.md where it has to be. */
function topOf(names: readonly string[]): string | null {
  if (names.includes(SKILL_FILE_NAME)) return ''
  const [first = ''] = names
  const top = first.slice(0, first.indexOf('/') + 1)
  return top !== '' && names.includes(top + SKILL_FILE_NAME) && names.every((name) => name.startsWith(top)) ? top : null
}

/** Why a zip is not unpacked, by what it says of itself. */
function problemOf(entries: readonly ZipEntry[], top: string): InputIssue | null {
  const link = entries.find(({ isLink }) => isLink)
  if (link) return { path: link.name, message: 'a file, not a link' }
  return sizeProblem(entries.map(({ name, size }) => ({ path: name.slice(top.length), size })))
}

function sizeProblem(files: readonly { path: string; size: number }[]): InputIssue | null {
  const { filesMax, folderBytesMax, folderFileBytesMax } = LIMITS.skill
  if (files.length > filesMax + 1) return { path: '', message: `at most ${filesMax} files beside ${SKILL_FILE_NAME}` }
  const large = files.find(({ size }) => size > folderFileBytesMax)
  if (large) return { path: large.path, message: `a file of at most ${byteSize(folderFileBytesMax)}` }
  const total = files.reduce((sum, { size }) => sum + size, 0)
  return total > folderBytesMax ? { path: '', message: `files of at most ${byteSize(folderBytesMax)} together` } : null
}

/** The folder that these files are, `SKILL.md` among them. Paths keep to it, each stands there once, and all of it is bounded. */
export function folderOf(given: readonly FolderFile[]): ReadFolder {
  const problem = sizeProblem(given.map(({ path, bytes }) => ({ path, size: bytes.byteLength })))
  if (problem) return { ok: false, issues: [problem] }
  const files = new Map<string, Uint8Array>()
  for (const { path: written, bytes } of given) {
    const checked = filePath(written)
    if (!checked.ok || files.has(checked.path))
      return refused(written, 'a relative path within the folder of the skill, once')
    files.set(checked.path, bytes)
  }
  const main = files.get(SKILL_FILE_NAME)
  const text = main && decodedText(main)?.text
  if (text === undefined) return refused(SKILL_FILE_NAME, 'a text in UTF-8')
  files.delete(SKILL_FILE_NAME)
  const others = Array.from(files, ([path, bytes]) => ({ path, bytes }))
  return { ok: true, folder: { text, files: others.toSorted((a, b) => (a.path < b.path ? -1 : 1)) } }
}

/** What a skill says of its files. */
export function listed(files: readonly FolderFile[]): SkillFile[] {
  return files.map(({ path, bytes }) => ({
    path,
    size: bytes.byteLength,
    text: decodedText(bytes) !== null,
  }))
}

export const isLitter = (path: string): boolean => LITTER.test(path)

function refused(path: string, message: string): ReadFolder {
  return { ok: false, issues: [{ path, message }] }
}
