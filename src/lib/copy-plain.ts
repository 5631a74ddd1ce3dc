/** A deep copy of plain data: arrays, objects without a prototype of their own, primitives. Some times faster than
 *  `structuredClone`, which has to look for much more. */
export function copyPlain<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyPlain) as T
  const copy = { ...value } as Record<string, unknown>
  for (const key in copy) {
    const inner = copy[key]
    if (typeof inner === 'object' && inner !== null) copy[key] = copyPlain(inner)
  }
  return copy as T
}
