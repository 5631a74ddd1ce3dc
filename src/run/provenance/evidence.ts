import { resultText } from '../../agent/texts.ts'
import { attachedText, contentText } from '../../domain/content.ts'
import { LIMITS } from '../../domain/limits.ts'
import { type Message, type ToolCall, toolIdOf } from '../../domain/message.ts'
import type { Tool } from '../../domain/tool.ts'
import { addressesIn, textsWithin, holdsAddress } from '../../lib/addresses.ts'
import { plainHost } from '../../lib/glob.ts'
import { textOf } from '../../lib/text.ts'
import { fencedPart } from '../../lib/fence.ts'
import type { MoveContext } from '../../engine/engine.ts'
import { toolOf } from '../../engine/settings.ts'
import type { Journal } from '../../log/journal.ts'

/** An address or a word that a call sends out. */
interface Sought {
  /** Whether a text shows it. */
  isIn(text: string): boolean
  /** Whether a result that does no more than repeat `said`, an argument of its call, would show it. `own`: addresses that the call went to. */
  isEchoOf(said: string, own: readonly string[]): boolean
}

/** Whether the user wrote an address, or one of the newest results shows it whole and did not get it from the call that brought the result. */
export function isShownAddress(address: string, context: MoveContext): boolean {
  const url = new URL(address)
  const isIn = (text: string) => holdsAddress(text, address)
  return isSeen({ isIn, isEchoOf: (said, own) => mentions(said, url, own) }, context)
}

/** Whether the user wrote a word, or one of the newest results shows it, likewise. The word has to stand there as it is. */
export function isKnownWord(word: string, context: MoveContext): boolean {
  const isIn = (text: string) => text.includes(word)
  return isSeen({ isIn, isEchoOf: isIn }, context)
}

/** Looks from the newest message to older ones, so that a result is read before the reply that has its call. */
function isSeen(sought: Sought, { journal, engine }: MoveContext): boolean {
  /** Results that show what is sought, by the ids of their calls. */
  const results = new Map<string, Message[]>()
  const add = (callId: string, result: Message) => results.set(callId, [...(results.get(callId) ?? []), result])
  for (const message of newest(journal)) {
    if (message.given) continue
    const said = contentText(message.content, null)
    if (message.role === 'user' && message.scope === null && sought.isIn(said)) return true
    if (message.role === 'user' && sought.isIn(attachedText(message.content))) return true
    if (message.role === 'tool' && sought.isIn(said)) add(message.tool_call_id ?? '', message)
    for (const call of message.tool_calls ?? []) {
      const tool = toolOf(engine, toolIdOf(call))
      if (!tool) continue
      for (const result of results.get(call.id) ?? []) {
        const origin = originOf(sought, { call, result, tool })
        if (origin === 'result') return true
        if (origin !== null) add(origin.callId, result)
      }
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

/** Where a result has from what is sought: `result`: it comes from there. `callId`: from the result of another call, of which this result is a
 *  part. Null: the model may have made it up. */
function originOf(
  sought: Sought,
  { call, result, tool }: { call: ToolCall; result: Message; tool: Tool },
): 'result' | { callId: string } | null {
  const own = tool.guarded ? tool.effects(call.arguments).addresses : []
  if (own.some((address) => sought.isIn(address)) && wasRun(result, tool)) return 'result'
  const said = textsWithin(call.arguments, LIMITS.http.jsonDepthMax)
  if (said.some((text) => sought.isEchoOf(text, own))) return null
  if (tool.provenance === 'memory' || tool.provenance === 'model') return null
  if (tool.provenance === 'result') return { callId: textOf(call.arguments['call_id']) }
  return tool.provenance === 'source' || isTrusted(result) ? 'result' : null
}

/** Whether a call was made and did not fail: to go to the same address again tells nobody anything new. */
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
