import type { ToolContext } from '../../src/domain/tool.ts'
import { memoryFiles } from '../../src/store/memory-files.ts'

/** What a tool knows of a call, in a session that keeps nothing; a test says what matters to it. */
export function toolContext(given: Partial<ToolContext> = {}): ToolContext {
  return {
    callId: 'call_1',
    home: {},
    sessionId: 'ses_1',
    tenant: 'default',
    user: null,
    by: null,
    language: 'en',
    output: { charsMax: 8_000, linesMax: 500, strategy: 'head_tail' },
    signal: new AbortController().signal,
    trace: async () => null,
    skill: async () => ({ names: [] }),
    skillFile: async () => ({ names: [] }),
    recall: () => null,
    result: () => null,
    answer: null,
    report: () => {},
    tools: [],
    describe: ({ id }) => id,
    files: memoryFiles(),
    tainted: false,
    vision: false,
    barsRedirect: () => null,
    ...given,
  }
}
