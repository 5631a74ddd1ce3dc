/** How long a test lets work take that is to succeed, in milliseconds: no claim is about it, so it is long for the slowest machine. */
export const PATIENCE_MS = 60_000
