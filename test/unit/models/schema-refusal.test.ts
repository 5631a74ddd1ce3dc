import { afterEach, describe, test } from 'vitest'
import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import type { EncodedRequest, ModelTool, Protocol } from '../../../src/domain/model.ts'
import type { ModelConfig } from '../../../src/domain/model-config.ts'
import { createModels } from '../../../src/models/try.ts'
import { isObject } from '../../../src/lib/json.ts'
import { type MockModel, startScriptedModel } from '../../support/scripted-model.ts'
import { FINISH, specFor } from './call.ts'

const open: MockModel[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } }
const JSON_TEXT = '{"city":"巴黎"}'

/** A service that follows a script, and calls of one alias with a clock in hand. */
async function service(script: StepInput[], config: Partial<ModelConfig> = {}) {
  const model = await startScriptedModel({ script })
  open.push(model)
  const clock = { now: 1_000_000 }
  const ports = { fetchFor: () => fetch, sleep: () => Promise.resolve(), random: () => 0, now: () => clock.now }
  const models = createModels(ports)
  const spec = specFor(model.url, config)
  const ask = async (tools: ModelTool[] = [], protocol: Protocol = 'native') => {
    const say = (_: unknown, as: Protocol = protocol): EncodedRequest => ({
      protocol: as,
      request: {
        messages: [{ role: 'user', content: '好' }],
        outputSchema: SCHEMA,
        ...(as !== 'xml' && { tools }),
      },
      observer: { onDelta: () => false, onArguments: () => false },
    })
    const budget = { reserve: () => Promise.resolve(true), tellWait: () => {}, settle: () => Promise.resolve() }
    const { signal } = new AbortController()
    const { outcome } = await models.call({ spec, tenant: 'default', said: say(spec), say, attempt: 1, budget, signal })
    return outcome.ok ? outcome.reply.content : outcome.failure.code
  }
  /** Of each request since the last look, whether it had a schema. */
  const sent = () => model.requests.splice(0).map(({ body }) => isObject(body) && 'response_format' in body)
  return { clock, ask, sent }
}

const refused = (error: Record<string, unknown> | string, status = 400): StepInput => ({ status, body: { error } })

const SILENT = refused({ code: '1210', message: 'API 调用参数有误，请检查文档。' })

describe('a service that is sent a schema', () => {
  test.for([
    ['says only that the request is bad', refused('Bad Request')],
    ['says so with 422', refused('Unprocessable Entity', 422)],
    ['says so in Chinese', SILENT],
  ] as const)('and %s is asked without it, and sent none for a while', async ([, refusal], { expect }) => {
    const { clock, ask, sent } = await service([refusal, JSON_TEXT, JSON_TEXT, JSON_TEXT])
    expect(await ask()).toBe(JSON_TEXT)
    expect(sent()).toEqual([true, false])
    clock.now += LIMITS.model.findingsMs - 1
    expect(await ask()).toBe(JSON_TEXT)
    expect(sent()).toEqual([false])
    clock.now += 1
    expect(await ask()).toBe(JSON_TEXT)
    expect(sent()).toEqual([true])
  })

  test('is asked no third time, and sent the next one, where it refuses the same without', async ({ expect }) => {
    const { ask, sent } = await service([SILENT, SILENT, JSON_TEXT])
    expect(await ask()).toBe('model_rejected')
    expect(sent()).toEqual([true, false])
    expect(await ask()).toBe(JSON_TEXT)
    expect(sent()).toEqual([true])
  })

  test('is sent none for a while where its answer came after a wait', async ({ expect }) => {
    const config = { retry: { times: 1, delay_ms: 1 } }
    const { ask, sent } = await service([SILENT, { status: 503 }, JSON_TEXT, JSON_TEXT], config)
    expect(await ask()).toBe(JSON_TEXT)
    expect(await ask()).toBe(JSON_TEXT)
    expect(sent()).toEqual([true, false, false, false])
  })

  test('and says that it takes none is sent none, whatever became of the call', async ({ expect }) => {
    const { ask, sent } = await service([refused('response_format is not supported'), SILENT, JSON_TEXT])
    expect(await ask()).toBe('model_rejected')
    expect(await ask()).toBe(JSON_TEXT)
    expect(sent()).toEqual([true, false, false])
  })

  test.for([
    refused({ message: 'Failed to generate JSON. Please adjust your prompt.', code: 'json_validate_failed' }),
    refused("JSON schema conversion failed:\nPattern must start with '^' and end with '$'"),
    refused('failed to parse grammar'),
    refused('Invalid grammar request with cache hit=False: EBNF parser error'),
    refused('The provided JSON schema contains features not supported by xgrammar.'),
    refused("Invalid schema for response_format 'answer': 'allOf' is not permitted."),
  ])('is sent the next one where it speaks of this one: %j', async (refusal, { expect }) => {
    const { ask, sent } = await service([refusal, JSON_TEXT, JSON_TEXT])
    expect(await ask()).toBe(JSON_TEXT)
    expect(await ask()).toBe(JSON_TEXT)
    expect(sent()).toEqual([true, false, true])
  })

  test('is asked in text first where it refuses the tools that it was sent with it', async ({ expect }) => {
    const config = { quirks: { structured_output: true } }
    const { ask, sent } = await service([refused('tools are not supported'), JSON_TEXT, JSON_TEXT], config)
    expect(await ask([FINISH], 'auto')).toBe(JSON_TEXT)
    expect(await ask()).toBe(JSON_TEXT)
    expect(sent()).toEqual([true, true, true])
  })
})

describe('a service that takes no schema beside tools', () => {
  const held: StepInput = { content: JSON_TEXT, headers: { server: 'uvicorn' } }

  test.for([
    ['says so', refused('response_format cannot be used together with tools')],
    ['says so of a grammar', refused('Cannot use custom grammar constraints with tools.')],
    ['would hold all to it', held],
  ] as const)('and %s is sent it where none are offered', async ([, first], { expect }) => {
    const { clock, ask, sent } = await service([first, JSON_TEXT, JSON_TEXT, JSON_TEXT, JSON_TEXT])
    expect(await ask([FINISH])).toBe(JSON_TEXT)
    expect(await ask([FINISH])).toBe(JSON_TEXT)
    expect(await ask()).toBe(JSON_TEXT)
    expect(sent()).toEqual([true, false, false, true])
    clock.now += LIMITS.model.findingsMs
    expect(await ask([FINISH])).toBe(JSON_TEXT)
    expect(sent()).toEqual([true])
  })

  test('is believed where its config says that it takes both, or no tools are offered', async ({ expect }) => {
    const { ask, sent } = await service([held, held], { quirks: { structured_output: true } })
    expect(await ask([FINISH])).toBe(JSON_TEXT)
    expect(sent()).toEqual([true])
    const other = await service([held])
    expect(await other.ask()).toBe(JSON_TEXT)
    expect(other.sent()).toEqual([true])
  })
})

describe('a service that is sent no schema', () => {
  test('as its config says is not asked again, nor taken to refuse one', async ({ expect }) => {
    const refusal = refused("tools.0.parameters: unsupported JSON schema in 'response_format'")
    const { ask, sent } = await service([refusal, JSON_TEXT], { quirks: { structured_output: false } })
    expect(await ask()).toBe('model_rejected')
    expect(await ask()).toBe(JSON_TEXT)
    expect(sent()).toEqual([false, false])
  })
})
