import { signal } from '@preact/signals'

/** Sessions that were deleted here: shown nowhere, whether or not the server knows yet. */
export const hiddenSessions = signal<ReadonlySet<string>>(new Set())
