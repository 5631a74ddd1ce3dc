import { afterEach, describe, test } from 'vitest'
import { BudgetLedger } from '../../../src/budget/budget-ledger.ts'
import type { ScriptInput } from '../../../src/cli/mock-model/script.ts'
import type { Account, BudgetPort } from '../../../src/domain/budget.ts'
import type { NewSession } from '../../../src/domain/session-input.ts'
import { NATIVE } from '../../../src/http/projections.ts'
import { createEngine } from '../../../src/run/setup/create-engine.ts'
import { Session } from '../../../src/session/session.ts'
import { DIRECTORY_SCHEMA } from '../../../src/store/directory.ts'
import { memoryLog } from '../../../src/store/memory-log.ts'
import { migrate } from '../../../src/store/migrate.ts'
import { nodeDatabase } from '../../support/node-database.ts'
import { plan } from '../../support/planned.ts'
import { valueOf } from '../../support/play.ts'
import { type MockModel, startScriptedModel } from '../../support/scripted-model.ts'
import { WORDS } from '../../support/words.ts'

const TOKENS = 1_000_000
const ACCOUNT: Account = { of: 'tenant', id: 'default', limits: { day: { max_total_tokens: TOKENS } } }
const finishes = { content: WORDS.en.finish('good'), usage: { prompt_tokens: 90, completion_tokens: 10 } }

const started: MockModel[] = []
afterEach(async () => {
  for (const model of started.splice(0)) await model.close()
})

/** The budgets of a tenant in an object far away, whose answer to the nth reservation comes once the test opens it. */
function farBudgets(held: number) {
  const db = nodeDatabase()
  migrate(db, DIRECTORY_SCHEMA)
  const ledger = new BudgetLedger(db)
  const reserved = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  let asked = 0
  const port: BudgetPort = {
    accountsOf: () => [ACCOUNT],
    reserve: async (_tenant, wanted) => {
      const refusal = ledger.reserve(wanted, Date.now())
      if (++asked < held) return refusal
      reserved.resolve()
      await opened.promise
      return refusal
    },
    settle: async (_tenant, id, spent) => ledger.settle(id, spent),
  }
  const booked = () => TOKENS - (ledger.remaining(ACCOUNT, Date.now()).day?.max_total_tokens ?? 0)
  return { port, reserved: reserved.promise, open: () => opened.resolve(), booked, asked: () => asked }
}

/** A session with a run that goes on, whose model answers by a script. */
async function runOn(script: ScriptInput, budgets: BudgetPort, input: NewSession = {}) {
  const model = await startScriptedModel({ script })
  started.push(model)
  const bugs: unknown[] = []
  const retry = { times: 1, delay_ms: 1 }
  const m = { api_url: model.url, model: 'm', protocol: 'xml' as const, max_tokens: 100, retry }
  const world = { publicFetch: fetch, privateFetch: null, workersAi: null, runtime: 'Node.js', budgets }
  const models = { secret: () => undefined, workersAi: false }
  const { engine } = createEngine({ models: { m }, default_model: 'm', language: 'en' }, { ...world, models })
  const session = new Session(
    {
      log: memoryLog(),
      now: Date.now,
      engine,
      compacts: true,
      alarm: { set: () => {}, clear: () => {} },
      directory: { put: async () => null, remove: async () => null },
      outbox: null,
      keepAlive: (work) => void work.catch((error: unknown) => bugs.push(error)),
      destroy: async () => {},
      report: (error) => bugs.push(error),
    },
    NATIVE,
  )
  await valueOf(session.create('ses_1', 'default', input, { form: 'wait' }))
  await valueOf(session.addMessage({ content: WORDS.en.task }, { form: 'background' }))
  return { session, model, bugs, over: session.wake() }
}

describe('a session that is deleted', () => {
  test('while a call is being reserved gives back what was reserved', async ({ expect }) => {
    const budgets = farBudgets(1)
    const { session, model, bugs, over } = await runOn([finishes], budgets.port)
    await budgets.reserved
    expect(budgets.booked()).toBeGreaterThan(0)
    await valueOf(session.remove())
    budgets.open()
    await over
    expect(bugs).toEqual([])
    expect(budgets.booked()).toBe(0)
    expect(model.requests).toHaveLength(0)
  })

  test('while one more try is being reserved gives that back, and keeps what the first may have cost', async ({
    expect,
  }) => {
    const budgets = farBudgets(2)
    const { session, model, bugs, over } = await runOn([{ body: 'nonsense' }, finishes], budgets.port)
    await budgets.reserved
    const both = budgets.booked()
    await valueOf(session.remove())
    budgets.open()
    await over
    expect(bugs).toEqual([])
    expect(budgets.booked()).toBe(both / 2)
    expect(model.requests).toHaveLength(1)
  })

  test('while a sub-task is reserved begins no other', async ({ expect }) => {
    const budgets = farBudgets(2)
    const script = [plan('one', 'two'), { hang: true, repeat: true }]
    const { session, model, bugs, over } = await runOn(script, budgets.port, { orchestrator: 'plan' })
    await budgets.reserved
    await valueOf(session.remove())
    budgets.open()
    await over
    expect(bugs).toEqual([])
    expect(budgets.asked()).toBe(2)
    expect(model.requests).toHaveLength(1)
  })
})
