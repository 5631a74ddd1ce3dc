import { CountingServer } from '../cost/run-cost.ts'
import type { Case } from '../harness/result.ts'

const GOALS: Readonly<Record<string, number>> = {
  'transactions of SESSION': 10,
  'statements of SESSION': 25,
  'prompt tokens, first request': 1_200,
  'prompt tokens, first request in Chinese': 1_200,
}

/** What one run costs in counts, which are the same on every machine; test/e2e/run-cost.test.ts holds them. */
export const cost: Case = {
  name: 'cost',
  run: async () => {
    const server = await CountingServer.start()
    const counts = await server.runCost()
    const awaited = await server.awaitedCalls(counts)
    await server.stop()
    return [
      ...Object.entries(counts).map(([name, count]) => ({
        name: `one run: ${name}`,
        count,
        goal: GOALS[name] ?? null,
      })),
      { name: `one run: calls that a keyed answer waits for (${awaited.join(', ')})`, count: awaited.length, goal: 0 },
    ]
  },
}
