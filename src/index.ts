import { DOORS } from './doors/doors.ts'
import { appOf } from './http/app.ts'
import { lateObject } from './objects/late-object.ts'

export default appOf(DOORS)

/** Doors show sessions as our own API does: streams and documents by their names. One more is given here. */
export const SessionObject = lateObject(async () => {
  const [{ sessionObjectOf }, { NATIVE }, { DOOR_STREAMS }] = await Promise.all([
    import('./objects/session-object.ts'),
    import('./http/projections.ts'),
    import('./doors/projections.ts'),
  ])
  return sessionObjectOf({ ...NATIVE, streams: { ...NATIVE.streams, ...DOOR_STREAMS } })
})
export const DirectoryObject = lateObject(async () => (await import('./objects/directory-object.ts')).DirectoryObject)
export const MemoryObject = lateObject(async () => (await import('./objects/memory-object.ts')).MemoryObject)
export const TriggerObject = lateObject(async () => (await import('./objects/trigger-object.ts')).TriggerObject)
export const OutboxObject = lateObject(async () => (await import('./objects/outbox-object.ts')).OutboxObject)
export const McpSessionObject = lateObject(
  async () => (await import('./objects/mcp-session-object.ts')).McpSessionObject,
)
export const AuditObject = lateObject(async () => (await import('./objects/audit-object.ts')).AuditObject)
export const MetricsObject = lateObject(async () => (await import('./objects/metrics-object.ts')).MetricsObject)
