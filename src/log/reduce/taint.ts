import { LIMITS } from '../../domain/limits.ts'
import type { Message } from '../../domain/message.ts'
import type { SessionState } from '../../domain/state.ts'
import { hostsIn } from '../../lib/addresses.ts'

/** Untrusted text came into the context. */
export function taint(draft: SessionState, message: Message): void {
  const source = sourceOf(message)
  if (draft.taint.includes(source) || draft.taint.length >= LIMITS.caution.taintSourcesMax) return
  draft.taint.push(source)
}

/** The door by which a text from outside came in. */
function sourceOf({ tool_name: tool, kind, role }: Message): string {
  if (role === 'user') return 'webhook'
  return tool ?? (kind === 'prompt' ? 'memory' : kind)
}

/** Hosts that the user's own words name may be read whatever a page says. */
export function nameHosts(draft: SessionState, words: string): void {
  const named = hostsIn(words.slice(0, LIMITS.caution.namedCharsMax))
  if (named.length === 0) return
  draft.namedHosts = [...new Set([...draft.namedHosts, ...named])].slice(-LIMITS.caution.namedHostsMax)
}
