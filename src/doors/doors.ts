import type { Door } from '../http/application.ts'

/** Who speaks to us in a shape of theirs, one line each. What a door is made of is loaded when it is asked. */
export const DOORS: readonly Door[] = [
  {
    owns: (path) => /^\/v1\/chat\/completions$/.test(path),
    load: async () => (await import('./openai/chat/routes.ts')).chatDoor,
  },
  {
    owns: (path) => /^\/v1\/responses(\/.+)?$/.test(path),
    load: async () => (await import('./openai/responses/routes.ts')).responsesDoor,
  },
  {
    owns: (path) => /^\/v1\/ai-sdk\/chat(\/.+)?$/.test(path),
    load: async () => (await import('./ai-sdk/routes.ts')).aiSdkDoor,
  },
  {
    owns: (path) => /^\/v1\/ag-ui(\/.*)?$/.test(path),
    load: async () => (await import('./ag-ui/routes.ts')).agUiDoor,
  },
  {
    owns: (path) => /^\/v1\/models(\/.+)?$/.test(path),
    load: async () => (await import('./openai/models.ts')).modelsDoor,
  },
  {
    owns: (path) => /^\/mcp$|^\/\.well-known\/oauth-protected-resource(\/mcp)?$/.test(path),
    load: async () => (await import('./mcp/routes.ts')).mcpDoor,
  },
  {
    owns: (path) => /^\/a2a\/?$/.test(path),
    load: async () => (await import('./a2a/rpc.ts')).rpcDoor,
  },
  {
    owns: (path) => path.startsWith('/a2a/v1/'),
    load: async () => (await import('./a2a/rest.ts')).restDoor,
  },
  {
    owns: (path) => path === '/.well-known/agent-card.json',
    load: async () => (await import('./a2a/card.ts')).cardDoor,
  },
]
