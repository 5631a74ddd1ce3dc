/** One object of each class whose others live no longer than a page. */
const kept: object[] = []

/**
 * Keeps an object for the shape that it has. Where none of a shape is left V8 forgets it when it collects garbage, and with it all code that was
 * made fast for that shape: every page behind that would be read by slow code at first.
 */
export function keepShape(object: object): void {
  kept.push(object)
}
