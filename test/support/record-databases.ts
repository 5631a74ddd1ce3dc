// `node test/support/record-databases.ts NAME`: has the real server fill one object of each kind, and keeps their databases as
// test/contract/databases/NAME.json. Run it with the code of a release, so that what came later can be tried on its data.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath, URL } from 'node:url'
import type { RecordedDatabase } from './recorded-database.ts'
import { openStage } from './record/stage.ts'

const FOLDER = fileURLToPath(new URL('../contract/databases/', import.meta.url))
const USER = 'recorded'
const [name] = process.argv.slice(2)
if (name === undefined) throw new Error('the name of the release is missing')

const { stage, dataFolder, close } = await openStage()
await fill()
const objects = Object.fromEntries(readdirSync(dataFolder).flatMap((kind) => objectOf(kind)))
await close()
/** What waits for a decision still does when the record is read. */
const text = JSON.stringify(objects, null, 1).replaceAll(/(?<=expires_time\\": ?\\")\d{4}/g, '2100')
mkdirSync(FOLDER, { recursive: true })
writeFileSync(`${FOLDER}${name}.json`, `${text}\n`)

/** Something of everything that a tenant keeps. The last session waits for a decision, with a file of its own. */
async function fill(): Promise<void> {
  const skill = { name: 'reader', version: '1', description: 'Reads.', prompt: 'Read well.', worker: true }
  await stage.post('/v1/skills', skill)
  await stage.post('/v1/keys', { name: 'ci', scopes: ['read', 'run'], limits: { requests_per_minute: 60 } })
  await stage.post('/v1/mcp-servers', { name: 'docs', url: 'https://mcp.example/mcp', enabled: false })
  await stage.post('/v1/schedules', { name: 'nightly', task: 'Read', cron: '0 3 * * *', timezone: 'UTC' })
  await stage.post('/v1/webhooks', {
    name: 'push',
    scheme: 'bearer',
    secret: 'x'.repeat(32),
    task_template: '{{body.a}}',
  })
  await stage.post('/v1/callbacks', { url: 'https://hooks.example/yaa', events: ['approval.requested'] })
  await stage.put(`/v1/users/${USER}/memory/preferences/tone`, { value: 'brief' })
  const args = { url: stage.page('a') }
  const finish = { content: null, tool_calls: [{ name: 'finish', arguments: { reason: 'The answer.' } }] }
  const read = { content: 'I read.', tool_calls: [{ name: 'web_access', arguments: args }] }
  await stage.open([finish, read])
  const input = { user: USER, config: { language: 'en', llm: { protocol: 'native' } } } as const
  const { id } = await stage.client.sessions.create({ ...input, title: 'A session' })
  await stage.post(`/v1/sessions/${id}/messages`, { content: 'Answer' }, { 'idempotency-key': 'recorded' })
  await stage.client.files.put(id, 'notes/a.md', '# Notes\n')
  await stage.post(`/v1/sessions/${id}/links`, { scope: 'read' })
  await stage.post(`/v1/sessions/${id}/messages`, { content: 'Read the page' })
}

/** Of a kind's objects that with the most in it, by the name of its class. */
function objectOf(kind: string): [string, RecordedDatabase][] {
  const folder = join(dataFolder, kind)
  const files = readdirSync(folder).filter((file) => file.endsWith('.sqlite') && !file.startsWith('metadata'))
  const all = files.map((file) => databaseIn(join(folder, file)))
  const [fullest] = all.toSorted((a, b) => rowCount(b) - rowCount(a))
  return fullest ? [[kind.replace('yaa-', '').toLowerCase(), fullest]] : []
}

function rowCount({ rows }: RecordedDatabase): number {
  return Object.values(rows).flat().length
}

/** What the platform keeps for itself is left out, and so is the index of a full-text search, which shows no rows. */
function databaseIn(path: string): RecordedDatabase {
  const db = new DatabaseSync(path)
  const made = db
    .prepare(
      "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY rowid",
    )
    .all()
    .map(({ name: of, sql }) => ({ of: String(of), sql: String(sql) }))
  const searches = made.filter(({ sql }) => sql.startsWith('CREATE VIRTUAL')).map(({ of }) => of)
  const own = made.filter(({ of }) => !searches.some((search) => of.startsWith(`${search}_`)))
  const tables = own.filter(({ of, sql }) => sql.startsWith('CREATE TABLE') && !searches.includes(of))
  const rows = tables.map(({ of }) => [of, db.prepare(`SELECT * FROM ${of}`).all().map(plain)] as const)
  db.close()
  return { made: own.map(({ sql }) => sql), rows: Object.fromEntries(rows) }
}

function plain(row: Record<string, unknown>): RecordedDatabase['rows'][string][number] {
  const values = Object.entries(row).map(([column, value]) => [
    column,
    value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value,
  ])
  return Object.fromEntries(values)
}
