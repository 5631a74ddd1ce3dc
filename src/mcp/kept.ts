import { LIMITS } from '../domain/limits.ts'

/** Keep what can be found again; a map that is full begins anew. */
export function keepBounded<T>(map: Map<string, T>, key: string, value: T): void {
  if (map.size >= LIMITS.mcp.keptMax && !map.has(key)) map.clear()
  map.set(key, value)
}
