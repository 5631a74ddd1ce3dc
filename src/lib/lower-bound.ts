/** The index of the first of the sorted `values` that is not less than `wanted`; their number if there is none. */
export function lowerBound(values: readonly number[], wanted: number): number {
  let low = 0
  let high = values.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((values[middle] ?? 0) < wanted) low = middle + 1
    else high = middle
  }
  return low
}
