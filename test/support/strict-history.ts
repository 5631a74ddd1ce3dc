/** What a strict OpenAI-compatible service would refuse in the `messages` of a request; empty if it would take them.
 *  Takes unknown data, so that recorded requests can be handed in as they are. */
export function validateStrictHistory(messages: readonly unknown[]): string[] {
  const history = messages.map((message) => (isRecord(message) ? message : {}))
  const seen = new Set<string>()
  return history.flatMap((message, index) => {
    const where = (problem: string): string => `messages[${index}]: ${problem}`
    switch (message['role']) {
      case 'system':
        return [...(index === 0 ? [] : ['system message is not the first']), ...textProblems(message)].map(where)
      case 'user':
        return textProblems(message).map(where)
      case 'tool':
        return [...toolProblems(history, index), ...textProblems(message)].map(where)
      case 'assistant':
        return assistantProblems(history, index, seen).map(where)
      default:
        return [where(`unknown role ${String(message['role'])}`)]
    }
  })
}

type Wire = Record<string, unknown>

function assistantProblems(history: Wire[], index: number, seen: Set<string>): string[] {
  const message = history[index] ?? {}
  const calls = message['tool_calls']
  if (calls === undefined) return textProblems(message)
  if (!Array.isArray(calls) || calls.length === 0) return ['tool_calls is no filled list']
  const content = message['content']
  const bad = content === null || (typeof content === 'string' && content !== '') ? [] : ['content is empty, not null']
  const results = history.slice(index + 1, index + 1 + calls.length)
  const unanswered = calls.flatMap((call, place) => {
    const id = isRecord(call) ? call['id'] : undefined
    const result = results[place]
    return result?.['role'] === 'tool' && result['tool_call_id'] === id
      ? []
      : [`call ${String(id)} has no result in its place`]
  })
  return [...bad, ...calls.flatMap((call) => callProblems(call, seen)), ...unanswered]
}

function callProblems(call: unknown, seen: Set<string>): string[] {
  if (!isRecord(call) || call['type'] !== 'function' || !isRecord(call['function'])) return ['malformed call']
  const { id } = call
  const { name, arguments: args } = call['function']
  const problems: string[] = []
  if (typeof id !== 'string' || id === '' || seen.has(id)) problems.push(`id ${String(id)} is empty or repeated`)
  else seen.add(id)
  if (typeof name !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(name))
    problems.push(`bad function name ${String(name)}`)
  if (!isJsonObject(args)) problems.push('arguments are not the JSON text of an object')
  return problems
}

/** A result stands in the run of tool messages directly behind the assistant message that holds its call. */
function toolProblems(history: Wire[], index: number): string[] {
  const id = history[index]?.['tool_call_id']
  let before = index - 1
  while (history[before]?.['role'] === 'tool') {
    if (history[before]?.['tool_call_id'] === id) return [`second result of call ${String(id)}`]
    before--
  }
  const calls = history[before]?.['tool_calls']
  const called = Array.isArray(calls) && calls.some((call) => isRecord(call) && call['id'] === id)
  return called ? [] : [`result of ${String(id)} does not follow its call`]
}

function textProblems(message: Wire): string[] {
  const { content } = message
  if (message['role'] === 'user' && Array.isArray(content)) return content.flatMap(partProblems)
  return typeof content === 'string' && content.trim() !== '' ? [] : ['content is empty']
}

/** Parts of what a user says. Source: OpenAI, "Chat Completions". */
function partProblems(part: unknown): string[] {
  if (!isRecord(part)) return ['a part is no object']
  const { type, text, image_url: image } = part
  if (type === 'text') return typeof text === 'string' && text.trim() !== '' ? [] : ['a text is empty']
  const url = isRecord(image) ? image['url'] : undefined
  const isImage =
    type === 'image_url' && /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/.test(String(url))
  return isImage ? [] : ['a part is neither a text nor an image']
}

function isJsonObject(text: unknown): boolean {
  try {
    return typeof text === 'string' && isRecord(JSON.parse(text))
  } catch {
    return false
  }
}

function isRecord(value: unknown): value is Wire {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
