import * as z from 'zod'
import { sessionConfig } from '../../domain/config.ts'
import { message } from '../../domain/message.ts'
import { pending } from '../../domain/pending.ts'
import { type SessionData, sessionSummary } from '../../domain/session.ts'
import { usage } from '../../domain/usage.ts'
import { count } from '../../lib/shape.ts'
import { plan, team } from './parts.ts'
import { waitingView } from '../../domain/link.ts'

/** Answers of sessions and of runs in them. */

export const sessionData = z.object({
  ...sessionSummary().shape,
  config: sessionConfig,
  result: z.string().nullable(),
  messages: z.array(message()),
  pending: z.array(pending()),
  usage: usage(),
  plan: plan.exactOptional(),
  team: team.exactOptional(),
  last_seq: count(),
  etag: z.string(),
}) satisfies z.ZodType<SessionData>

/** What the holder of a link sees: the session, or what waits for a decision. */
export const linkView = z.union([sessionData, waitingView()])

/** What is told at once of a run in the background. */
export const runAccepted = z.object({ session_id: z.string(), run_id: z.string().nullable() })

/** A page of a list. */
export const listOf = <T extends z.ZodType>(entry: T) =>
  z.object({ object: z.literal('list'), data: z.array(entry), next_cursor: z.string().nullable() })
