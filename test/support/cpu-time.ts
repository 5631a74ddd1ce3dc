/** Milliseconds that this thread computes for a piece of work: what else the machine does at the time is not counted. */
export function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

/** Of the fastest of so many times. */
export function fastestCpuMs(times: number, work: () => unknown): number {
  return Math.min(...Array.from({ length: times }, () => cpuMs(work)))
}
