/** All that speaks with servers, and the SDK under it. `registry.ts` loads it when the first server is spoken to: evaluating its schemas
 *  takes a twelfth of the start of an isolate, and many isolates never need them. */
export { callTool } from './call.ts'
export { withConnection } from './connections.ts'
export { mcpFailureOf, isUnauthorised } from './sdk-failure.ts'
export { OAuthProvider } from './oauth-provider.ts'
export { probeServer } from './probe.ts'
