import { LIMITS } from '../domain/limits.ts'
import type { Now } from '../domain/ports.ts'
import type { HookPhase, ToolHookConfig } from '../domain/tool-hook.ts'
import type { Risk, Tool } from '../domain/tool.ts'
import { matchesGlob } from '../lib/glob.ts'
import { isObject, jsonObject } from '../lib/json.ts'
import { cutText } from '../lib/text.ts'
import { describeFailure, type GuardedFetch } from '../net/outcome.ts'

/** A call that a hook is asked about. */
export interface HookedCall {
  sessionId: string
  runId: string
  callId: string
  tenant: string
  user: string | null
  tool: string
  risk: Risk
  arguments: Record<string, unknown>
  /** What came of it; absent: it is not made yet. */
  result?: { ok: boolean; content: string; ms: number }
}

export type HookAnswer =
  | { outcome: 'allowed' }
  | { outcome: 'changed'; arguments: Record<string, unknown> }
  | { outcome: 'refused'; reason: string }
  | { outcome: 'failed'; detail: string; isOpen: boolean }

interface HookPorts {
  hooks: Readonly<Record<string, ToolHookConfig>>
  fetch: GuardedFetch
  readonly secret: (variable: string) => string | undefined
  now: Now
}

/** Services of the operator that are asked about calls of tools: they let a call be made, change its arguments, or refuse it. */
export class ToolHooks {
  readonly #ports: HookPorts

  constructor(ports: HookPorts) {
    this.#ports = ports
  }

  /** Names of the hooks of a tool, in the order in which they are asked. What only steers a run has none. */
  of(tool: Pick<Tool, 'id' | 'names' | 'client' | 'control'>, phase: HookPhase): string[] {
    if (tool.control) return []
    const names = [tool.id, ...Object.values(tool.names), ...(tool.client === undefined ? [] : [tool.client])]
    const means = (pattern: string) => names.some((name) => matchesGlob(name, pattern, ''))
    const all = Object.entries(this.#ports.hooks)
    return all
      .filter(([, { when = ['before'], tools }]) => when.includes(phase) && tools.some(means))
      .map(([name]) => name)
  }

  /** Ask a hook once. Asked again about the same call, as after a crash, it sees the same `webhook-id`. */
  async ask(name: string, phase: HookPhase, call: HookedCall, signal: AbortSignal): Promise<HookAnswer> {
    const { hooks, fetch, now } = this.#ports
    const hook = hooks[name]
    if (!hook) return { outcome: 'failed', detail: 'there is no such hook', isOpen: false }
    const failed = (detail: string): HookAnswer => ({ outcome: 'failed', detail, isOpen: hook.fail === 'open' })
    const secret = this.#secretOf(hook)
    if (secret === null) return failed('the server has no secret for it')
    const { signedHeaders } = await import('./payload.ts')
    const body = JSON.stringify(payloadOf(name, phase, call, now()))
    const timeoutMs = hook.timeout_ms ?? LIMITS.toolHook.timeoutMs
    const outcome = await fetch(hook.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'yaa',
        ...signedHeaders({ secret, previousSecret: null }, `${call.callId}:${phase}:${name}`, body, now()),
      },
      body,
      maxRedirects: 0,
      timeoutMs,
      bodyBytesMax: LIMITS.toolHook.answerBytesMax,
      signal,
    })
    signal.throwIfAborted()
    if (!outcome.ok && outcome.code === 'timeout') return failed(`it gave no answer within ${timeoutMs} ms`)
    if (!outcome.ok) return failed(describeFailure(outcome, 'en'))
    const { status, bytes } = outcome.response
    if (status < 200 || status >= 300) return failed(`it answered with status ${status}`)
    return readAnswer(new TextDecoder().decode(bytes), phase) ?? failed('its answer is none that a hook gives')
  }

  #secretOf({ secret, secret_env: variable }: ToolHookConfig): string | null {
    const value = secret ?? this.#ports.secret(variable ?? '')
    return value !== undefined && /^whsec_[A-Za-z0-9+/]{16,}={0,2}$/.test(value) ? value : null
  }
}

function payloadOf(hook: string, phase: HookPhase, call: HookedCall, now: number) {
  const { sessionId, runId, callId, tenant, user, tool, risk, arguments: args, result } = call
  const { contentCharsMax } = LIMITS.toolHook
  return {
    type: `tool.${phase}`,
    timestamp: new Date(now).toISOString(),
    data: {
      hook,
      session_id: sessionId,
      run_id: runId,
      call_id: callId,
      tenant,
      user,
      tool,
      risk,
      arguments: args,
      ...(result ? { result: { ...result, content: cutText(result.content, contentCharsMax) } } : {}),
    },
  }
}

/** What a hook says: nothing, or `{}`, lets the call be made. Null: it is no such answer. */
function readAnswer(text: string, phase: HookPhase): HookAnswer | null {
  if (text.trim() === '') return { outcome: 'allowed' }
  const answer = jsonObject(text)
  if (!answer) return null
  const { decision = 'allow', reason, arguments: args, ...others } = answer
  if (Object.keys(others).length > 0) return null
  if (decision === 'refuse') {
    const said = typeof reason === 'string' ? cutText(reason, LIMITS.toolHook.reasonCharsMax) : ''
    return { outcome: 'refused', reason: said }
  }
  if (decision !== 'allow') return null
  if (args === undefined) return { outcome: 'allowed' }
  return isObject(args) && phase === 'before' ? { outcome: 'changed', arguments: args } : null
}
