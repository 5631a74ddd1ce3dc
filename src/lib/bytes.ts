const UTF_8 = new TextEncoder()

/** Bytes of a text in UTF-8. */
export function bytesOf(text: string): number {
  return UTF_8.encode(text).byteLength
}

/** The first items, as many as are together no more than `bytesMax` as JSON; the first always. */
export function withinBytes<T>(
  items: readonly T[],
  bytesMax: number,
  jsonOf: (item: T) => string = JSON.stringify,
): T[] {
  return items.slice(0, Math.max(1, fitting(items, bytesMax, jsonOf)))
}

/** The same with the first that is too much, so that whoever asked for one more than a page knows that there is more. */
export function beyondBytes<T>(items: readonly T[], bytesMax: number): T[] {
  return items.slice(0, Math.max(2, fitting(items, bytesMax, JSON.stringify) + 1))
}

function fitting<T>(items: readonly T[], bytesMax: number, jsonOf: (item: T) => string): number {
  let left = bytesMax
  const first = items.findIndex((item) => (left -= bytesOf(jsonOf(item))) < 0)
  return first < 0 ? items.length : first
}
