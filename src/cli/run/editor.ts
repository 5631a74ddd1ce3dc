import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Standard input and error are the terminal; standard output may be a file. */
const TERMINAL = [0, 2, 2]
/** What npm puts into EDITOR where nobody named one. */
const NPM_EDITOR = 'vi'
let open = 0

/** The editor that a person named; undefined: none. npm gives what it runs an EDITOR in any case, and tells its version beside it. */
export function namedEditor(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const { VISUAL: visual, EDITOR: editor, npm_config_npm_version: npm, npm_config_editor: ofNpm } = env
  const isOfNpm = npm !== undefined && !ofNpm && editor === NPM_EDITOR
  return visual || (isOfNpm ? undefined : editor) || undefined
}

/** Whether an editor has the terminal. */
export const isEditing = (): boolean => open > 0

/** A text as a person leaves it in an editor (`$VISUAL` or `$EDITOR`, a line of shell); null: the editor failed, or nothing is left. */
export async function inEditor(editor: string, text: string, name: string): Promise<string | null> {
  const folder = mkdtempSync(join(tmpdir(), 'yaa-'))
  const file = join(folder, name.replaceAll(/[^\w.-]/g, '_'))
  open++
  try {
    writeFileSync(file, `${text}\n`, { mode: 0o600 })
    const code = await ended(editor, file)
    const left = code === 0 ? readFileSync(file, 'utf8').trim() : ''
    return left === '' ? null : left
  } finally {
    open--
    rmSync(folder, { recursive: true, force: true })
  }
}

function ended(editor: string, file: string): Promise<number | null> {
  const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: TERMINAL })
  return new Promise((done) => {
    child.once('error', () => done(null))
    child.once('exit', done)
  })
}
