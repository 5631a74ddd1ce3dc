const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** A Ctrl-C comes twice when it is both the terminal's and passed on by a parent: that is one. */
const SAME_MS = 250

/** Calls `onSignal` for the first signal to end, `onRepeat` for those after it, until it is closed. */
export function onInterrupt(onSignal: () => void, onRepeat: () => void): () => void {
  let first: number | undefined
  const handle = () => {
    const now = Date.now()
    if (first === undefined) {
      first = now
      onSignal()
    } else if (now - first > SAME_MS) onRepeat()
  }
  for (const signal of SIGNALS) process.on(signal, handle)
  return () => {
    for (const signal of SIGNALS) process.off(signal, handle)
  }
}
