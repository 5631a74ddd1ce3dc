import type { Projections, StreamProjection } from '../session/queries/projection.ts'

/** One that is imported when a session first has a reader of it, and is at hand from then on. */
function later(load: () => Promise<StreamProjection>): { load: () => Promise<StreamProjection> } {
  let loaded: StreamProjection | null = null
  return { load: async () => (loaded ??= await load()) }
}

/** How doors show streams, by the names that they give with a call. */
export const DOOR_STREAMS: Projections['streams'] = {
  'openai-chat': later(async () => (await import('./openai/chat/project.ts')).chatChunks),
  'openai-response': later(async () => (await import('./openai/responses/project.ts')).responseEvents),
  'openai-response-end': { load: async () => (await import('./openai/responses/input-items.ts')).responseEnd },
  'openai-response-input': later(async () => (await import('./openai/responses/input-items.ts')).responseInputs),
}
