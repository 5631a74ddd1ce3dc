import { signal } from '@preact/signals'

/** Whether somebody deleted one: then it is said how to have it back. */
export const hasRemoved = signal(false)

/** Takes sessions out of sight, and deletes them unless that is undone within eight seconds. */
export async function removeSessions(sessions: readonly { id: string; title: string }[]): Promise<void> {
  const { removeAll } = await import('./removal.ts')
  removeAll(sessions)
  hasRemoved.value = true
}
