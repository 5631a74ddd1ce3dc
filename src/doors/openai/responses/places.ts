import { type FieldNames, Places, type SaidAt } from '../places.ts'
import { type InputItem, isAgents, isResult, isRule, type ResponseRequest, shownIn, toldTurns } from './request.ts'

/** Where in a request of Responses places of a session or of a message are. */
export function responsePlaces({ input }: ResponseRequest): Places {
  const places = new Places(namesOf)
  const items: Partial<InputItem>[] = typeof input === 'string' ? [{ role: 'user' as const, content: input }] : input
  const contentAt = (item: Partial<InputItem>, index: number): SaidAt => {
    if (typeof input === 'string') return { at: 'input', content: item.content }
    return isResult(item)
      ? { at: `input.${index}.output`, content: shownOrNull(item) }
      : { at: `input.${index}.content`, content: item.content }
  }
  const said = items.flatMap((item, index) => (isRule(item) ? [] : [{ item, ...contentAt(item, index) }]))
  const cut = said.findLastIndex(({ item }) => isAgents(item)) + 1
  const fresh = said.filter(({ item }, index) => index >= cut && (item.role === 'user' || shownIn(item).length > 0))
  const spoken: SaidAt[] = fresh.length > 0 ? fresh : said.filter(({ item }) => item.role === 'user').slice(-1)
  for (const ours of ['task', 'content']) places.putContent(ours, spoken)
  const given = toldTurns(
    said.flatMap((one, index) => (index < cut || isResult(one.item) ? [{ ...one.item, one }] : [])),
  )
  for (const [index, turn] of given.entries())
    places.putContent(
      `messages.${index}.content`,
      turn.slice(0, 1).map(({ one }) => one),
    )
  places.put('output_schema', 'text.format.schema')
  places.put('config.instructions', 'instructions')
  places.put('config.llm.temperature', 'temperature')
  places.put('config.llm.max_tokens', 'max_output_tokens')
  places.put('config.llm.reasoning_effort', 'reasoning.effort')
  return places
}

/** The parts of a result in their places, those that are words left out. */
function shownOrNull(item: Partial<InputItem>): unknown {
  const shown = shownIn(item)
  const { output } = item
  if (shown.length === 0 || !Array.isArray(output)) return null
  return (output as unknown[]).map((part) => (/^input_(?:image|file)$/.test(String(Object(part).type)) ? part : null))
}

const namesOf: FieldNames = ({ type, file_data: data }) =>
  type === 'input_image'
    ? { 'image_url.url': 'image_url' }
    : type === 'input_file'
      ? { data: 'file_data', url: data ? 'file_data' : 'file_url', name: 'filename' }
      : {}
