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
    owns: (path) => /^\/v1\/models(\/.+)?$/.test(path),
    load: async () => (await import('./openai/models.ts')).modelsDoor,
  },
]
