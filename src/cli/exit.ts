/** Exit codes of every command. */
export const EXIT = { ok: 0, failed: 1, usage: 2, waits: 3 } as const

/** Ends a command with a code and one line for the person; not a bug, so no stack is shown. */
export class CommandError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message)
    this.name = 'CommandError'
    this.exitCode = exitCode
  }
}

export const usageError = (message: string): CommandError => new CommandError(message, EXIT.usage)
