/** How `yaa serve` has its server take up what was open when the one before it ended. */
export const TAKE_UP = {
  path: '/take-up',
  /** Of one request, and of these so many at a time. */
  sessionsMax: 10_000,
  atOnce: 32,
} as const
