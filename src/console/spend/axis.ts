/** The end of an axis: the next of 1, 2, 4 and 8 times a power of ten, which four parts divide well. */
export function niceTop(highest: number): number {
  if (highest <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(highest))
  return ([1, 2, 4, 8].find((step) => step * power >= highest) ?? 10) * power
}
