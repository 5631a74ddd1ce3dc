import { newSecretText, Secret } from '../lib/secret.ts'
import type { Database } from '../store/database.ts'
import { makeForUse, schemaOf } from '../store/migrate.ts'
import { directoryObject, type Env } from './env.ts'

/** Names the object that keeps the secret of a server; no tenant has such a name. */
const KEEPER = '.secret'

let known: { given: string | undefined; secret: Secret } | null = null

/** The server's secret: that of the environment, else the one that an object keeps, which is asked once an isolate. */
export async function secretOf(env: Env): Promise<Secret> {
  const given = env.YAA_SECRET || undefined
  if (known?.given !== given) known = null
  known ??= { given, secret: new Secret(given ?? (await directoryObject(env, KEEPER).serverSecret())) }
  return known.secret
}

const SECRET_SCHEMA = schemaOf(['CREATE TABLE IF NOT EXISTS server_secret (text TEXT NOT NULL);'])

/** The secret that a database keeps; it is made the first time. */
export function readSecret(db: Database): string {
  return db.transaction(() => {
    makeForUse(db, SECRET_SCHEMA)
    const kept = db.first<{ text: string }>('SELECT text FROM server_secret')
    if (kept) return kept.text
    const text = newSecretText()
    db.all('INSERT INTO server_secret (text) VALUES (?)', text)
    return text
  })
}
