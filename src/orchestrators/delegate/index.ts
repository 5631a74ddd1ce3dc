import type { Orchestrator } from '../../engine/engine.ts'
import { branchOf } from '../../log/branches.ts'
import { beside, movesForCall } from './decide.ts'
import { cancelStep, closeStep, delegateStep, leftOpenText, statusStep } from './calls.ts'

/** An agent gives tasks away. They are sub-tasks without a planner: branches of the same log, under the budget, the permissions and the
 *  taint of the run. */
export const delegation: Orchestrator = {
  name: 'delegate',
  isBeside: true,
  decide: () => [],
  movesForCall,
  leftOpen: leftOpenText,
  reduce: {
    on: {
      'tool-start': ({ run }, { tool, call_id: id, arguments: args }) => {
        const call = tool === 'task_status' && run ? branchOf(run, null).calls.find((one) => one.id === id) : undefined
        if (call && typeof args['task_id'] === 'string') call.waitsFor = args['task_id']
      },
    },
  },
  beside,
  steps: {
    delegate: delegateStep,
    'task-status': statusStep,
    'cancel-task': cancelStep,
    'close-tasks': closeStep,
  },
}
