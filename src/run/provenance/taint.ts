import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ToolCall } from '../../domain/message.ts'
import type { Tool } from '../../domain/tool.ts'
import { addressesWithin, textsWithin, hostsIn } from '../../lib/addresses.ts'
import { isSameSite, matchesHost, plainHost, withoutWww } from '../../lib/glob.ts'
import { opaqueWords } from '../../lib/text.ts'
import type { Caution } from '../../tools/permission.ts'
import type { MoveContext } from '../../engine/engine.ts'
import { toolOf } from '../../engine/settings.ts'
import { isKnownWord, isShownAddress } from './evidence.ts'

const { jsonDepthMax } = LIMITS.http

/** Ids of calls that send out what untrusted text may have had made: an address that no result so far shows verbatim and whose
 *  host neither config nor the user's own words name, or a code of which the same is true. Null: nothing untrusted is in the context. */
export function unseenCalls(calls: readonly ToolCall[], context: MoveContext): Promise<string[]> | null {
  return context.journal.state.taint.length === 0 ? null : unseenOf(calls, context)
}

async function unseenOf(calls: readonly ToolCall[], context: MoveContext): Promise<string[]> {
  const unseen = await Promise.all(calls.map((call) => sendsUnseen(call, toolOf(context.engine, call.name), context)))
  return calls.filter((_, index) => unseen[index]).map(({ id }) => id)
}

async function sendsUnseen(call: ToolCall, tool: Tool | undefined, context: MoveContext): Promise<boolean> {
  if (!tool || tool.control) return false
  const { addresses, carries } = tool.effects(call.arguments)
  const isNamed = (address: string) => isNamedHost(address, context)
  if (tool.guarded) {
    const asked = addresses.filter(
      (address) => !isNamed(address) && (carries === true || !isShownAddress(address, context)),
    )
    return (await Promise.all(asked.map((address) => context.engine.refuseAddress(address)))).includes(null)
  }
  const goesOut = tool.server !== null || tool.riskOf(call.arguments) === 'network'
  const elsewhere = addresses.filter((address) => URL.parse(address)?.origin !== tool.origin)
  const sent = goesOut ? [...elsewhere, ...addressesWithin(call.arguments, jsonDepthMax)] : elsewhere
  const unnamed = [...new Set(sent)].filter((address) => !isNamed(address))
  const words = goesOut ? opaqueWords(textsWithin(call.arguments, jsonDepthMax).join('\n')) : []
  if (unnamed.length + words.length > LIMITS.caution.soughtMax) return true
  return (
    unnamed.some((address) => !isShownAddress(address, context)) || words.some((word) => !isKnownWord(word, context))
  )
}

/** Whether a redirect leads to another site than that of `from`, and untrusted text may have made `from` up: no result shows it, whoever named its
 *  host. `www.` in front makes no other site. */
export function leadsAway(from: string, to: string, context: MoveContext): boolean {
  return context.journal.state.taint.length > 0 && !isSameSite(from, to) && !isShownAddress(from, context)
}

/** Whether config or the user's own words name the host of an address. */
function isNamedHost(address: string, { journal: { state, record }, engine: { config } }: MoveContext): boolean {
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return false
  const host = plainHost(url.hostname)
  const { trusted_hosts: trusted = [], allow_private_hosts: listed = [] } = config.web ?? {}
  const port = url.port === '' ? (url.protocol === 'http:' ? '80' : '443') : url.port
  if (listed.includes(`${host}:${port}`)) return true
  if (trusted.some((pattern) => pattern === url.host || matchesHost(host, pattern))) return true
  const inWords = hostsIn([config.instructions, record.config.instructions].join('\n'))
  return [...state.namedHosts, ...inWords].some((named) => withoutWww(named) === withoutWww(host))
}

const REASONS: Record<Caution, Record<Language, (sources: string) => string>> = {
  destructive: {
    'zh-CN': () => '这个工具声明自己会破坏数据，每次调用都要确认。',
    en: () => 'The tool says of itself that it destroys data: every call is asked for.',
  },
  untrusted_context: {
    'zh-CN': (sources) =>
      `上下文中已有不可信的内容（来自 ${sources}），而这个调用会发送或更改数据；请核对参数是否出自你的意思。`,
    en: (sources) =>
      `Untrusted content (from ${sources}) is in the context, and this call sends or changes something. Check that its arguments are what you want.`,
  },
  unseen_address: {
    'zh-CN': (sources) =>
      `上下文中已有不可信的内容（来自 ${sources}），而这个调用要发往外部的地址或编码，既不是你提到的，也没有出现在读过的页面里；它可能会把数据带出去。`,
    en: (sources) =>
      `Untrusted content (from ${sources}) is in the context, and this call sends out an address or a code that you did not name and nothing read so far shows. It could carry data out.`,
  },
}

/** Why a call that config allows waits all the same, in words for the human who decides. */
export function reasonFor(caution: Caution, taint: readonly string[], language: Language): string {
  return REASONS[caution][language](taint.join(', '))
}
