import { NATIVE } from './http/projections.ts'
import { SessionObject as SessionShell } from './objects/session-object.ts'
import type { Projections } from './session/queries/projection.ts'

export { app as default } from './http/app.ts'
export { AuditObject } from './objects/audit-object.ts'
export { DirectoryObject } from './objects/directory-object.ts'
export { MemoryObject } from './objects/memory-object.ts'
export { OutboxObject } from './objects/outbox-object.ts'
export { MetricsObject } from './objects/metrics-object.ts'
export { TriggerObject } from './objects/trigger-object.ts'

/** How doors show sessions: streams and documents by their names. */
const PROJECTIONS: Projections = NATIVE

export class SessionObject extends SessionShell {
  protected override projections() {
    return PROJECTIONS
  }
}
