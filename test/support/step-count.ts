import { type Profiler, Session } from 'node:inspector/promises'
import { setFlagsFromString } from 'node:v8'

/** What makes code fast makes V8 lose some of its steps. Flags are the whole process's. */
const FAST = ['opt', 'maglev', 'sparkplug', 'use-osr', 'flush-bytecode']
const setFast = (isFast: boolean) => {
  for (const flag of FAST) setFlagsFromString(`--${isFast ? '' : 'no-'}${flag}`)
}

/** How often any piece of src/agent and src/lib runs during a piece of work: each function, and each block whose count V8 keeps apart
 *  from that of its function. The same on every machine. */
export async function stepsOf(work: () => unknown): Promise<number> {
  const session = new Session()
  session.connect()
  setFast(false)
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
    work()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    return result
      .filter(({ url }) => /\/src\/(?:agent|lib)\//.test(url))
      .reduce((sum, script) => sum + countOf(script), 0)
  } finally {
    setFast(true)
    session.disconnect()
  }
}

function countOf({ functions }: Profiler.ScriptCoverage): number {
  return functions.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0)
}
