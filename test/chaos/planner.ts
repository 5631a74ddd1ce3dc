/** The part of the chaos that plans: a task's steps become sub-tasks, one each, and their end one answer. */

/** A task as the user wrote it; the ids of sub-tasks have a point. */
const TASK = /#task:([^\s.]+) (en|zh-CN) (native|text) \[([^\]]*)\]/g
const MAIN = /# (?:主要任务|Main task)\n\n/
const DONE = /# (?:已完成的子任务|Completed sub-tasks)\n/
const WRITE = /请写出最终答复。|Write the final answer\./
const PLANNER = /深度研究员|deep researcher/

/** What a planner, or who writes the answer, says to this; null: it is asked of neither. */
export function plannerReply(system: string, asked: string): string | null {
  const tasks = [...(asked.split(MAIN).at(-1) ?? '').matchAll(TASK)]
  const [, task = '', language = '', form = '', list = ''] = tasks.at(-1) ?? []
  if (MAIN.test(asked) && WRITE.test(asked)) return `answer of ${task}`
  if (!PLANNER.test(system)) return null
  if (DONE.test(asked)) return '{"plan": []}'
  const steps = list.split(' ').filter((step) => step !== 'finish')
  const isOfRole = asked.includes('LeftWork') || system.includes('LeftWork')
  const plan = steps.map((given, index) => {
    const [step = '', crew] = given.split('/').toReversed()
    return {
      name: isOfRole ? 'LeftWork' : (crew ?? 'web-research'),
      description: `#task:${task}.${index} ${language} ${form} [${step} finish]`,
    }
  })
  return `The plan:\n\n${JSON.stringify({ plan })}`
}
