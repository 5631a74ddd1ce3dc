import { fingerprint } from '../../src/lib/hash.ts'

/** Numbers that are the same for the same seed. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number
  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly [T, ...T[]]): T
  /** A stream of its own for a name, whatever was drawn before. */
  fork(name: string): Random
}

/** Source: mulberry32, public domain. */
export function randomOf(seed: string): Random {
  let state = Number.parseInt(fingerprint(seed), 36) >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: (list) => list[int(0, list.length - 1)] ?? list[0],
    fork: (name) => randomOf(`${seed}/${name}`),
  }
}
