import { setTimeout as sleep } from 'node:timers/promises'
import { startPeers } from '../harness/peers.ts'
import { ask } from '../harness/request.ts'
import { resultOf, type Case } from '../harness/result.ts'
import { startOurs } from '../harness/sides.ts'

/** `some`: making so many has taken what making takes at once, since an object that nobody asks is put away after ten seconds. */
const SESSIONS = { many: 10_000, some: 3_000, few: 1_000 }
const AT_ONCE = 16
const MEMORY_MAX = 1.2
/** An isolate on the platform has so much: V8 would take more only because nobody wants it back. */
const HEAP_MB = 128
/** An object that nobody asks is put away after ten seconds, and a connection is closed after 15. */
const PUT_AWAY_MS = 20_000

/** The memory of a server of which 10,000 sessions wait for a time (ours), to that of fewer (floor). What waits takes none: neither of a process that was started over them, to one
 *  over 1,000; nor of the one that made them, to what it had after 3,000, since what making took is kept for the next. */
export const waiting: Case = {
  name: 'waiting',
  run: async () => {
    const peers = await startPeers()
    let server = await startOurs(peers.url, { heapMb: HEAP_MB })
    const steps = [{ id: 'nap', type: 'wait', for_ms: 86_400_000 }]
    await ask(`${server.url}/v1/workflows/nap`, { method: 'PUT', body: { description: 'A nap.', steps } })
    let made = 0
    const memoryNow = async () => {
      await ask(`${server.url}/v1/sessions`, { method: 'GET' })
      await sleep(PUT_AWAY_MS)
      return { wallMs: NaN, cpuMs: server.memoryMb().now }
    }
    const afterMaking = async (count: number) => {
      const oneAfterTheOther = async () => {
        while (made < count) {
          made++
          await ask(`${server.url}/v1/sessions`, { body: { workflow: 'nap', task: 'go' } })
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, oneAfterTheOther))
      return memoryNow()
    }
    const startedOver = async () => {
      const { data } = server
      await server.stop()
      server = await startOurs(peers.url, { data, heapMb: HEAP_MB })
      return memoryNow()
    }
    await afterMaking(SESSIONS.few)
    const startedFew = await startedOver()
    const making = { floor: await afterMaking(SESSIONS.some), ours: await afterMaking(SESSIONS.many) }
    const started = { floor: startedFew, ours: await startedOver() }
    await server.stop()
    peers.stop()
    const megabytes = (value: number) => `${value.toFixed(0)} MB`
    const row = (name: string, measured: typeof started) =>
      resultOf(name, MEMORY_MAX, [measured], ({ cpuMs }) => cpuMs, megabytes)
    return [
      row('10,000 sessions that wait (to 1,000): memory of a new process', started),
      row('10,000 sessions that wait (to 3,000): memory of the process that made them', making),
    ]
  },
}
