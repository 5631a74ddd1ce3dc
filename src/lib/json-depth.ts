/** Whether a JSON value is nested deeper than so many levels. Never recurses. */
export function isDeeper(value: unknown, levelsMax: number): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levelsMax) return true
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []))
  }
  return false
}
