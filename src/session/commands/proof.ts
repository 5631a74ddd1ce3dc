import * as z from 'zod'
import type { Pending } from '../../domain/pending.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { SessionState } from '../../domain/state.ts'
import { callSignature, canonicalJson, sha256Hex } from '../../lib/hash.ts'
import { isObject } from '../../lib/json.ts'
import { branchOf } from '../../log/branches.ts'
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

/** Of what was posted the items that this server gave out to this tenant. */
export async function provenItems(given: readonly unknown[], prover: Prover): Promise<Posted[]> {
  const read = given.flatMap((one) => posted().safeParse(one).data ?? [])
  if (read.length === 0) return []
  const known = await prover.secret()
  const proven = await Promise.all(read.map((item) => known.isProof(PURPOSE, claimOf(item, prover.tenant), item.proof)))
  return read.filter((_, index) => proven[index])
}

/** `now`: Unix ms. */
export function isExpired({ expires_time: until }: Pick<Posted, 'expires_time'>, now: number): boolean {
  return Date.parse(until) <= now
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

/** A hook changed what these calls are made with, and this server asked about them so; the history has them as the model wrote them. */
export async function changedByHooks(
  { run }: Pick<SessionState, 'run'>,
  proven: readonly Posted[],
): Promise<NewEvent[]> {
  const events: NewEvent[] = []
  for (const { id, tool, signature } of run ? branchOf(run, null).calls : []) {
    const item = proven.find(({ call_id: callId }) => callId === id)
    const args = item?.['arguments']
    if (!isObject(args) || callSignature(tool, args) === signature) continue
    if ((await sha256Hex(canonicalJson(args))) !== item?.arguments_hash) continue
    const outcome = { hook: '', phase: 'before', outcome: 'changed', ms: 0 } as const
    events.push({ type: 'tool-hook', scope: null, call_id: id, ...outcome, arguments: args })
  }
  return events
}
