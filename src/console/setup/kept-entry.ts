import { objectOf } from '../object-of.ts'

/** Fields that hold secrets, at any depth of an entry. */
const SECRET = ['secret', 'client_secret', 'api_key', 'headers', 'authorization']
const NAMES_SECRET = new RegExp(`"(${SECRET.join('|')})"`)

/** What of an entry that is being written the browser may keep: all but its secrets. Of text that is no JSON yet and may hold one,
 *  nothing. */
export function keptEntry(text: string): string {
  if (!NAMES_SECRET.test(text)) return text
  const entry = objectOf(text)
  const withoutSecrets = (name: string, value: unknown) => (SECRET.includes(name) ? undefined : value)
  return entry ? JSON.stringify(entry, withoutSecrets, 2) : ''
}
