import { LIMITS } from '../../domain/limits.ts'
import type { McpListedTool, McpServer } from '../../domain/mcp.ts'
import type { Risk, Tool, ToolContext, ToolNews, ToolOutcome, ToolQuestion } from '../../domain/tool.ts'
import type { WantedConnection } from '../../domain/wanted-connection.ts'
import { addressesWithin } from '../../lib/addresses.ts'
import { canonicalJson } from '../../lib/hash.ts'
import { cutText } from '../../lib/text.ts'
import type { McpRegistry } from '../../mcp/registry.ts'
import { failureWords, serverWords, type McpFailure } from '../../mcp/failure.ts'
import { calledBySchema } from '../by-schema.ts'
import { secretQuestion } from '../wanted-secret.ts'
import { fencedAnswer, mcpOutcome } from './answer.ts'
import { TEXTS } from './texts.ts'
import type { Language } from '../../domain/language.ts'
import { choicesOf, nextQuestion, elicitationText, responseFor, type InputWanted } from '../../mcp/elicitation.ts'
import { withServerIds } from '../../domain/tool-id.ts'

/** Has tools of servers called. */
type McpCaller = Pick<McpRegistry, 'call'>

/** A tool of a server. What it says of itself counts only where the server's hints are believed. */
export function mcpTool(id: string, server: McpServer, listed: McpListedTool, caller: McpCaller): Tool {
  const { readOnlyHint, idempotentHint, destructiveHint } = (server.trustHints && listed.annotations) || {}
  const isReadOnly = readOnlyHint === true
  const isDestructive = !isReadOnly && destructiveHint === true
  const risk: Risk = isReadOnly ? 'read' : isDestructive ? 'destructive' : 'write'
  const idempotent = isReadOnly || idempotentHint === true
  const description = cutText(descriptionOf(listed), LIMITS.mcp.toolDescriptionChars)
  const called = calledBySchema(listed.inputSchema)
  const written = `${server.name}__${listed.name}`
  return {
    id,
    ...(written === id ? {} : { written }),
    names: { 'zh-CN': id, en: id },
    description: { 'zh-CN': description, en: description },
    get parameters() {
      return called.parameters
    },
    get definition() {
      return canonicalJson(listed)
    },
    risk,
    riskOf: () => risk,
    effects: (args) => ({ addresses: addressesWithin(args, LIMITS.http.jsonDepthMax), paths: [] }),
    alwaysAsks: isDestructive,
    server: server.name,
    idempotent,
    isIdempotent: () => idempotent,
    sequential: false,
    synchronous: false,
    control: false,
    needs: null,
    timeoutMs: LIMITS.mcp.callMs + LIMITS.mcp.probeMs,
    output: { charsMax: LIMITS.tool.outputCharsMax, linesMax: LIMITS.tool.outputLinesMax, strategy: 'head_tail' },
    units: null,
    paginates: false,
    provenance: 'source',
    guarded: false,
    inputSchema: called.inputSchema,
    parse: called.parse,
    run: (args, context) => run(server, listed, caller, args, context),
  }
}

function descriptionOf({ name, title, description, annotations }: McpListedTool): string {
  const called = title ?? annotations?.title
  const said = description?.trim() || called || name
  return called && !said.includes(called) ? `${called}: ${said}` : said
}

async function run(
  server: McpServer,
  listed: McpListedTool,
  caller: McpCaller,
  args: Record<string, unknown>,
  context: ToolContext,
): Promise<ToolOutcome> {
  const { home, tenant, sessionId, user, by, callId, signal, language } = context
  const answered = takeAnswer(server.name, context)
  if (answered.type === 'asks') return answered.outcome
  const place = {
    home,
    tenant,
    sessionId,
    user,
    by,
    language,
    callId,
    signal,
    trace: await context.trace(),
    notify: (news: ToolNews) => context.report(news),
  }
  const called = await caller.call(server, listed, args, place, answered.input)
  if (!called.ok)
    return (
      (await askForAccess(server, called.failure, answered, context)) ?? failed(server.name, called.failure, context)
    )
  if ('answer' in called) return mcpOutcome(server.name, called.answer, context)
  const rounds = (answered.input?.rounds ?? 0) + 1
  const asks = ask(server.name, { ...called.wanted, rounds }, language, null)
  return asks ?? failed(server.name, { code: 'wants_input' }, context)
}

async function failed(server: string, failure: McpFailure, context: ToolContext): Promise<ToolOutcome> {
  const ours = [failureWords(failure, context.language), ...(isUnsure(failure) ? [TEXTS[context.language].unsure] : [])]
  const said = serverWords(failure)
  if (said === null) return { ok: false, reason: ours.join(' ') }
  return { ok: false, reason: `${ours.join(' ')}\n${await fencedAnswer(server, said, context)}`, untrusted: true }
}

/** Whether the server may have done what it was asked for. */
function isUnsure({ code }: McpFailure): boolean {
  return code === 'timeout' || code === 'unreachable' || code === 'too_long' || code === 'bad_answer'
}

/** Where a call stands that asked the user: ready to be made (again), or with a further question. */
type Taken = { type: 'ready'; input: InputWanted | null; visits: number } | { type: 'asks'; outcome: ToolOutcome }

/** A call that waits for the user to authorise the server. */
interface Visit {
  /** Times that the user was asked to. */
  visits: number
  /** What the server wanted to know before. */
  input: InputWanted | null
}

/** Take the user's answer to what the server asked last; what does not fit is asked again. */
function takeAnswer(server: string, { answer, language }: Pick<ToolContext, 'answer' | 'language'>): Taken {
  if (answer === null) return { type: 'ready', input: null, visits: 0 }
  const wanted = JSON.parse(answer.state) as InputWanted | Visit
  const { declined } = answer
  if (declined) return takeNo(server, wanted, declined, language)
  if ('visits' in wanted) return { type: 'ready', ...wanted }
  const asked = nextQuestion(wanted)
  if (asked === null || asked === 'unknown') return { type: 'ready', input: wanted, visits: 0 }
  const given = responseFor(asked, answer.said)
  const next = given.ok
    ? { ...wanted, responses: { ...wanted.responses, [asked.key]: given.response } }
    : { ...wanted, rounds: wanted.rounds + 1 }
  const outcome = ask(server, next, language, given.ok ? null : given.wrong)
  return outcome ? { type: 'asks', outcome } : { type: 'ready', input: next, visits: 0 }
}

/** Nobody answers what is open: the server is told so by the call that is made again. Who was to be authorised needs no telling, nor who
 *  was told already that its question is cancelled. */
function takeNo(server: string, wanted: InputWanted | Visit, action: 'decline' | 'cancel', language: Language): Taken {
  const isTold = 'visits' in wanted || (wanted.isCancelled === true && action === 'cancel')
  if (isTold) return { type: 'asks', outcome: { ok: false, reason: TEXTS[language].unanswered(server, action) } }
  const open = Object.keys(wanted.requests).filter((key) => !Object.hasOwn(wanted.responses, key))
  const responses = { ...wanted.responses, ...Object.fromEntries(open.map((key) => [key, { action }])) }
  return { type: 'ready', input: { ...wanted, responses }, visits: 0 }
}

/** The outcome that asks the user what the server wants to know next; null: all is answered, or it is not for users. */
function ask(server: string, wanted: InputWanted, language: Language, wrong: string | null): ToolOutcome | null {
  const asked = nextQuestion(wanted)
  if (asked === null || asked === 'unknown' || wanted.rounds > LIMITS.mcp.roundsMax) return null
  const question = elicitationText(server, asked, language, { wrong, isCancelled: wanted.isCancelled === true })
  return { ok: false, reason: question, asks: { question, options: choicesOf(asked), state: JSON.stringify(wanted) } }
}

/** The outcome that asks for what the server wants first: that the user authorises it at an address, or gives the secret that its headers
 *  name. Null: the failure is another, or that was asked often enough. */
async function askForAccess(
  server: McpServer,
  failure: McpFailure,
  { input, visits }: Visit,
  context: ToolContext,
): Promise<ToolOutcome | null> {
  if (visits >= LIMITS.mcp.roundsMax) return null
  const asked = await accessQuestion(server, failure, context)
  const state: Visit = { visits: visits + 1, input }
  return asked && { ok: false, reason: asked.question, asks: { ...asked, state: JSON.stringify(state) } }
}

async function accessQuestion(
  { name, url: address, grants }: McpServer,
  failure: McpFailure,
  context: ToolContext,
): Promise<Omit<ToolQuestion, 'state'> | null> {
  if (failure.code === 'secret') return secretQuestion(failure.problem, context)
  if (failure.code !== 'authorise') return null
  const connection: WantedConnection = {
    of: 'mcp_server',
    name,
    origin: new URL(address).origin,
    wants: 'grant',
    user: grants === 'user' ? context.user : null,
    authorize_url: failure.url,
  }
  return { question: TEXTS[context.language].authorise(name, failure.url), options: null, connection }
}

/** Tools by the list that they are made of, so that a list that stays is converted once. */
const MADE = new WeakMap<readonly McpListedTool[], { key: string; tools: readonly Tool[] }>()

/** The tools of a server. `isShared`: ids of another server begin alike. */
export function mcpTools(
  server: McpServer,
  listed: readonly McpListedTool[],
  caller: McpCaller,
  isShared = false,
): readonly Tool[] {
  const key = `${server.name}\n${server.version}\n${isShared}`
  const known = MADE.get(listed)
  if (known?.key === key) return known.tools
  const tools = withServerIds(server.name, listed, isShared).map(({ id, tool }) => mcpTool(id, server, tool, caller))
  MADE.set(listed, { key, tools })
  return tools
}
