import * as z from 'zod'
import { LIMITS } from '../../domain/limits.ts'
import { type MemoryOf, preferenceKey, preferenceValue } from '../../domain/memory.ts'
import type { Tool } from '../../domain/tool.ts'
import { defineTool } from '../define.ts'
import { FORGET, RECALL, REMEMBER } from './texts.ts'

const { queryCharsMax, recallDefault, recallMax, recallOutputCharsMax, recallOutputLinesMax } = LIMITS.memory

const EXPECTED = { query: `1–${queryCharsMax}`, count: `1–${recallMax}` } as const

/** The tools of a session that has a user: they reach that user's memory and no other. */
export function memoryTools(memoryOf: MemoryOf): Tool[] {
  return [recallTool(memoryOf), rememberTool(memoryOf), forgetTool(memoryOf)]
}

function recallTool(memoryOf: MemoryOf): Tool {
  return defineTool({
    id: 'recall',
    provenance: 'memory',
    ...RECALL,
    risk: 'read',
    idempotent: true,
    needs: 'user',
    output: { charsMax: recallOutputCharsMax, linesMax: recallOutputLinesMax },
    input: z.strictObject({
      query: z.string(EXPECTED.query).trim().min(1, EXPECTED.query).max(queryCharsMax, EXPECTED.query),
      count: z.coerce
        .number(EXPECTED.count)
        .int(EXPECTED.count)
        .min(1, EXPECTED.count)
        .max(recallMax, EXPECTED.count)
        .optional(),
    }),
    run: async ({ query, count = recallDefault }, context) =>
      (await import('./calls.ts')).recall(memoryOf, { query, count }, context),
  })
}

function rememberTool(memoryOf: MemoryOf): Tool {
  return defineTool({
    id: 'remember',
    ...REMEMBER,
    risk: 'write',
    idempotent: true,
    needs: 'user',
    input: z.strictObject({ key: preferenceKey, value: preferenceValue }),
    run: async (preference, context) => (await import('./calls.ts')).remember(memoryOf, preference, context),
  })
}

function forgetTool(memoryOf: MemoryOf): Tool {
  return defineTool({
    id: 'forget',
    ...FORGET,
    risk: 'write',
    idempotent: true,
    needs: 'user',
    input: z.strictObject({ key: preferenceKey }),
    run: async ({ key }, context) => (await import('./calls.ts')).forget(memoryOf, key, context),
  })
}
