import { DurableObject } from 'cloudflare:workers'
import { Hono } from 'hono'

// What src/cli/serve/config.capnp asks for, empty.
export class SessionObject extends DurableObject {}
export class DirectoryObject extends DurableObject {}
export class MemoryObject extends DurableObject {}
export class TriggerObject extends DurableObject {}
export class OutboxObject extends DurableObject {}
export class AuditObject extends DurableObject {}
export class MetricsObject extends DurableObject {}

/** A Worker of Hono and one route: what a start costs at least. */
export default new Hono().get('/healthz', (c) => c.json({ status: 'ok' }))
