import type { PermissionRule, ToolConfig } from '../domain/config.ts'
import type { Permission, Tool, Touched } from '../domain/tool.ts'
import { matchesGlob } from '../lib/glob.ts'
import { configOf, sourcesOf, type ToolSettings } from './registry.ts'

/** Why a call that config allows waits for a human all the same. */
export type Caution = 'destructive' | 'untrusted_context' | 'unseen_address'

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

function allowedBy(tool: Tool, settings: ToolSettings, args: Record<string, unknown>): Permission {
  const touched = tool.touches(args)
  const words = sourcesOf(tool, settings).flatMap((source) => wordOf(source, touched) ?? [])
  return strictest(words) ?? unspoken(tool, settings, args)
}

/** What one source says: its first rule that fits, else its word on the tool. */
function wordOf({ rules, permission }: ToolConfig, touched: Touched): Permission | undefined {
  return rules?.find((rule) => fits(rule, touched))?.permission ?? permission
}

function fits({ host, path }: PermissionRule, { addresses, paths }: Touched): boolean {
  const urls = addresses.flatMap((address) => URL.parse(address) ?? [])
  const named = [...paths, ...urls.map(({ pathname }) => pathname)]
  return (
    (host === undefined || urls.some(({ hostname }) => matchesGlob(hostname, host.toLowerCase(), '.'))) &&
    (path === undefined || named.some((one) => matchesGlob(one, path, '/')))
  )
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
