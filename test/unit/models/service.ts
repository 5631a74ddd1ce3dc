import { afterEach } from 'vitest'
import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import type { EncodedRequest, ModelMessage } from '../../../src/domain/model.ts'
import type { ModelConfig } from '../../../src/domain/model-config.ts'
import { isObject } from '../../../src/lib/json.ts'
import { createModels } from '../../../src/models/try.ts'
import { type MockModel, startScriptedModel } from '../../support/scripted-model.ts'
import { specFor } from './call.ts'

const open: MockModel[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

/** A service that follows a script, and calls of one alias with a clock in hand. `sent`: the bodies of the requests since it was called last. */
export async function serviceOf(script: StepInput[], config: Partial<ModelConfig> = {}) {
  const model = await startScriptedModel({ script })
  open.push(model)
  const clock = { now: 1_000_000 }
  const ports = { fetchFor: () => fetch, sleep: () => Promise.resolve(), random: () => 0, now: () => clock.now }
  const models = createModels(ports)
  const spec = specFor(model.url, config)
  const ask = async (messages: ModelMessage[]) => {
    const observer = { onDelta: () => false, onArguments: () => false }
    const said: EncodedRequest = { protocol: 'xml', request: { messages }, observer }
    const budget = { reserve: () => Promise.resolve(true), tellWait: () => {}, settle: () => Promise.resolve() }
    const { signal } = new AbortController()
    const { outcome } = await models.call({ spec, tenant: 'a', said, say: () => said, attempt: 1, budget, signal })
    return outcome.ok ? outcome.reply.content : outcome.failure.code
  }
  const sent = () => model.requests.splice(0).map(({ body }) => (isObject(body) ? body : {}))
  return { clock, ask, sent }
}

/** A step of a script: the service refuses a request with these words. */
export const refused = (message: string, status = 400): StepInput => ({ status, body: { error: { message } } })
