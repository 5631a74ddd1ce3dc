import * as z from 'zod'
import { count, onDemand, type ShapeOf } from '../lib/shape.ts'

const MINUTE = 60_000

export const AUDIT_LIMITS = {
  /** Entries of refusals that a tenant gets in a minute; the rest are counted. */
  refusalsPerMinuteMax: 30,
  /** Whoever acts has so long to tell how it ended; then the entry says that nobody knows. */
  openMsMax: 15 * MINUTE,
  /** Acts without an end that are looked at, and old entries that are removed, at a time. */
  sealedPerCallMax: 100,
  expiredPerCallMax: 100,
  /** Entries of one step of a walk along the chain, and steps that one request takes. */
  entriesPerStep: 500,
  stepsPerRequestMax: 200,
  /** Acts that a session tells at a time. */
  actsPerReportMax: 100,
  /** Reports that the directory brings to the audit at a time, and how long one waits for others. */
  reportsPerStepMax: 200,
  reportMsMax: 1_000,
  retentionDays: 400,
  /** Entries after which a part of the audit is full. A month ends one too. */
  entriesPerPartMax: 50_000,
  /** Names of changed fields in one entry, and the characters of one and of a target. */
  fieldsMax: 50,
  fieldCharsMax: 100,
  targetCharsMax: 300,
} as const

/** Who acts: an API key, a signed link, a token, a webhook or schedule, or the server itself. `local`: this machine, when a
 *  server could be without a key. */
export const auditActor = z.strictObject({
  kind: z.enum(['key', 'link', 'jwt', 'trigger', 'local', 'server']),
  id: z.string(),
})
export type AuditActor = z.infer<typeof auditActor>

/** `interrupted`: the process died before it could tell; it may be done or not. */
const auditOutcome = z.enum(['done', 'refused', 'failed', 'interrupted'])

/** What happened. Names, ids and hashes; never content. `target`: id of what was acted upon. `status`: of the HTTP answer. */
const auditFact = z.strictObject({
  actor: auditActor,
  action: z.string().regex(/^[a-z_]+\.[a-z_]+$/),
  target: z.string().nullable(),
  outcome: auditOutcome,
  status: z.int().nullable(),
  request_id: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
})
export type AuditFact = z.infer<typeof auditFact>

/** A fact with what names it: what a command did, as the log of its session keeps it until the audit has it. */
const auditAct = auditFact.extend({ id: z.string(), time: z.iso.datetime() })
export type AuditAct = z.infer<typeof auditAct>

/** A fact in its place in the chain. `hash`: lower-case hex SHA-256 of `prev_hash`, a line feed, and the canonical JSON (keys
 *  sorted, no white space) of the entry without `prev_hash` and `hash`. */
export const auditEntry = auditAct.extend({ prev_hash: z.string(), hash: z.string() })
export type AuditEntry = z.infer<typeof auditEntry>

/** What a human decided, as it is told to the audit. */
export interface Decided {
  pending_id: string
  decision: string
  tool?: string
  /** Of the arguments that were shown. */
  arguments_hash?: string
}

/** Whether the chain is whole. `next_cursor` null: all of it was walked. */
export const auditVerification = /* @__PURE__ */ onDemand(() =>
  z.object({
    object: z.literal('audit.verification'),
    ok: z.boolean(),
    checked: count(),
    /** Entries that the retention took away before the first that is there. */
    expired: count(),
    broken: z.object({ id: z.string(), reason: z.string() }).nullable(),
    head: z.object({ id: z.string(), hash: z.string() }).nullable(),
    next_cursor: z.string().nullable(),
  }),
)
export type AuditVerification = ShapeOf<typeof auditVerification>

/** How far a walk along the chain came. `seq`: the last entry that was looked at. */
export interface Walked {
  seq: number
  checked: number
  /** Entries that were there before the first: age took them, says who keeps the file. */
  expired: number
  broken: { id: string; reason: string } | null
  done: boolean
  head: { id: string; hash: string } | null
}
