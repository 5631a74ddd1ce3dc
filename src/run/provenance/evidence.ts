import { resultText } from '../../agent/texts.ts'
import { attachedText, contentText } from '../../domain/content.ts'
import { LIMITS } from '../../domain/limits.ts'
import { type Message, type ToolCall, toolIdOf } from '../../domain/message.ts'
import type { Tool } from '../../domain/tool.ts'
import { addressesIn, textsWithin, holdsAddress } from '../../lib/addresses.ts'
import { plainHost } from '../../lib/glob.ts'
import { textOf } from '../../lib/text.ts'
import { fencedPart } from '../../lib/fence.ts'
import type { Engine } from '../../engine/engine.ts'
import { toolOf } from '../../engine/settings.ts'
import type { Journal } from '../../log/journal.ts'

/** Something that a call sends out: whether a text shows it, and whether a result that repeats what its call said would. `own`:
 *  addresses that the call went to. */
interface Sought {
  isIn(text: string): boolean
  isEchoOf(said: string, own: readonly string[]): boolean
}

/** Whether one of the newest results shows an address whole that it did not get from the call that brought it, or the user wrote it. */
export function isShownAddress(address: string, journal: Journal, engine: Engine): boolean {
  const url = new URL(address)
  const isIn = (text: string) => holdsAddress(text, address)
  return isSeen({ isIn, isEchoOf: (said, own) => mentions(said, url, own) }, { journal, engine })
}

/** The same of a word, which has to stand there as it is. */
export function isKnownWord(word: string, journal: Journal, engine: Engine): boolean {
  const isIn = (text: string) => text.includes(word)
  return isSeen({ isIn, isEchoOf: isIn }, { journal, engine })
}

function isSeen(sought: Sought, place: { journal: Journal; engine: Engine }): boolean {
  const results = new Map<string, Message[]>()
  for (const message of newest(place.journal)) {
    if (message.given) continue
    const said = contentText(message.content, null)
    if (message.role === 'user' && message.scope === null && sought.isIn(said)) return true
    if (message.role === 'user' && sought.isIn(attachedText(message.content))) return true
    const { tool_call_id: id = '' } = message
    if (message.role === 'tool' && sought.isIn(said)) results.set(id, [...(results.get(id) ?? []), message])
    for (const call of message.tool_calls ?? []) {
      if ((results.get(call.id) ?? []).some((result) => shows(call, result, sought, results, place.engine))) return true
    }
  }
  return false
}

/** The newest messages of a session, as many as are looked through for what a call says. */
export function* newest({ log }: Journal): Generator<Message> {
  const { resultsMax, messagesPerPage: limit } = LIMITS.caution
  for (let before = Infinity, looked = 0; looked < resultsMax; looked += limit) {
    const page = log.messages({ limit, newestFirst: true, ...(before === Infinity ? {} : { before }) })
    yield* page
    if (page.length < limit) return
    before = page.at(-1)?.seq ?? 0
  }
}

/** Whether a result that holds it is where it comes from. What is read on is as good as the result that it is of. */
function shows(
  call: ToolCall,
  result: Message,
  sought: Sought,
  results: Map<string, Message[]>,
  engine: Engine,
): boolean {
  const tool = toolOf(engine, toolIdOf(call))
  if (!tool) return false
  const own = tool.guarded ? tool.effects(call.arguments).addresses : []
  if (own.some((address) => sought.isIn(address)) && wasRun(result, tool)) return true
  if (textsWithin(call.arguments, LIMITS.http.jsonDepthMax).some((said) => sought.isEchoOf(said, own))) return false
  if (tool.provenance === 'memory' || tool.provenance === 'model') return false
  if (tool.provenance !== 'result') return tool.provenance === 'source' || isTrusted(result)
  const origin = textOf(call.arguments['call_id'])
  results.set(origin, [...(results.get(origin) ?? []), result])
  return false
}

/** To go to an address again tells nobody anything new. */
function wasRun({ content }: Message, { names }: Tool): boolean {
  const said = contentText(content, null)
  return (['zh-CN', 'en'] as const).some((language) => said.startsWith(resultText(names[language], '', language)))
}

function isTrusted({ content }: Message): boolean {
  return fencedPart(contentText(content, null)) === null
}

/** Whether a text speaks of an address of the host, so that what repeats the text would show it. A page is at its own address,
 *  and may link to others beside it. */
function mentions(said: string, { hostname }: URL, own: readonly string[]): boolean {
  const host = plainHost(hostname)
  const isOwn = own.some((address) => address.endsWith(said.trim()))
  const told = isOwn ? said.slice(said.indexOf('/', said.indexOf('//') + 2)) : said
  return spellings(told).some((text) => goesOn(text, host) || isAddressed(text, host))
}

function goesOn(text: string, host: string): boolean {
  const [, ...behind] = text.split(host)
  return behind.some((rest) => /^\.?[/?#:]/.test(rest))
}

function isAddressed(text: string, host: string): boolean {
  return addressesIn(text).some((address) => plainHost(new URL(address).hostname) === host)
}

const DECODED_TIMES = 2

/** A text and what it says when it is decoded. */
function spellings(said: string): string[] {
  const found = [said.normalize('NFKC').toLowerCase()]
  for (let times = 0; times < DECODED_TIMES; times++) found.push(decoded(found.at(-1) ?? ''))
  return [...new Set(found)]
}

function decoded(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/g, (escapes) => {
    const bytes = Uint8Array.from(escapes.slice(1).split('%'), (hex) => Number.parseInt(hex, 16))
    return new TextDecoder().decode(bytes)
  })
}
