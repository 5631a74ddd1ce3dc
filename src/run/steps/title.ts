import { afterThoughts } from '../../agent/thinking.ts'
import { contentText } from '../../domain/content.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ModelRequest } from '../../domain/model.ts'
import type { MoveContext } from '../../engine/engine.ts'
import type { Job, Outcome } from '../../engine/job.ts'
import type { MoveOf } from '../../engine/move.ts'
import { workerOf } from '../../engine/worker/worker.ts'
import { at } from '../../log/window.ts'
import { modelCall, settledEvents, TOOLLESS } from './model-call.ts'

/** One call of the session's model that names the session after its task. Nothing comes of one that fails: the title stays. */
export function titleJob({ scope, attempt }: MoveOf<'title'>, context: MoveContext): Job {
  const { journal } = context
  const { choice, language } = workerOf(context, null)
  const [task] = at(journal.log, journal.state.taskSeq)
  const words = task ? contentText(task.content, language) : ''
  const before = journal.record.title
  return modelCall(
    {
      ...TOOLLESS,
      scope,
      attempt,
      heard: 'nothing',
      iterates: false,
      say: (spec) => ({ protocol: spec.protocol, request: titleRequest(words, language) }),
      settle:
        ({ used }, reply) =>
        () => {
          const protocol = journal.state.run?.protocol ?? used.spec.protocol
          const ended = settledEvents(used, reply, context, { protocol })
          return named(ended, titleIn(reply.content), before, context)
        },
    },
    choice,
    context,
  )
}

/** Whoever gave the session another title meanwhile knows better. */
function named(events: NewEvent[], title: string, before: string, { journal: { record } }: MoveContext): Outcome {
  if (title === '' || record.title !== before) return { events }
  return { events: [...events, { type: 'session-update', fields: ['title'] }], record: { ...record, title } }
}

/** The first line of a reply without what models put around a title; empty: it is none. */
function titleIn(reply: string): string {
  const line = afterThoughts(reply).trim().split('\n', 1)[0] ?? ''
  const bare = line.replace(/^[#*\s"'“”「『《]+|[*\s"'“”」』》.。]+$/g, '')
  return bare.length > LIMITS.text.titleCharsMax ? '' : bare
}

const TEXTS = {
  'zh-CN':
    '请为下面的任务起一个标题：用任务所用的语言，最多 15 个字，概括要做的事。只输出标题，不要引号，也不要执行任务。',
  en: 'Give the task below a title: in the language of the task, at most six words, saying what is to be done. Answer with the title alone, without quotes, and do not do the task.',
} as const

function titleRequest(words: string, language: Language): ModelRequest {
  return {
    messages: [
      { role: 'system', content: TEXTS[language] },
      { role: 'user', content: words.slice(0, LIMITS.text.titledCharsMax) },
    ],
  }
}
