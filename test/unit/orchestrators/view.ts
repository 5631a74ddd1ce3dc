import type { ModelFailure } from '../../../src/domain/model.ts'
import { MAIN, newBranch, newState, type OpenCall, type RunState, type BranchState } from '../../../src/domain/state.ts'
import { NO_USAGE } from '../../../src/domain/usage.ts'
import { decideAgent } from '../../../src/orchestrators/agent/index.ts'
import { WHOLE } from '../../../src/orchestrators/all.ts'
import type { Move, RunView } from '../../../src/engine/move.ts'

export const LIMITS: RunView['limits'] = {
  maxIterations: 8,
  maxIterationsTotal: 200,
  errorsInARowMax: 16,
  repeatsMax: 3,
  deadlineMs: null,
  taskTimeoutMs: null,
  attemptsMax: 3,
  answerRetriesMax: 2,
  maxPlanRounds: 15,
  maxParallelTasks: 3,
}

export const ASSIGNMENT: ReturnType<RunView['assignment']> = { finish: 'tool', toolTurnsMax: null, toolCallsMax: null }

export interface Case {
  run?: Partial<RunState>
  scope?: Partial<BranchState>
  limits?: Partial<RunView['limits']>
  view?: Partial<RunView>
}

/** A run in which nothing has happened yet. */
export function newRun(more: Partial<RunState> = {}): RunState {
  return {
    id: 'run_1',
    orchestrator: 'agent',
    phase: 'active',
    mode: 'request',
    status: 'in_progress',
    finishReason: null,
    firstSeq: 1,
    iterations: 0,
    batchIterations: 0,
    worker: null,
    activeMs: 0,
    activeSince: 0,
    failure: null,
    overflowed: false,
    usage: NO_USAGE,
    charged: { tokens: 0, costs: [] },
    endSeq: 0,
    error: null,
    endedBy: null,
    protocol: null,
    toolsUsed: [],
    scopes: { [MAIN]: newBranch() },
    ...more,
  }
}

/** A view of a run; what is not said is as in a session without config. */
export function viewOf(run: RunState, limits: Partial<RunView['limits']> = {}, view: Partial<RunView> = {}): RunView {
  const whole: RunView = {
    run,
    state: { ...newState(0), run },
    record: { config: {} },
    limits: { ...LIMITS, ...limits },
    activeMs: 0,
    inFlight: new Set(),
    permission: (call) => (call.tool === 'web_access' && !call.approval ? 'ask' : 'allow'),
    assignment: () => ASSIGNMENT,
    promptTakesTime: () => false,
    mustLoadMemory: false,
    mustCompact: () => false,
    hookFor: () => null,
    isIdempotent: (call) => call.tool !== 'pay',
    sequential: (call) => call.tool.endsWith('_file'),
    isQuestion: (call) => call.tool === 'ask',
    movesForCall: () => null,
    beside: () => null,
    movesIn: (name, branch) => WHOLE.get(name).movesIn?.(branch, whole) ?? [],
    ...view,
  }
  return whole
}

export function decide({ run, scope, limits, view }: Case): Move[] {
  const state = newRun({ scopes: { [MAIN]: { ...newBranch(), ...scope } }, ...run })
  return decideAgent(viewOf(state, limits, view))
}

export const openCall = (id: string, tool: string, more: Partial<OpenCall> = {}): OpenCall => ({
  id,
  tool,
  status: 'open',
  attempt: 0,
  problem: null,
  feedback: null,
  edited: null,
  approval: null,
  expired: false,
  signature: `${tool}()`,
  unseen: false,
  ...more,
})

export const APPROVED: Partial<OpenCall> = {
  status: 'approved',
  approval: { by: { kind: 'key', id: 'ops' }, signature: '' },
}

export const LAST = {
  task: { messageId: 'm', role: 'user', kind: 'task' },
  prompt: { messageId: 'm', role: 'system', kind: 'prompt' },
  warning: { messageId: 'm', role: 'system', kind: 'warning' },
  reply: { messageId: 'm', role: 'assistant', kind: 'reply' },
  result: { messageId: 'm', role: 'tool', kind: 'tool_result' },
  summary: { messageId: 'm', role: 'system', kind: 'summary' },
} as const satisfies Record<string, BranchState['last']>

export const model = { messageId: 'm', alias: 'a', reserved: { tokens: 1, cost: null } }
export const failure: ModelFailure = {
  code: 'model_unavailable',
  status: 500,
  detail: '',
  retryable: true,
  retryAfterMs: null,
  toolsRefused: false,
}
export const noTool = { code: 'no_tool_called' } as const
export const callModel = (attempt = 1) => ({ type: 'call-model', scope: null, key: 'model:', attempt })
export const callTool = (callId: string, attempt = 1) => ({
  type: 'call-tool',
  scope: null,
  key: `tool:${callId}`,
  callId,
  attempt,
})
export const ask = (callId: string) => ({ type: 'ask', scope: null, callId })
export const refuse = (callId: string, refusal: object) => ({ type: 'reject-call', scope: null, callId, refusal })
export const failed = (finishReason: string, code = finishReason) => ({
  type: 'end',
  status: 'failed',
  finishReason,
  code,
})
export const completed = { type: 'end', status: 'completed', finishReason: 'completed', code: null }
export const warn = (problem: object) => ({ type: 'warn', scope: null, problem })

/** What was: what is to be done. */
export type Row = [claim: string, given: Case, moves: object[]]
