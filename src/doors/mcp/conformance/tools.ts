import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ContentBlock,
  type ElicitRequestFormParams,
  type InputRequiredResult,
  MissingRequiredClientCapabilityError,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server'
import { isObject, memberOf } from '../../../lib/json.ts'
import { sleep } from '../../../lib/wait.ts'
import { inputAsked, asks, form, ROOTS, sampling } from './questions.ts'
import { embedded, PICTURE, SOUND, text } from './samples.ts'
import { STATE } from './state.ts'

/** The tools of the suite: what each answers is what its scenario expects. */

type Args = Readonly<Record<string, unknown>>
type Answer = CallToolResult | InputRequiredResult
type Fixture = (ctx: ServerContext, args: Args) => Answer | Promise<Answer>

const STEP_MS = 50
const says = (words: string): CallToolResult => ({ content: [text(words)] })
const gives = (...content: ContentBlock[]): CallToolResult => ({ content })

type Fields = ElicitRequestFormParams['requestedSchema']['properties']

/** Asks the user of a client of an earlier revision, in the stream of its call. */
const elicited = (ctx: ServerContext, message: string, properties: Fields, required: string[] = []) =>
  ctx.mcpReq.send({
    method: 'elicitation/create',
    params: { mode: 'form', message, requestedSchema: { type: 'object', properties, required } },
  })

const said = (ctx: ServerContext, key: string) => {
  const one = ctx.mcpReq.inputResponses?.[key]
  return isObject(one) ? one : null
}

/** What the user put into a form; null: nothing yet, or not that. */
function field(ctx: ServerContext, key: string, name: string): unknown {
  const response = said(ctx, key)
  return response?.['action'] === 'accept' ? memberOf(response['content'], name) : null
}

async function logged(ctx: ServerContext): Promise<Answer> {
  for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    await ctx.mcpReq.log('info', words)
    await sleep(STEP_MS)
  }
  return says('Logged.')
}

async function progressed(ctx: ServerContext): Promise<Answer> {
  const progressToken = memberOf(memberOf(ctx.mcpReq, '_meta'), 'progressToken')
  for (const progress of [0, 50, 100]) {
    if (typeof progressToken === 'string' || typeof progressToken === 'number')
      await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
    await sleep(STEP_MS)
  }
  return says('Done.')
}

const declares = (ctx: ServerContext, capability: string) =>
  memberOf(memberOf(ctx.mcpReq.envelope, CLIENT_CAPABILITIES_META_KEY), capability) !== undefined

const FIXTURES: Readonly<Record<string, Fixture>> = {
  test_simple_text: () => says('This is a simple text response for testing.'),
  test_image_content: () => gives({ type: 'image', data: PICTURE, mimeType: 'image/png' }),
  test_audio_content: () => gives({ type: 'audio', data: SOUND, mimeType: 'audio/wav' }),
  test_embedded_resource: () =>
    gives(embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')),
  test_multiple_content_types: () =>
    gives(
      text('Multiple content types test:'),
      { type: 'image', data: PICTURE, mimeType: 'image/png' },
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ),
  test_tool_with_logging: logged,
  test_logging_tool: logged,
  test_error_handling: () => ({ ...says('This tool intentionally returns an error for testing'), isError: true }),
  test_tool_with_progress: progressed,
  test_sampling: async (ctx, { prompt }) => {
    const { content } = await ctx.mcpReq.send(sampling(String(prompt)))
    return says(`LLM response: ${String(memberOf(content, 'text'))}`)
  },
  test_elicitation: async (ctx, { message }) => {
    const fields: Fields = {
      username: { type: 'string', description: "User's response" },
      email: { type: 'string', description: "User's email address" },
    }
    return says(`User response: ${JSON.stringify(await elicited(ctx, String(message), fields, Object.keys(fields)))}`)
  },
  test_elicitation_sep1034_defaults: (ctx) => completed(ctx, 'Please check the defaults', DEFAULTS),
  test_elicitation_sep1330_enums: (ctx) => completed(ctx, 'Please choose', ENUMS),
  test_missing_capability: (ctx) => {
    if (!declares(ctx, 'sampling'))
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
    return says('The client declares sampling.')
  },
  test_streaming_elicitation: async (ctx) => {
    await progressed(ctx)
    return asks({ confirm: ['Go on?', 'ok', 'boolean'] })
  },
  test_input_required_result_elicitation: (ctx) => {
    const name = field(ctx, 'user_name', 'name')
    return typeof name === 'string' ? says(`Hello, ${name}!`) : asks({ user_name: ['What is your name?', 'name'] })
  },
  test_input_required_result_sampling: (ctx) => {
    const response = said(ctx, 'capital_question')
    return response
      ? says(`The model says: ${JSON.stringify(response)}`)
      : inputAsked({ capital_question: sampling('What is the capital of France?') })
  },
  test_input_required_result_list_roots: (ctx) => {
    const response = said(ctx, 'client_roots')
    return response ? says(`Roots: ${JSON.stringify(response['roots'])}`) : inputAsked({ client_roots: ROOTS })
  },
  test_input_required_result_request_state: async (ctx) =>
    said(ctx, 'confirm') && ctx.mcpReq.requestState() === 'confirming'
      ? says('state-ok')
      : inputAsked({ confirm: form('Please confirm', 'ok', 'boolean') }, await STATE.mint('confirming')),
  test_input_required_result_tampered_state: async (ctx) =>
    ctx.mcpReq.requestState() === 'sealed'
      ? says('state-ok')
      : inputAsked({ confirm: form('Please confirm', 'ok', 'boolean') }, await STATE.mint('sealed')),
  test_input_required_result_multiple_inputs: async (ctx) => {
    const keys = ['user_name', 'greeting', 'client_roots']
    if (keys.every((key) => said(ctx, key))) return says(`All of it: ${JSON.stringify(ctx.mcpReq.inputResponses)}`)
    const requests = {
      user_name: form('What is your name?', 'name'),
      greeting: sampling('Generate a greeting', 50),
      client_roots: ROOTS,
    }
    return inputAsked(requests, await STATE.mint('several'))
  },
  test_input_required_result_multi_round: async (ctx) => {
    const round = String(ctx.mcpReq.requestState() ?? '')
    if (round.startsWith('two ') && said(ctx, 'step2'))
      return says(`${round.slice(4)} likes ${String(field(ctx, 'step2', 'color'))}.`)
    if (round === 'one' && said(ctx, 'step1')) {
      const next = { step2: form('Step 2: What is your favorite color?', 'color') }
      return inputAsked(next, await STATE.mint(`two ${String(field(ctx, 'step1', 'name'))}`))
    }
    return inputAsked({ step1: form('Step 1: What is your name?', 'name') }, await STATE.mint('one'))
  },
  test_input_required_result_capabilities: (ctx) => {
    const requests = {
      ...(declares(ctx, 'elicitation') ? { name: form('What is your name?', 'name') } : {}),
      ...(declares(ctx, 'sampling') ? { greeting: sampling('Generate a greeting') } : {}),
      ...(declares(ctx, 'roots') ? { roots: ROOTS } : {}),
    }
    return ctx.mcpReq.inputResponses || Object.keys(requests).length === 0 ? says('Enough.') : inputAsked(requests)
  },
}

async function completed(ctx: ServerContext, message: string, properties: Fields): Promise<Answer> {
  const { action, content } = await elicited(ctx, message, properties)
  return says(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`)
}

const DEFAULTS: Fields = {
  name: { type: 'string', description: 'Name', default: 'John Doe' },
  age: { type: 'integer', description: 'Age', default: 30 },
  score: { type: 'number', description: 'Score', default: 95.5 },
  status: { type: 'string', description: 'Status', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', description: 'Verified', default: true },
}

const options = ['option1', 'option2', 'option3']
const titled = (names: readonly string[]) => names.map((title, at) => ({ const: `value${at + 1}`, title }))

const ENUMS: Fields = {
  untitledSingle: { type: 'string', enum: options },
  titledSingle: { type: 'string', oneOf: titled(['First Option', 'Second Option', 'Third Option']) },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
  titledMulti: { type: 'array', items: { anyOf: titled(['First Choice', 'Second Choice', 'Third Choice']) } },
}

const WORDS: Readonly<Record<string, string>> = { test_sampling: 'prompt', test_elicitation: 'message' }

export const TOOLS: Tool[] = Object.keys(FIXTURES).map((name) => {
  const word = WORDS[name]
  return {
    name,
    description: `The tool ${name} of the conformance suite.`,
    inputSchema: {
      type: 'object',
      properties: word ? { [word]: { type: 'string' } } : {},
      ...(word ? { required: [word] } : {}),
    },
  }
})

/** Null: it is no tool of the suite. */
export async function calledFixture(name: string, args: Args, ctx: ServerContext): Promise<Answer | null> {
  return (await FIXTURES[name]?.(ctx, args)) ?? null
}
