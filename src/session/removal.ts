import { ok, type Result } from '../domain/errors.ts'
import { sleep } from '../lib/sleep.ts'
import type { Driver } from './driving/drive.ts'
import type { Journal } from './journal.ts'
import type { SessionPorts } from './ports.ts'
import { spentIn } from './telling/publish.ts'
import type { Runs } from './driving/runs.ts'
import { tellOutbox } from './telling/tell.ts'

/** Forget everything of a session; runs in it are cancelled first, so that whoever waits is told. What the list was being told
 *  meanwhile must not bring the session back there; whoever watches has a turn to read the end. */
export async function removeSession(
  journal: Journal,
  ports: SessionPorts,
  driver: Driver,
  runs: Runs,
): Promise<Result<null>> {
  const { id, tenant } = journal.record
  const { directory, outbox } = ports
  runs.endAll()
  const since = await directory.remove(tenant, id, spentIn(journal))
  runs.endAll()
  await tellOutbox(journal, ports, since)
  const spent = spentIn(journal)
  const listed = driver.listed()
  journal.forget()
  await sleep(0)
  ports.log.clear()
  await ports.destroy()
  await listed
  await directory.remove(tenant, id, spent)
  if (since !== null) await outbox?.forget(tenant, id)
  return ok(null)
}
