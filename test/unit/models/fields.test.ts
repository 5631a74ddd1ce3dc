import { describe, test } from 'vitest'
import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import type { ModelMessage } from '../../../src/domain/model.ts'
import { refused, serviceOf } from './service.ts'

const MESSAGES: ModelMessage[] = [{ role: 'user', content: 'task' }]

async function service(script: StepInput[]) {
  const { clock, ask, sent } = await serviceOf(script, { temperature: 0.5 })
  /** Fields beside model and messages. */
  const fields = () =>
    sent().map((body) => {
      const { model: _, messages: _m, ...rest } = body
      return rest
    })
  return { clock, ask: () => ask(MESSAGES), sent: fields }
}

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
