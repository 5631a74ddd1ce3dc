import { withHiddenShown } from '../../lib/hidden-characters.ts'
import { nameAsWords } from '../../lib/text.ts'
import { texts } from '../language.ts'
import type { CallItem } from './item.ts'

const CHARS_MAX = 80

/** Of which argument a tool's line speaks; empty: of none. */
const SPEAKS_OF: Readonly<Record<string, string>> = {
  ask: 'question',
  ask_form: 'question',
  web_access: 'url',
  web_search: 'query',
  http_request: 'url',
  read_file: 'path',
  write_file: 'path',
  edit_file: 'path',
  delete_file: 'path',
  list_files: '',
  read_result: '',
  read_skill_file: 'path',
  task_status: '',
  cancel_task: 'task_id',
  plan_notes: '',
  rethink: '',
  wait: '',
  search_files: 'query',
  use_skill: 'name',
  find_tools: 'query',
  delegate: 'task',
  remember: 'key',
  recall: 'query',
  forget: 'key',
}

/** What a call does, or did, in words for a person; null: its tool has none. */
export function stepWords({
  tool,
  arguments: args,
  status,
}: Pick<CallItem, 'tool' | 'arguments' | 'status'>): string | null {
  const field = Object.hasOwn(SPEAKS_OF, tool) ? SPEAKS_OF[tool] : undefined
  const words = texts().steps[tool]
  if (field === undefined || !words) return null
  const value = field === '' ? '' : args[field]
  if (typeof value !== 'string') return null
  const [does, did] = words
  const what = withHiddenShown(field === 'url' ? placeOf(value) : value).slice(0, CHARS_MAX)
  return (status === 'ok' ? did : does).replace('{}', () => what)
}

/** An address as one would say it. */
function placeOf(address: string): string {
  if (!URL.canParse(address)) return address
  const { host, pathname, search } = new URL(address)
  return host + (pathname === '/' ? '' : pathname) + search
}

/** What an argument is called for a person: of our own tools in the language of the page, else its name as words. */
export function argumentWords(tool: string | undefined, name: string): string {
  const { given } = texts()
  const known =
    tool !== undefined && Object.hasOwn(SPEAKS_OF, tool) && Object.hasOwn(given, name) ? given[name] : undefined
  return known ?? withHiddenShown(nameAsWords(name))
}
