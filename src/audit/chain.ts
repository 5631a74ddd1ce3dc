import type { AuditEntry } from '../domain/audit.ts'
import type { StoredEntry } from '../store/audit.ts'
import { canonicalJson, sha256Hex } from '../lib/hash.ts'

/** What the first entry of a tenant follows. */
export const GENESIS = '0'.repeat(64)

/** An entry behind the one with `prevHash`. */
export async function chained(prevHash: string, entry: Omit<AuditEntry, 'prev_hash' | 'hash'>): Promise<AuditEntry> {
  return { ...entry, prev_hash: prevHash, hash: await hashOf(prevHash, entry) }
}

/** Why what is stored cannot be the entry behind `prevHash`; null: it is. */
export async function faultOf({ entry, isFiled }: StoredEntry, prevHash: string): Promise<string | null> {
  if (entry === null) return 'it cannot be read'
  const { prev_hash: before, hash, ...rest } = entry
  if (before !== prevHash) return 'prev_hash is not the hash of the entry before'
  if (hash !== (await hashOf(before, rest))) return 'hash does not fit the entry'
  return isFiled ? null : 'it is not filed by what it says'
}

function hashOf(prevHash: string, entry: object): Promise<string> {
  return sha256Hex(`${prevHash}\n${canonicalJson(entry)}`)
}
