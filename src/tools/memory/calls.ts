import { LIMITS } from '../../domain/limits.ts'
import type { Memory, MemoryOf, Preference, Round } from '../../domain/memory.ts'
import type { ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { fence } from '../../lib/fence.ts'
import { cutText } from '../../lib/text.ts'
import { TEXTS } from './answer-texts.ts'

const { recallTextChars } = LIMITS.memory

/** Search what was said with the user before. */
export function recall(
  memoryOf: MemoryOf,
  { query, count }: { query: string; count: number },
  context: ToolContext,
): Promise<ToolOutcome> {
  return withMemory(memoryOf, context, async (memory) => {
    const rounds = await memory.search(query, count)
    if (rounds.length === 0) return { ok: true, content: TEXTS[context.language].nothingFound }
    return { ok: true, content: await reportOf(rounds, context), untrusted: true, essence: JSON.stringify(rounds) }
  })
}

/** Keep a preference of the user. */
export function remember(
  memoryOf: MemoryOf,
  preference: Pick<Preference, 'key' | 'value'>,
  context: ToolContext,
): Promise<ToolOutcome> {
  return withMemory(memoryOf, context, async (memory) => {
    await memory.put(preference)
    return { ok: true, content: null }
  })
}

/** Forget a preference of the user. */
export function forget(memoryOf: MemoryOf, key: string, context: ToolContext): Promise<ToolOutcome> {
  return withMemory(memoryOf, context, async (memory) =>
    (await memory.remove(key))
      ? { ok: true, content: null }
      : { ok: false, reason: TEXTS[context.language].unknownKey(key) },
  )
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
