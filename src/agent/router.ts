import type { ModelRequest } from '../domain/model.ts'
import type { PlanWorker } from '../domain/plan.ts'
import { knownParts, type PlanBrief, workerLine } from './planner.ts'

const TEXTS = {
  'zh-CN': {
    system:
      '您负责分派任务：从下面的工作代理中选出最适合完成用户任务的一个。只输出 JSON：{"worker": "名称"}，名称必须与列表中的完全一致。\n\n# 工作代理\n\n',
  },
  en: {
    system:
      'You dispatch tasks: of the workers below, pick the one that fits the user\'s task best. Answer with JSON only: {"worker": "name"}, the name exactly as in the list.\n\n# Workers\n\n',
  },
} as const

/** Ask which one worker is to do a task. */
export function routeRequest(brief: PlanBrief, workers: readonly PlanWorker[]): ModelRequest {
  const texts = TEXTS[brief.language]
  const list = workers.map((worker) => workerLine(worker, brief.language))
  return {
    messages: [
      { role: 'system', content: texts.system + list.join('\n') },
      { role: 'user', content: knownParts(brief).join('\n\n') },
    ],
  }
}
