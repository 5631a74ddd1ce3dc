import { wholeApplication } from '../../../src/http/routes.ts'
import { NATIVE } from '../../../src/http/projections.ts'
import { sessionObjectOf } from '../../../src/objects/session-object.ts'
import { greetings } from './greetings.ts'
import { plain, plainText } from './plain.ts'

/** The Worker with one resource, one door and its projection more: a line each. */
export default wholeApplication([
  ['/v1/greetings', greetings],
  ['/v1/plain', plain],
])

export {
  AuditObject,
  DirectoryObject,
  McpSessionObject,
  MemoryObject,
  MetricsObject,
  OutboxObject,
  TriggerObject,
} from '../../../src/index.ts'

export const SessionObject = sessionObjectOf({
  ...NATIVE,
  streams: { ...NATIVE.streams, plain: { load: async () => plainText } },
})
