import type { Projections } from '../session/queries/projection.ts'

/** How doors show streams, by the names that they give with a call. What shows one is loaded by the session that has a reader of it. */
export const DOOR_STREAMS: Projections['streams'] = {
  'openai-chat': { load: async () => (await import('./openai/chat/project.ts')).chatChunks },
  'openai-response': { load: async () => (await import('./openai/responses/project.ts')).responseEvents },
  'openai-response-input': { load: async () => (await import('./openai/responses/input-items.ts')).responseInputs },
}
