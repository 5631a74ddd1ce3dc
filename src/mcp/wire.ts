/** All that speaks with servers, and the SDK under it: loaded when the first server is spoken to (`registry.ts`), since to evaluate
 *  its schemas takes a twelfth of the start of an isolate that may never need them. */
export { callTool } from './call.ts'
export { withConnection } from './connections.ts'
export { mcpFailureOf, isUnauthorised } from './sdk-failure.ts'
export { OAuthProvider } from './oauth-provider.ts'
export { probeServer } from './probe.ts'
