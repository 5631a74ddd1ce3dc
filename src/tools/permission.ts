import type { PermissionRule, ToolConfig } from '../domain/config.ts'
import type { Permission, Tool, Touched } from '../domain/tool.ts'
import { matchesGlob, matchesHost } from '../lib/glob.ts'
import { callSignature } from '../lib/hash.ts'
import { configOf, sourcesOf, type ToolSettings } from './registry.ts'

/** Why a call that config allows waits for a human all the same. */
export type Caution = 'destructive' | 'untrusted_context' | 'unseen_address'

/** A human's word on one call: the fingerprint of what they let run. */
type Approval = { signature: string } | null

/** Whether a call may be made: by the word of config, or of somebody who let this very call run with these very arguments. Whoever has a
 *  tool run asks here. */
export function mayRun(
  call: { tool: string; approval: Approval },
  tool: Tool,
  settings: ToolSettings,
  facts: CallFacts,
): Permission {
  const { permission } = verdictOn(tool, settings, facts)
  return permission === 'ask' && isCleared(call, facts.arguments) ? 'allow' : permission
}

/** Whether somebody let this very call run with these very arguments. */
export function isCleared(
  { tool, approval }: { tool: string; approval: Approval },
  args: CallFacts['arguments'],
): boolean {
  return approval !== null && approval.signature === callSignature(tool, args)
}

export interface Verdict {
  permission: Permission
  /** Null: it asks because nobody allowed it, or it does not ask. */
  caution: Caution | null
}

/** What a verdict looks at beside config. */
export interface CallFacts {
  arguments: Record<string, unknown>
  /** Untrusted text is in the context. */
  tainted: boolean
  /** It reads an address that nobody named and nothing read so far links to. */
  unseen: boolean
}

/** Whether a call runs at once, waits for a human or never runs. The strictest word of server, skill and session wins; what was
 *  allowed still asks where untrusted text may have asked for it. */
export function verdictOn(tool: Tool, settings: ToolSettings, facts: CallFacts): Verdict {
  if (tool.control) return { permission: 'allow', caution: null }
  const permission = allowedBy(tool, settings, facts.arguments)
  if (permission !== 'allow' || configOf(tool, settings).trusted) return { permission, caution: null }
  const caution = cautionAbout(tool, facts)
  return { permission: caution === null ? 'allow' : 'ask', caution }
}

/** The word of config on the tool, whatever it is called with. A tool that only reads the session's own runs without one. */
export function permissionOf(tool: Tool, settings: ToolSettings): Permission {
  if (tool.control) return 'allow'
  const words = sourcesOf(tool, settings).flatMap(({ permission }) => permission ?? [])
  return strictest(words) ?? unspoken(tool, settings)
}

/** Whether a redirect may lead a call to an address: one that is allowed by itself, or one that needs approval where a human has approved
 *  the call. */
export function mayReach(
  tool: Tool,
  settings: ToolSettings,
  call: { arguments: Record<string, unknown>; address: string; isApproved: boolean },
): boolean {
  const word = allowedBy(tool, settings, call.arguments, { addresses: [call.address], paths: [] })
  return word === 'allow' || (word === 'ask' && call.isApproved)
}

function allowedBy(
  tool: Tool,
  settings: ToolSettings,
  args: Record<string, unknown>,
  touched = tool.effects(args),
): Permission {
  const words = sourcesOf(tool, settings).flatMap((source) => wordOf(source, touched) ?? [])
  return strictest(words) ?? unspoken(tool, settings, args)
}

/** What one source says: its first rule that fits, else its word on the tool. */
function wordOf({ rules, permission }: ToolConfig, touched: Touched): Permission | undefined {
  return rules?.find((rule) => fits(rule, touched))?.permission ?? permission
}

/** A rule that allows has to fit all that a call touches, one that forbids or asks any of it. */
function fits({ host, path, permission }: PermissionRule, { addresses, paths }: Touched): boolean {
  const urls = addresses.flatMap((address) => URL.parse(address) ?? [])
  const places = [...paths.map((one) => [one]), ...urls.map(pathsOf)]
  const fit = <Item>(items: readonly Item[], one: (item: Item) => boolean) =>
    permission === 'allow' ? items.length > 0 && items.every(one) : items.some(one)
  const pattern = path === undefined ? '' : decoded(path).normalize('NFC')
  return (
    (host === undefined || fit(urls, (url) => isAt(url, host, permission))) &&
    (path === undefined || fit(places, (place) => fit(place, (one) => matchesGlob(one, pattern, '/'))))
  )
}

/** Whether an address is at the host of a rule, which may have a port. One that forbids or asks holds where it was written as an address, too:
 *  it must not be without effect. */
function isAt(url: URL, host: string, permission: Permission): boolean {
  const written = permission === 'allow' ? host : host.replace(/^[a-z]+:\/\//i, '').replace(/[/?#].*$/, '')
  const [, name = written, port] = /^(.*[^:]):(\d{1,5})$/.exec(written) ?? []
  const own = url.port || (url.protocol === 'https:' ? '443' : '80')
  return matchesHost(url.hostname, name) && (port === undefined || port === own)
}

/** What the path of an address may mean to who serves it: with its escapes read, and with the dots behind them followed, too. */
function pathsOf({ pathname }: URL): string[] {
  const read = decoded(pathname)
  return [...new Set([read, decoded(new URL(`http://host${read}`).pathname)])]
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Whether a call that names no path, or a folder, may show a file of it. It may not if a rule forbids the file. If a rule asks for the
 *  file, it may only after a human has allowed the call. */
export function mayShow(tool: Tool, settings: ToolSettings, path: string, isApproved: boolean): boolean {
  const words = sourcesOf(tool, settings).flatMap(
    ({ rules }) => wordOf({ rules }, { addresses: [], paths: [path] }) ?? [],
  )
  const word = strictest(words)
  return word === undefined || word === 'allow' || (word === 'ask' && isApproved)
}

function unspoken(tool: Tool, settings: ToolSettings, args?: Record<string, unknown>): Permission {
  const risk = args === undefined ? tool.risk : tool.riskOf(args)
  return (configOf(tool, settings).auto_approve ?? risk === 'read') ? 'allow' : 'ask'
}

function strictest(words: readonly Permission[]): Permission | undefined {
  return (['deny', 'ask', 'allow'] as const).find((word) => words.includes(word))
}

function cautionAbout(tool: Tool, { arguments: args, tainted, unseen }: CallFacts): Caution | null {
  if (tool.alwaysAsks) return 'destructive'
  const risk = tool.riskOf(args)
  if (tainted && (risk === 'write' || risk === 'destructive')) return 'untrusted_context'
  return unseen ? 'unseen_address' : null
}
