import { afterEach, describe, test } from 'vitest'
import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import type { EncodedRequest, ModelMessage } from '../../../src/domain/model.ts'
import { createModels } from '../../../src/models/try.ts'
import { isObject } from '../../../src/lib/json.ts'
import { type MockModel, startScriptedModel } from '../../support/scripted-model.ts'
import { specFor } from './call.ts'

const open: MockModel[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const MESSAGES: ModelMessage[] = [{ role: 'user', content: 'task' }]

/** A service that follows a script, and calls of one alias with a clock in hand. */
async function service(script: StepInput[]) {
  const model = await startScriptedModel({ script })
  open.push(model)
  const clock = { now: 1_000_000 }
  const ports = { fetchFor: () => fetch, sleep: () => Promise.resolve(), random: () => 0, now: () => clock.now }
  const models = createModels(ports)
  const spec = specFor(model.url, { temperature: 0.5 })
  const ask = async () => {
    const observer = { onDelta: () => false, onArguments: () => false }
    const said: EncodedRequest = { protocol: 'xml', request: { messages: MESSAGES }, observer }
    const budget = { reserve: () => Promise.resolve(true), tellWait: () => {}, settle: () => Promise.resolve() }
    const { signal } = new AbortController()
    const { outcome } = await models.call({ spec, tenant: 'a', said, say: () => said, attempt: 1, budget, signal })
    return outcome.ok ? outcome.reply.content : outcome.failure.code
  }
  /** Of each request since the last look, its fields beside model and messages. */
  const sent = () =>
    model.requests.splice(0).map(({ body }) => {
      const { model: _, messages: _m, ...fields } = isObject(body) ? body : {}
      return fields
    })
  return { clock, ask, sent }
}

const refused = (message: string, status = 400): StepInput => ({ status, body: { error: { message } } })

const stream_options = { include_usage: true }
const AS_GIVEN = { max_tokens: 4_096, temperature: 0.5, stream: true, stream_options }

describe('a service that does not take a field as it is sent', () => {
  test.for([
    ['Unrecognized request argument supplied: stream_options', 400, { ...AS_GIVEN, stream_options: undefined }],
    [
      "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs are not permitted'}]",
      422,
      { ...AS_GIVEN, stream_options: undefined },
    ],
    ['Streaming is not supported for this model', 400, { ...AS_GIVEN, stream: false, stream_options: undefined }],
    [
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      400,
      { ...AS_GIVEN, max_tokens: undefined, max_completion_tokens: 4_096 },
    ],
    [
      "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.",
      400,
      { ...AS_GIVEN, temperature: undefined },
    ],
  ] as const)('is sent it otherwise, and so for a while: %s', async ([message, status, wanted], { expect }) => {
    const { clock, ask, sent } = await service([refused(message, status), 'Paris', 'Rome', 'Oslo'])
    const known = JSON.parse(JSON.stringify(wanted)) as unknown
    expect(await ask()).toBe('Paris')
    expect(sent()).toEqual([AS_GIVEN, known])
    expect(await ask()).toBe('Rome')
    expect(sent()).toEqual([known])
    clock.now += LIMITS.model.findingsMs
    expect(await ask()).toBe('Oslo')
    expect(sent()).toEqual([AS_GIVEN])
  })

  test('may not take several of them', async ({ expect }) => {
    const { ask, sent } = await service([
      refused("'max_tokens' is not supported. Use 'max_completion_tokens' instead."),
      refused("'temperature' is not supported with this model."),
      'Paris',
    ])
    expect(await ask()).toBe('Paris')
    expect(sent().at(-1)).toEqual({ max_completion_tokens: 4_096, stream: true, stream_options })
  })

  test('is not asked for ever, and not where it says nothing of a field', async ({ expect }) => {
    const always = refused('Unknown parameter: stream_options')
    const { ask, sent } = await service([always, always, refused('temperature must be at most 0.1')])
    expect(await ask()).toBe('model_rejected')
    expect(sent()).toHaveLength(2)
    expect(await ask()).toBe('model_rejected')
    expect(sent()).toHaveLength(1)
  })
})
