import { type FieldNames, Places, type SaidAt } from '../places.ts'
import type { ChatRequest } from './request.ts'

/** Where in a request of chat completions places of a session or of a message are. */
export function chatPlaces(request: ChatRequest): Places {
  const { messages, tools, max_completion_tokens: wanted } = request
  const places = new Places(namesOf)
  const said = messages.flatMap(({ role, content }, index) =>
    role === 'system' || role === 'developer' ? [] : [{ role, at: `messages.${index}.content`, content }],
  )
  const cut = said.findLastIndex(({ role }) => role === 'assistant') + 1
  const ofUser = said.filter(({ role }, index) => role === 'user' && index >= cut)
  const spoken: SaidAt[] = ofUser.length > 0 ? ofUser : said.filter(({ role }) => role === 'user').slice(-1)
  for (const ours of ['task', 'content']) places.putContent(ours, spoken)
  const given = said.filter(({ role }, index) => index < cut || role === 'tool')
  for (const [index, one] of given.entries()) places.putContent(`messages.${index}.content`, [one])
  for (const index of (tools ?? []).keys()) places.put(`tools.${index}`, `tools.${index}.function`)
  places.put('output_schema', 'response_format.json_schema.schema')
  places.put('config.instructions', 'messages')
  places.put('config.llm.temperature', 'temperature')
  places.put('config.llm.max_tokens', typeof wanted === 'number' ? 'max_completion_tokens' : 'max_tokens')
  places.put('config.llm.reasoning_effort', 'reasoning_effort')
  return places
}

const namesOf: FieldNames = ({ type }) =>
  type === 'image_url'
    ? { image_url: 'image_url.url', 'image_url.url': 'image_url.url' }
    : type === 'file'
      ? { data: 'file.file_data', url: 'file.file_data', name: 'file.filename' }
      : {}
