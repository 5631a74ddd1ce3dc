import { afterEach, test } from 'vitest'
import { type MockModel, startScriptedModel } from '../../support/scripted-model.ts'
import { failureIn, specFor, tryCall } from './call.ts'

const open: MockModel[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

test.for([
  "This model's maximum context length is 4097 tokens. However, your messages resulted in 5021 tokens.",
  'prompt is too long: 213462 tokens > 200000 maximum',
  'input length and `max_tokens` exceed context limit: 199211 + 4096 > 200000, decrease input length',
  'The decoder prompt (length 5100) is longer than the maximum model length of 4096.',
  '`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 512 `max_new_tokens`',
  'the request exceeds the available context size. try increasing the context size',
  'input length exceeds maximum context length',
  "This model's maximum prompt length is 131072 but the request contains 200000 tokens.",
  'Prompt 超长',
  'Total tokens of image and text exceed max message tokens.',
])('a 400 is an overflow: %s', async (message, { expect }) => {
  const model = await startScriptedModel({ script: [{ status: 400, body: { error: { message } } }] })
  open.push(model)
  expect(failureIn(await tryCall(specFor(model.url))).code).toBe('model_overflow')
})
