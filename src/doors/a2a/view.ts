import type { Context } from 'hono'
import { type Language, languageOf } from '../../domain/language.ts'
import { type AppEnv, originOf } from '../../http/context.ts'
import { languageAsked } from '../../http/language.ts'
import { serverLanguage } from '../kernel/names.ts'
import { ownerMark } from '../kernel/thread.ts'
import type { TaskView } from './reader.ts'

/** How an answer is wrapped: as that of a JSON-RPC request, or as it is. */
export interface Binding {
  contentType: string
  rpc?: { id: string | number | null }
}

/** How a task is told to whoever asks for it. */
export async function taskView(
  c: Context<AppEnv>,
  { rpc }: Pick<Binding, 'rpc'>,
  { session, historyLength }: { session: string; historyLength: number | null },
): Promise<TaskView> {
  const asked = languageAsked(c)
  const language: Language = asked === null ? serverLanguage(c.env) : languageOf(asked)
  return {
    form: 'whole',
    isNamed: false,
    ...(rpc ? { rpc } : {}),
    owner: await ownerMark(c, session),
    language,
    origin: originOf(c),
    historyLength,
  }
}
