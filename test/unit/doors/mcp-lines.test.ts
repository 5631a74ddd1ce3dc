import { describe, test } from 'vitest'
import { mcpLines, type McpView } from '../../../src/doors/mcp/project.ts'
import type { SessionEvent } from '../../../src/domain/event.ts'
import { NO_USAGE } from '../../../src/domain/usage.ts'
import type { StreamAbout } from '../../../src/session/queries/projection.ts'

const OF_RUN = { time: '2026-11-23T00:00:00.000Z', run_id: 'run_1', scope: null } as const
const TURN: SessionEvent = { ...OF_RUN, seq: 5, type: 'iteration-start', iteration: 2 }
const END: SessionEvent = {
  ...OF_RUN,
  seq: 7,
  type: 'run-end',
  status: 'completed',
  finish_reason: 'completed',
  result: 'Done.',
  usage: NO_USAGE,
  error: null,
}
const file = (seq: number, path: string, run = 'run_1', action: 'write' | 'delete' = 'write'): SessionEvent => {
  return { ...OF_RUN, run_id: run, seq, type: 'file', action, path, size: seq }
}

interface Line {
  type: string
  files?: { path: string }[]
}

/** What a reader is told of these events. `before`: what the log has of files beside. */
function told(view: McpView, events: readonly SessionEvent[], before: readonly SessionEvent[] = []): Line[] {
  const about: StreamAbout = {
    sessionId: 'ses_1',
    runId: 'run_1',
    options: view,
    language: () => 'en',
    head: () => {
      throw new Error('nothing waits')
    },
    isStructured: false,
    file: () => null,
    reply: () => ({ isAnswer: false, toolNames: [] }),
    past: () => before,
    kept: () => ({}),
  }
  const frames = mcpLines(about)
  const lines = events.flatMap((event) => frames.of({ id: String(event.seq), event }))
  return lines.map((line) => JSON.parse(line) as Line)
}

const VIEW = { after: null, language: 'en' } as const
const types = (lines: readonly Line[]) => lines.map(({ type }) => type)

describe('lines of a run for MCP', () => {
  test('tell of progress', ({ expect }) => {
    expect(types(told(VIEW, [TURN, END]))).toEqual(['begun', 'progress', 'rest'])
  })

  test('tell a reader who did not ask for progress of none', ({ expect }) => {
    expect(types(told({ ...VIEW, isSilent: true }, [TURN, END]))).toEqual(['begun', 'rest'])
  })

  test('name all files of the run to a reader who came when it had written some', ({ expect }) => {
    const before = [
      file(1, 'other.txt', 'run_0'),
      file(2, 'a.txt'),
      file(3, 'b.txt'),
      file(4, 'b.txt', 'run_1', 'delete'),
    ]
    const lines = told(VIEW, [TURN, file(6, 'c.txt'), END], [...before, file(6, 'c.txt')])
    expect(lines.at(-1)?.files?.map(({ path }) => path)).toEqual(['a.txt', 'c.txt'])
  })
})
