import type { Exit, Workerd } from './launch.ts'

/** Times that it is started again within a minute; whoever ends more often would do so for ever. */
export const RESTARTS_MAX = 5
const WITHIN_MS = 60_000
const PAUSE_MS = 200
const STOP_GRACE_MS = 3_000

interface KeptRunning {
  /** When it was stopped, or ended too often; a start that fails is an end too. */
  exited: Promise<Exit>
  /** Asks workerd to end, and kills it after 3 s. */
  stop: () => Promise<void>
}

/** Starts workerd again when it ends by itself, as after a crash or for want of memory. `onEnd` hears of each time. */
export function keepRunning(first: Workerd, again: () => Promise<Workerd>, onEnd: (exit: Exit) => void): KeptRunning {
  let workerd = first
  let isStopping = false
  const startAgain = async (): Promise<Exit | null> => {
    try {
      workerd = await again()
      if (isStopping) await stopWorkerd(workerd)
      return null
    } catch (error) {
      return { code: null, output: error instanceof Error ? error.message : String(error) }
    }
  }
  const watch = async (): Promise<Exit> => {
    let ends: number[] = []
    let failure: Exit | null = null
    for (;;) {
      const exit: Exit = failure ?? (await workerd.exited)
      ends = [...ends, Date.now()].filter((time) => time > Date.now() - WITHIN_MS)
      if (isStopping || ends.length > RESTARTS_MAX) return exit
      onEnd(exit)
      await new Promise((done) => void setTimeout(done, PAUSE_MS * ends.length))
      if (isStopping) return exit
      failure = await startAgain()
    }
  }
  const exited = watch()
  const stop = async () => {
    isStopping = true
    await stopWorkerd(workerd)
    await exited
  }
  return { exited, stop }
}

/** TERM lets open requests end, but an open event stream holds workerd for ever; so KILL after a while. */
async function stopWorkerd(workerd: Workerd): Promise<void> {
  await workerd.settle()
  workerd.signal('SIGTERM')
  const timer = setTimeout(() => workerd.signal('SIGKILL'), STOP_GRACE_MS)
  await workerd.exited
  clearTimeout(timer)
}
