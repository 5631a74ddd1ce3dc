/** How `yaa serve` has its server take up what was open when the one before it ended, and write what waits before it ends. */
export const TAKE_UP = {
  path: '/take-up',
  settlePath: '/settle',
  /** What an end waits for that at most. */
  settleMs: 1_000,
  /** Of one request, and of these so many at a time. */
  sessionsMax: 10_000,
  atOnce: 32,
} as const
