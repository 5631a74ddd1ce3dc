/** What one block of runs took: the median run's wall time, and processor time a run. */
export interface Block {
  wallMs: number
  cpuMs: number
}

export interface Pair {
  ours: Block
  floor: Block
}

const WARM_UP_ROUNDS = 2

/** Blocks of both sides in turn (A B B A A B …), so that a machine that slows down slows both. */
export async function measurePairs(
  rounds: number,
  ours: () => Promise<Block>,
  floor: () => Promise<Block>,
): Promise<Pair[]> {
  const pairs: Pair[] = []
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    const oursFirst = round % 2 === 0
    const first = oursFirst ? await ours() : await floor()
    const second = oursFirst ? await floor() : await ours()
    if (round >= 0) pairs.push(oursFirst ? { ours: first, floor: second } : { ours: second, floor: first })
  }
  return pairs
}

/** Runs one after the other; `run` gives the milliseconds that count. */
export async function measureBlock(runs: number, cpuMs: () => number, run: () => Promise<number>): Promise<Block> {
  const before = cpuMs()
  const wallMs: number[] = []
  for (let i = 0; i < runs; i++) wallMs.push(await run())
  return { wallMs: median(wallMs), cpuMs: (cpuMs() - before) / runs }
}

/** So many sessions with their runs one after the other, all at once: wall time is the whole by the number of runs, so that half of it
 *  is twice as many runs a second. */
export async function measureAtOnce(
  sessions: number,
  runsEach: number,
  cpuMs: () => number,
  run: () => Promise<number>,
): Promise<Block> {
  const [before, started] = [cpuMs(), performance.now()]
  const blocks = Array.from({ length: sessions }, () => measureBlock(runsEach, cpuMs, run))
  await Promise.all(blocks)
  const runs = sessions * runsEach
  return { wallMs: (performance.now() - started) / runs, cpuMs: (cpuMs() - before) / runs }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2
}
