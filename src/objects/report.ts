/** Tell the operator of a bug: one JSON line. What goes to clients never holds any of it. */
export function report(error: unknown): void {
  const { name, message, stack } =
    error instanceof Error ? error : { name: 'Error', message: String(error), stack: undefined }
  console.error(JSON.stringify({ level: 'error', event: 'bug', name, message, stack }))
}
