import * as z from 'zod'
import { isRight } from './check.ts'
import { bareWordsOf, type Kind, type ModelTask } from './task.ts'
import type { Ended, SessionAtRest } from './product.ts'

/** What became of a task, with the product and with the model alone. */
export interface Outcome {
  kind: Kind
  name: string
  /** The session's; `wedged`: it was not at rest in time. */
  status: string
  finishReason: string | null
  endedBy: string | null
  isLoop: boolean
  isCompleted: boolean
  /** It is completed, and its result is what the model wrote. */
  hasOwnWords: boolean
  isRight: boolean
  isBareRight: boolean
  calls: number
  tokens: number
  ms: number
  result: string | null
  bareAnswer: string
}

/** A model service, asked without the product. */
export interface Service {
  url: string
  model: string
  key: string | null
  temperature: number
  maxTokens: number
}

export async function outcomeOf(task: ModelTask, ended: Ended | null, bare: string): Promise<Outcome> {
  const session = ended?.session ?? null
  const result = session?.result ?? null
  const work = { answer: result ?? '', fileText: ended?.fileText ?? noFile }
  const isCompleted = session?.status === 'completed'
  return {
    kind: task.kind,
    name: task.name,
    status: session?.status ?? (ended === null ? 'refused' : 'wedged'),
    finishReason: session?.finish_reason ?? null,
    endedBy: session?.ended_by ?? null,
    isLoop: session?.loop === true || session?.finish_reason === 'stuck',
    isCompleted,
    hasOwnWords: isCompleted && isOwn(result, session),
    isRight: isCompleted && (await isRight(task, work)),
    isBareRight: await isRight(task, { answer: bare, fileText: noFile }),
    calls: session?.usage.model_calls ?? 0,
    tokens: session?.usage.total_tokens ?? 0,
    ms: ended?.ms ?? 0,
    result,
    bareAnswer: bare,
  }
}

const completion = z.object({ choices: z.array(z.object({ message: z.object({ content: z.string().nullish() }) })) })

const noFile = () => Promise.resolve(null)

/** Whether the model wrote a result, but for white space. */
function isOwn(result: string | null, session: SessionAtRest | null): boolean {
  const squeezed = (text: string) => text.replaceAll(/\s+/g, '')
  if (result === null || squeezed(result) === '') return false
  const replies = session?.messages.filter(({ role }) => role === 'assistant') ?? []
  return replies.some(({ content, tool_calls: calls }) => {
    const written = [content, ...calls.flatMap((call) => Object.values(call.arguments))]
    return written.some((text) => typeof text === 'string' && squeezed(text).includes(squeezed(result)))
  })
}

/** What the model says to the bare question. */
export async function bareAnswer(service: Service, task: ModelTask, pagesUrl: string): Promise<string> {
  const answer = await fetch(`${service.url}/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(service.key === null ? {} : { authorization: `Bearer ${service.key}` }),
    },
    body: JSON.stringify({
      model: service.model,
      messages: [{ role: 'user', content: bareWordsOf(task, pagesUrl) }],
      temperature: service.temperature,
      max_tokens: service.maxTokens,
    }),
  })
  if (!answer.ok) throw new Error(`${service.url}: ${answer.status} ${(await answer.text()).slice(0, 300)}`)
  return completion.parse(await answer.json()).choices[0]?.message.content ?? ''
}
