import { longDocument } from '../../support/long-document.ts'
import { startPeers } from '../harness/peers.ts'
import { ask } from '../harness/request.ts'
import type { Case } from '../harness/result.ts'
import { median } from '../harness/rounds.ts'
import { startOurs } from '../harness/sides.ts'

const EVENTS = 130_000
const SECONDS_MAX = 6
const BODY_MB = 30
const MEMORY_MB_MAX = 64
/** Half of what the platform gives an isolate. */
const HEAP_MB = 64
const ROUNDS_MAX = 3

const SESSION_ID = /ses_[0-9a-z]{26}/

/** Big documents: how long one of 130,000 events takes, and the most memory that one of 30 MB, and its fork, take beside what the
 *  server had before. */
export const bigImport: Case = {
  name: 'import',
  run: async (rounds) => {
    const peers = await startPeers()
    const seconds: number[] = []
    const importMb: number[] = []
    const forkMb: number[] = []
    for (let round = 0; round < Math.min(rounds, ROUNDS_MAX); round++) {
      const timed = await startOurs(peers.url)
      seconds.push((await imported(timed.url, eventsDocument(EVENTS))).wallMs / 1_000)
      await timed.stop()
      const server = await startOurs(peers.url, { heapMb: HEAP_MB })
      const peakMb = async (work: () => Promise<unknown>) => {
        const before = server.memoryMb().now
        server.watchPeak()
        await work()
        return server.memoryMb().peak - before
      }
      const small = await imported(server.url, longDocument(10, {}))
      await fork(server.url, small.id)
      let big = ''
      importMb.push(await peakMb(async () => (big = (await imported(server.url, bigDocument(BODY_MB))).id)))
      forkMb.push(await peakMb(() => fork(server.url, big)))
      await server.stop()
    }
    peers.stop()
    return [
      { name: `import of ${EVENTS.toLocaleString('en')} events: seconds`, count: tenths(seconds), goal: SECONDS_MAX },
      { name: `import of ${BODY_MB} MB: memory beside the rest, MB`, count: tenths(importMb), goal: MEMORY_MB_MAX },
      { name: `fork of ${BODY_MB} MB: memory beside the rest, MB`, count: tenths(forkMb), goal: MEMORY_MB_MAX },
    ]
  },
}

async function imported(url: string, document: unknown): Promise<{ id: string; wallMs: number }> {
  const { text, wallMs } = await ask(`${url}/v1/sessions/import`, { body: document })
  return { id: SESSION_ID.exec(text)?.[0] ?? '', wallMs }
}

const fork = (url: string, id: string) => ask(`${url}/v1/sessions/${id}/fork`, { body: {} })

const TIME = '2026-01-01T00:00:00.000Z'

function message(seq: number, content: string) {
  return {
    role: seq % 2 === 1 ? 'user' : 'assistant',
    content,
    id: `m${seq}`,
    seq,
    created_time: TIME,
    run_id: null,
    scope: null,
  }
}

function event(seq: number, content: string) {
  return { seq, run_id: null, scope: null, type: 'message', time: TIME, message: message(seq, content) }
}

/** As short as events are, so that they fit what an import may have. */
function eventsDocument(events: number): unknown {
  return { session: {}, events: Array.from({ length: events }, (_, index) => event(index + 1, `${index}`)) }
}

/** An export of about so many MB, as one of ours has it: messages twice (as such and as events), whole results, files. */
function bigDocument(mb: number): unknown {
  const contents = Array.from(
    { length: mb * 50 },
    (_, index) => `Answer ${index}: ${'white, with a red lantern. '.repeat(300)}`,
  )
  const results = Array.from({ length: 10 }, (_, index) => [`call_${index}`, 'A page. '.repeat(25_000)])
  return {
    object: 'session.export',
    version: 1,
    session: { messages: contents.map((content, index) => message(index + 1, content)) },
    events: contents.map((content, index) => event(index + 1, content)),
    results: Object.fromEntries(results),
    files: [{ path: 'data.bin', data: Buffer.alloc(mb * 50_000, 7).toString('base64') }],
  }
}

const tenths = (values: readonly number[]) => Math.round(median(values) * 10) / 10
