import * as z from 'zod'
import { LIMITS } from '../../domain/limits.ts'
import { type Memory, type MemoryOf, preferenceKey, preferenceValue, type Round } from '../../domain/memory.ts'
import type { Tool, ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { cutText } from '../../lib/text.ts'
import { defineTool } from '../define.ts'
import { fence } from '../../lib/fence.ts'
import { FORGET, RECALL, REMEMBER, TEXTS } from './texts.ts'

const { queryCharsMax, recallDefault, recallMax, recallTextChars, recallOutputCharsMax, recallOutputLinesMax } =
  LIMITS.memory

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
    run: ({ query, count = recallDefault }, context) =>
      withMemory(memoryOf, context, async (memory) => {
        const rounds = await memory.search(query, count)
        if (rounds.length === 0) return { ok: true, content: TEXTS[context.language].nothingFound }
        return { ok: true, content: await reportOf(rounds, context), untrusted: true, essence: JSON.stringify(rounds) }
      }),
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
    run: (preference, context) =>
      withMemory(memoryOf, context, async (memory) => {
        await memory.put(preference)
        return { ok: true, content: null }
      }),
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
    run: ({ key }, context) =>
      withMemory(memoryOf, context, async (memory) =>
        (await memory.remove(key))
          ? { ok: true, content: null }
          : { ok: false, reason: TEXTS[context.language].unknownKey(key) },
      ),
  })
}

async function withMemory(
  memoryOf: MemoryOf,
  { tenant, user, language }: ToolContext,
  use: (memory: Memory) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  if (user === null) return { ok: false, reason: TEXTS[language].unknownUser }
  try {
    return await use(memoryOf(tenant, user))
  } catch {
    return { ok: false, reason: TEXTS[language].unavailable }
  }
}

async function reportOf(rounds: readonly Round[], { language, sessionId, callId }: ToolContext): Promise<string> {
  const texts = TEXTS[language]
  const cut = (text: string) => cutText(text.trim(), recallTextChars)
  const inside = rounds
    .map(({ timestamp, user_message: said, ai_response: answer }) =>
      [`${texts.time}${timestamp}`, `${texts.user}${cut(said)}`, `${texts.answer}${cut(answer)}`].join('\n'),
    )
    .join('\n\n')
  return `${texts.found}\n${await fence(inside, texts.begin, texts.end, `${sessionId}\n${callId}`)}`
}
