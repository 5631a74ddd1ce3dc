import * as z from 'zod'
import type { Pending } from '../../domain/pending.ts'
import { canonicalJson } from '../../lib/hash.ts'
import type { Secret } from '../../lib/secret.ts'
import { onDemand } from '../../lib/shape.ts'

/** What a proof is kept under: it proves nothing of what is marked for others. */
const PURPOSE = 'pending item of a session that its caller keeps'

/** Of a posted item so much is looked at; whatever else it says may be forged. */
const posted = /* @__PURE__ */ onDemand(() =>
  z.looseObject({
    type: z.string(),
    call_id: z.string(),
    tool: z.string(),
    arguments_hash: z.string().optional(),
    expires_time: z.iso.datetime(),
    proof: z.string().max(200),
  }),
)
type Posted = z.infer<ReturnType<typeof posted>>

/** Who gives items out and knows them again. */
export interface Prover {
  tenant: string
  secret: () => Promise<Secret>
}

/** Items as they are given out: each with the proof that this server asked about this very call. */
export async function withProofs(items: readonly Pending[], { tenant, secret }: Prover): Promise<Pending[]> {
  if (items.length === 0) return []
  const known = await secret()
  return Promise.all(items.map(async (item) => ({ ...item, proof: await known.proof(PURPOSE, claimOf(item, tenant)) })))
}

/** Of what was posted the items that this server gave out to this tenant, and whose time is not over. `now`: Unix ms. */
export async function provenItems(given: readonly unknown[], prover: Prover, now: number): Promise<Posted[]> {
  const read = given.flatMap((one) => posted().safeParse(one).data ?? [])
  const current = read.filter((item) => Date.parse(item.expires_time) > now)
  if (current.length === 0) return []
  const known = await prover.secret()
  const proven = await Promise.all(
    current.map((item) => known.isProof(PURPOSE, claimOf(item, prover.tenant), item.proof)),
  )
  return current.filter((_, index) => proven[index])
}

/** Whether one of the proven items is about this call, with these arguments. A history may say no id of a call (seed 001): there the tool and
 *  its arguments are what was asked about. */
export function isProven(item: Pending, proven: readonly Posted[], hasIds: boolean): boolean {
  return proven.some(
    ({ type, call_id: call, tool, arguments_hash: hash }) =>
      type === item.type && (call === item.call_id || !hasIds) && tool === item.tool && hash === item.arguments_hash,
  )
}

interface Claim {
  type: string
  call_id?: string | undefined
  tool?: string | undefined
  arguments_hash?: string | undefined
  expires_time: string
}

function claimOf(
  { type, call_id: call, tool, arguments_hash: hash, expires_time: until }: Claim,
  tenant: string,
): string {
  return canonicalJson([tenant, type, call ?? null, tool ?? null, hash ?? null, until])
}
