import { afterThoughts } from '../../agent/thinking.ts'
import { contentText } from '../../domain/content.ts'
import { LIMITS } from '../../domain/limits.ts'
import { type Message, toolIdOf } from '../../domain/message.ts'
import type { MoveContext } from '../engine.ts'

/** A task of the session, and what was answered; empty where its run came to no answer. */
export interface EarlierAnswer {
  question: string
  answer: string
}

/** Earlier tasks of the session and what was answered, oldest first; bounded. */
export function earlierAnswers({ journal: { log, state } }: MoveContext): EarlierAnswer[] {
  const { earlierMessagesMax, earlierAnswersMax } = LIMITS.plan
  const messages = log.messages({ scope: null, before: state.taskSeq, limit: earlierMessagesMax, newestFirst: true })
  const answers = new Map<string, Message>()
  for (const message of messages) {
    if (message.role === 'assistant' && message.run_id && !answers.has(message.run_id))
      answers.set(message.run_id, message)
  }
  return messages
    .filter(({ kind }) => kind === 'task')
    .slice(0, earlierAnswersMax)
    .toReversed()
    .map(({ content, run_id: run }) => ({
      question: contentText(content, null),
      answer: answered(answers.get(run ?? '')),
    }))
}

/** What a run said at its end. */
function answered(message: Message | undefined): string {
  const finish = message?.tool_calls?.find((call) => toolIdOf(call) === 'finish')?.arguments['reason']
  return typeof finish === 'string' ? finish : afterThoughts(contentText(message?.content ?? '', null))
}
