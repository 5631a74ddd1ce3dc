/** Milliseconds that this thread computes for a piece of work: what else the machine does at the time is not counted. */
function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

const ROUNDS = 2
const TRIES = 5
/** What is over sooner is not told apart from nothing. */
const MS_MIN = 0.5

const fastestMs = (work: () => unknown): number =>
  Math.max(MS_MIN, Math.min(...Array.from({ length: ROUNDS }, () => cpuMs(work))))

/** Whether one long text takes little more than as many short ones as are as long together, on any machine. Garbage that is
 *  collected can fall into all rounds of a try; work that grows too fast is too much in every try. */
export function isLinear(work: (text: string) => unknown, short: string, long: string): boolean {
  const count = Math.round(long.length / short.length)
  const each = () => {
    for (let index = 0; index < count; index++) work(short)
  }
  // Quadratic work takes `count` times as long.
  const timesMax = Math.max(4, count / 4)
  for (let tries = 0; tries < TRIES; tries++) {
    if (fastestMs(() => work(long)) < timesMax * fastestMs(each)) return true
  }
  return false
}
