import * as z from 'zod'
import type { StoredWorkflow } from '../../src/domain/workflow.ts'
import { workflowDefinition } from '../../src/domain/workflow.ts'
import { defineTool } from '../../src/tools/define.ts'
import type { NodeHome } from './node-home.ts'
import type { Play } from './play.ts'

/** A workflow as it would be kept. */
export function storedWorkflow(given: object, version = 1): StoredWorkflow {
  const definition = workflowDefinition().parse({ name: 'flow', description: 'A flow.', ...given })
  return { definition, version, source: 'tenant', createdTime: 0 }
}

/** Keep workflows for sessions of a home. The first is the one that a run names `flow`, unless it has a name. */
export function keepWorkflows(home: NodeHome, ...given: object[]): void {
  for (const one of given) {
    const stored = storedWorkflow(one)
    home.workflows.set(stored.definition.name, stored)
  }
}

/** What a tool was asked to do, in the order of the calls, and what it does next. */
export class Deeds {
  readonly done: string[] = []
  /** How often a deed fails before it is done. */
  readonly failures = new Map<string, number>()
  /** Deeds that never end by themselves. */
  readonly hanging = new Set<string>()
  #begun: (deed: string) => void = () => {}

  /** Resolves when a deed of this name begins. */
  begun(name: string): Promise<void> {
    return new Promise((resolve) => {
      this.#begun = (deed) => {
        if (deed === name) resolve()
      }
    })
  }

  async act(name: string, signal: AbortSignal): Promise<{ ok: true; content: string } | { ok: false; reason: string }> {
    this.done.push(name)
    this.#begun(name)
    if (this.hanging.has(name))
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('cut'))))
    const left = this.failures.get(name) ?? 0
    if (left > 0) this.failures.set(name, left - 1)
    return left > 0 ? { ok: false, reason: `${name} does not work` } : { ok: true, content: `did ${name}` }
  }
}

/** Two tools over the same deeds: `do_it` may not be made twice, `look` may. */
export function deedTools(deeds: Deeds) {
  const made = (id: string, idempotent: boolean) =>
    defineTool({
      id,
      names: { 'zh-CN': id, en: id },
      description: { 'zh-CN': '做事', en: 'Does something' },
      risk: 'write',
      idempotent,
      input: z.strictObject({ name: z.string() }),
      parameters: { name: { names: { 'zh-CN': 'name', en: 'name' }, description: { 'zh-CN': '名', en: 'what' } } },
      run: ({ name }, { signal }) => deeds.act(name, signal),
    })
  return [made('do_it', false), made('look', true)]
}

/** A step that calls a tool of `deedTools`. */
export const does = (id: string, name = id, more: object = {}) => ({
  id,
  type: 'tool',
  tool: 'do_it',
  arguments: { name },
  ...more,
})

/** The ends of the steps of a run, in their order: `path status`. */
export async function endsOf(play: Play): Promise<string[]> {
  const events = await play.events()
  return events.flatMap((event) => (event.type === 'step-end' ? [`${event.step} ${event.status}`] : []))
}
