import { describe, test } from 'vitest'
import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { type ModelMessage, textIn } from '../../../src/domain/model.ts'
import { refused, serviceOf } from './service.ts'

/** A task, a reply that called nothing, and what its model was told of that. */
const WARNED: ModelMessage[] = [
  { role: 'system', content: 'prompt' },
  { role: 'user', content: 'task' },
  { role: 'assistant', content: 'reply' },
  { role: 'user', content: 'warning' },
  { role: 'user', content: 'lesson' },
]

async function service(script: StepInput[]) {
  const { clock, ask, sent } = await serviceOf(script)
  const said = (body: Record<string, unknown>) =>
    (body['messages'] as ModelMessage[]).map(({ role, content }) => `${role}: ${textIn(content)}`)
  return { clock, ask: (messages = WARNED) => ask(messages), sent: () => sent().map(said) }
}

const AS_GIVEN = ['system: prompt', 'user: task', 'assistant: reply', 'user: warning', 'user: lesson']
const JOINED = ['system: prompt', 'user: task', 'assistant: reply', 'user: warning\n\nlesson']
const WITHOUT_SYSTEM = ['user: prompt\n\ntask', 'assistant: reply', 'user: warning\n\nlesson']

describe('a model whose template does not take the roles of messages as they are', () => {
  test.for([
    ['Conversation roles must alternate user/assistant/user/assistant/...', 400, JOINED],
    ['After the optional system message, conversation roles must alternate user and assistant roles', 400, JOINED],
    ['After the (optional) system message(s), user messages should alternate with assistant messages.', 400, JOINED],
    ['Jinja Exception: Conversation roles must alternate user/assistant', 500, JOINED],
    ['System role not supported', 400, WITHOUT_SYSTEM],
    ['Jinja Exception: System role not supported', 500, WITHOUT_SYSTEM],
    ['Developer instruction is not enabled for models/gemma-3-1b-it', 400, WITHOUT_SYSTEM],
  ] as const)('is asked otherwise, and so for a while: %s', async ([message, status, wanted], { expect }) => {
    const { clock, ask, sent } = await service([refused(message, status), 'Paris', 'Rome', 'Oslo'])
    expect(await ask()).toBe('Paris')
    expect(sent()).toEqual([AS_GIVEN, wanted])
    expect(await ask()).toBe('Rome')
    expect(sent()).toEqual([wanted])
    clock.now += LIMITS.model.findingsMs
    expect(await ask()).toBe('Oslo')
    expect(sent()).toEqual([AS_GIVEN])
  })

  test('may want both, one after the other', async ({ expect }) => {
    const script = [refused('roles must alternate', 400), refused('System role not supported', 400), 'Paris']
    const { ask, sent } = await service(script)
    expect(await ask()).toBe('Paris')
    expect(sent()).toEqual([AS_GIVEN, JOINED, WITHOUT_SYSTEM])
  })

  test('fails where nothing can be joined', async ({ expect }) => {
    const { ask, sent } = await service([{ ...(refused('roles must alternate', 400) as object), repeat: true }])
    expect(await ask(WARNED.slice(0, 2))).toBe('model_rejected')
    expect(sent()).toHaveLength(1)
  })
})
