import type { Projections, StreamProjection } from '../session/queries/projection.ts'

/** One that is imported when a session first has a reader of it, and is at hand from then on. */
function later(load: () => Promise<StreamProjection>): { load: () => Promise<StreamProjection> } {
  let loaded: StreamProjection | null = null
  return { load: async () => (loaded ??= await load()) }
}

/** How doors show streams, by the names that they give with a call. */
export const DOOR_STREAMS: Projections['streams'] = {
  'ai-sdk': later(async () => (await import('./ai-sdk/project.ts')).uiChunks),
  'ai-sdk-history': later(async () => (await import('./ai-sdk/history.ts')).uiHistory),
  'openai-chat': later(async () => (await import('./openai/chat/project.ts')).chatChunks),
  'ag-ui': later(async () => (await import('./ag-ui/project.ts')).agUiEvents),
  'openai-response': later(async () => (await import('./openai/responses/project.ts')).responseEvents),
  'openai-response-end': { load: async () => (await import('./openai/responses/input-items.ts')).responseEnd },
  'openai-response-waits': later(async () => (await import('./openai/responses/input-items.ts')).responseWaits),
  'a2a-task': later(async () => (await import('./a2a/project.ts')).taskUpdates),
  'openai-response-input': later(async () => (await import('./openai/responses/input-items.ts')).responseInputs),
  mcp: later(async () => (await import('./mcp/project.ts')).mcpLines),
}
