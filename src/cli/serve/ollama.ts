import * as z from 'zod'
import type { Fetch } from '../../domain/ports.ts'

const OLLAMA = 'http://127.0.0.1:11434/api/tags'
const TIMEOUT_MS = 300

const tags = z.object({ models: z.array(z.object({ name: z.string() })) })

/** The first model of an Ollama that answers on this machine; null: there is none. Source: Ollama's API, "List local models". */
export async function ollamaModel(fetch: Fetch, address: string = OLLAMA): Promise<string | null> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    return tags.parse(await response.json()).models[0]?.name ?? null
  } catch {
    return null
  }
}
