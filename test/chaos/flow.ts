/* oxlint-disable unicorn/no-thenable -- `then` is a field of the format */
import type { Random } from './random.ts'

/** Workflows of the chaos, with every kind of step. Each POST has an address of its own, so that what arrives twice is seen. */

const post = (id: string, name: string, more: object = {}) => ({
  id,
  type: 'tool',
  tool: 'http_request',
  arguments: { method: 'POST', url: `{{ inputs.url }}/post/{{ inputs.id }}-${name}`, body: '{{ inputs.id }}' },
  ...more,
})

const ask = (id: string, prompt: string) => ({ id, type: 'agent', prompt, tools: ['web_access', 'rethink'] })

/** `undoes`: what it did is undone when a later step fails. */
const stepsOf = (undoes: boolean) => {
  const undo = (name: string) => (undoes ? { rollback: [post(`undo_${name}`, `undo-${name}`)] } : {})
  const undoItem = undoes ? { rollback: [post('undo_mark', 'undo-mark-{{ index }}')] } : {}
  return [
    post('first', 'first', undo('first')),
    {
      id: 'both',
      type: 'parallel',
      branches: [
        [ask('left', '{{ inputs.left }}')],
        [
          { id: 'nap', type: 'wait', for_ms: 120 },
          { id: 'sub', type: 'workflow', workflow: 'chaos-inner', inputs: { words: '{{ inputs.right }}' } },
        ],
      ],
    },
    {
      id: 'each',
      type: 'map',
      over: 'inputs.items',
      concurrency: 2,
      steps: [ask('say', '{{ item }}'), post('mark', 'mark-{{ index }}', undoItem)],
    },
    {
      id: 'asked',
      type: 'if',
      condition: 'inputs.asks',
      then: [
        { id: 'agree', type: 'wait', approval: 'Go on with {{ inputs.id }}?' },
        { id: 'which', type: 'wait', question: { text: 'Which way?' } },
        { id: 'signal', type: 'wait', signal: '{{ inputs.id }}' },
      ],
    },
    {
      id: 'last',
      type: 'switch',
      value: 'inputs.fails',
      cases: [{ equals: true, steps: [post('bad', 'bad', { arguments: { method: 'POST', url: 'no address' } })] }],
      default: [post('good', 'good', undo('good'))],
    },
    ask('end', '{{ task }}'),
  ]
}

/** By name, as they are kept. `chaos-undo` undoes what it did; a step of `chaos-retry` that failed is retried. */
export const CHAOS_WORKFLOWS: Readonly<Record<string, object>> = {
  'chaos-inner': {
    description: 'Says its words.',
    steps: [
      ask('said', '{{ inputs.words }}'),
      { id: 'kept', type: 'set', values: { said: '{{ steps.said.output }}' } },
    ],
  },
  'chaos-undo': { description: 'All kinds of steps, undone.', steps: stepsOf(true) },
  'chaos-retry': { description: 'All kinds of steps, retried.', steps: stepsOf(false) },
}

/** The ids of all steps of a run at its top, in their order. */
export const ORDER = ['first', 'both', 'each', 'asked', 'last', 'end']

export interface FlowPlan {
  workflow: 'chaos-undo' | 'chaos-retry'
  /** `url`: where its POSTs go. */
  inputs: { id: string; url: string; left: string; right: string; items: string[]; asks: boolean; fails: boolean }
}

/** `lineOf`: a task by its name, for the model. */
export function planFlow(
  { id, pagesUrl }: { id: string; pagesUrl: string },
  random: Random,
  lineOf: (name: string) => string,
): FlowPlan {
  return {
    workflow: random.pick(['chaos-undo', 'chaos-retry']),
    inputs: {
      id,
      url: pagesUrl,
      left: lineOf(`${id}-left`),
      right: lineOf(`${id}-right`),
      items: Array.from({ length: random.int(1, 4) }, (_, index) => lineOf(`${id}-i${index}`)),
      asks: random.chance(0.5),
      fails: random.chance(0.3),
    },
  }
}
