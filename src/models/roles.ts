import type { EncodedRequest, ModelContent, ModelFailure, ModelMessage, ModelPart } from '../domain/model.ts'

/** How a model takes messages whose chat template does not take them as they are: no two of one role in a row, or no system message either. */
export type Roles = 'alternating' | 'without_system'

const ALTERNATING = /roles (must|should) alternate|should alternate with assistant/i
const WITHOUT_SYSTEM =
  /system (role|message|prompt)s? (is |are )?not (supported|allowed)|only user(,| and) (assistant|model).{0,20} roles? (is|are) (supported|allowed)|developer instruction is not enabled/i

/** What a refusal says of the roles of messages; null: nothing. Servers of open models fail with a 5xx in a template. */
export function rolesWanted({ code, status, detail }: ModelFailure): Roles | null {
  if (code !== 'model_rejected' && !(code === 'model_unavailable' && status === 500)) return null
  if (WITHOUT_SYSTEM.test(detail)) return 'without_system'
  return ALTERNATING.test(detail) ? 'alternating' : null
}

/** A request with messages as a model wants them; the same, if they are so already. Calls and results stay as they are. */
export function withRoles<S extends EncodedRequest>(said: S, roles: Roles): S {
  const given = said.request.messages
  const messages: ModelMessage[] = []
  for (const one of given) {
    const message: ModelMessage =
      one.role === 'system' && roles === 'without_system' ? { role: 'user', content: one.content } : one
    const last = messages.at(-1)
    const joined = last ? joinedOf(last, message) : null
    if (joined) messages[messages.length - 1] = joined
    else messages.push(message)
  }
  const isSame = messages.length === given.length && messages.every(({ role }, at) => role === given[at]?.role)
  return isSame ? said : { ...said, request: { ...said.request, messages } }
}

function joinedOf(first: ModelMessage, second: ModelMessage): ModelMessage | null {
  if (first.role === 'user' && second.role === 'user')
    return { role: 'user', content: contentOf(first.content, second.content) }
  const areReplies = first.role === 'assistant' && second.role === 'assistant'
  if (!areReplies || first.toolCalls?.length || second.toolCalls?.length) return null
  return { role: 'assistant', content: `${first.content}\n\n${second.content}` }
}

function contentOf(first: ModelContent, second: ModelContent): ModelContent {
  if (typeof first === 'string' && typeof second === 'string') return `${first}\n\n${second}`
  return [...partsOf(first), ...partsOf(second)]
}

function partsOf(content: ModelContent): readonly ModelPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}
