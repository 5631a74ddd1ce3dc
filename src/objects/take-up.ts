import * as z from 'zod'
import { TAKE_UP } from '../domain/take-up.ts'
import { isSameText } from '../lib/secret.ts'
import type { Env } from './env.ts'
import { report } from './report.ts'

const asked = z.object({ objects: z.array(z.string().regex(/^[0-9a-f]{64}$/)).max(TAKE_UP.sessionsMax) })

/** Whether whoever starts this server again will have it take up what was open. */
export const takesUp = ({ YAA_TAKE_UP: proof }: Env): boolean => !!proof

/** The ids of the directories that have not written yet what sessions reported. */
const reporting = new Set<string>()

export function noteReporting(directory: DurableObjectId, isWaiting: boolean): void {
  if (isWaiting) reporting.add(directory.toString())
  else reporting.delete(directory.toString())
}

/** Answer whoever started this server, who gave it a proof. Null: somebody else asks. */
export async function answerLauncher(request: Request, env: Env, path: string): Promise<Response | null> {
  const proof = request.headers.get('authorization') ?? ''
  if (!env.YAA_TAKE_UP || !isSameText(proof, `Bearer ${env.YAA_TAKE_UP}`)) return null
  if (path === TAKE_UP.path) await takeUpSessions(request, env)
  else await settleReports(env)
  return new Response(null, { status: 204 })
}

/** Have written what sessions reported: this server is about to end. */
async function settleReports({ DIRECTORY: directories }: Env): Promise<void> {
  await Promise.all([...reporting].map((id) => directories.get(directories.idFromString(id)).settle().catch(report)))
}

/** Wake the sessions that were open when the process before this one ended: they go on with their runs, and tell their tenants what these do not
 *  know. They are named by the ids of their objects, which is what a folder of data knows of them. */
async function takeUpSessions(request: Request, env: Env): Promise<void> {
  const { objects } = asked.parse(await request.json())
  for (let from = 0; from < objects.length; from += TAKE_UP.atOnce) {
    const some = objects.slice(from, from + TAKE_UP.atOnce)
    await Promise.all(some.map((id) => takeUp(id, env).catch(report)))
  }
}

/** Rejects where the id is none of a session: whatever lies in the folder keeps no other from being taken up. */
async function takeUp(id: string, { SESSION: sessions }: Env): Promise<void> {
  await sessions.get(sessions.idFromString(id)).takeUp()
}
