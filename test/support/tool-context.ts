import type { ToolContext } from '../../src/domain/tool.ts'

/** What a tool knows of a call, in a session that keeps nothing; a test says what matters to it. */
export function toolContext(given: Partial<ToolContext> = {}): ToolContext {
  return {
    callId: 'call_1',
    sessionId: 'ses_1',
    tenant: 'default',
    user: null,
    language: 'en',
    task: '',
    signal: new AbortController().signal,
    recall: () => null,
    result: () => null,
    ...given,
  }
}
