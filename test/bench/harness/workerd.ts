import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import * as z from 'zod'
import { writeWorker, type WorkerModule } from '../../../src/build/bundle.ts'
import { workerdBinary, writeConfig } from '../../../src/build/serve-config.ts'
import { ADMIN_KEY } from '../../support/admin-key.ts'

export interface WorkerdOptions {
  /** Path of a capnp file whose Worker has the modules of `modules.capnp`, or `worker.js` alone. */
  config: string
  bundle: readonly WorkerModule[]
  env?: Record<string, string>
  /** A folder with the files of the pages; default: an empty one. */
  assets?: string
  /** The folder of objects that another process left; default: an empty one. */
  data?: string
  /** What the heap of an isolate may hold, so that garbage which nobody collected yet is not measured; null: what V8 likes. */
  heapMb?: number | null
}

export interface Workerd {
  url: string
  pid: number
  /** The folder of its objects. */
  data: string
  /** When it was spawned, on the clock of `performance.now()`. */
  startedMs: number
  /** Processor time of the process so far, in milliseconds. */
  cpuMs: () => number
  /** Resident memory of the process, and the most that it was since `watchPeak`, in MB. */
  memoryMb: () => { now: number; peak: number }
  watchPeak: () => void
  /** Bytes that the process gave the system to write so far, and what its objects take on the disk. */
  diskBytes: () => { written: number; kept: number }
  stop: () => Promise<void>
}

const listenEvent = z.object({ event: z.literal('listen'), port: z.int() })
const NS_PER_MS = 1e6

/** Deleted together at the end: for a while after many deletions ext4 takes longer to make files, which would be measured. */
const folders: string[] = []
process.once('exit', () => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

/** Run a Worker in bare workerd, with the admin key of tests and its objects in a folder of its own; `listen` told means ready. */
export async function startWorkerd({
  config,
  bundle,
  env = {},
  assets,
  data: left,
  heapMb = null,
}: WorkerdOptions): Promise<Workerd> {
  const folder = mkdtempSync(join(tmpdir(), 'yaa-bench-'))
  folders.push(folder)
  const data = left ?? join(folder, 'data')
  mkdirSync(data, { recursive: true })
  writeWorker(folder, bundle)
  const compiled = writeConfig(folder, withHeap(readFileSync(config, 'utf8'), heapMb))
  const args = ['serve', '--binary', compiled, '--control-fd=3', '--socket-addr=http=127.0.0.1:0']
  const folderFlags = [
    `--directory-path=data=${data}`,
    ...(hasAssets(config) ? [`--directory-path=assets=${assets ?? data}`] : []),
  ]
  const startedMs = performance.now()
  const child = spawn(workerdBinary(), [...args, ...folderFlags], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    env: { YAA_API_KEY: ADMIN_KEY, ...env },
  })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const stop = async () => {
    kill()
    await gone
    process.removeListener('exit', kill)
  }
  const port = await Promise.race([portOf(child.stdio[3]), gone.then(() => null)])
  if (port === null) throw new Error(`workerd ended with ${child.exitCode} before it listened`)
  const pid = child.pid ?? 0
  return {
    url: `http://127.0.0.1:${port}`,
    pid,
    data,
    startedMs,
    cpuMs: () => cpuMsOf(pid),
    memoryMb: () => memoryMbOf(pid),
    // 5 sets the peak back. Source: proc_pid_clear_refs(5).
    watchPeak: () => writeFileSync(`/proc/${pid}/clear_refs`, '5'),
    diskBytes: () => ({ written: writtenBy(pid), kept: keptIn(data) }),
    stop,
  }
}

const FLAGS = 'v8Flags = ['

/** A folder has to be named, whether or not a page is loaded. */
const hasAssets = (config: string) => readFileSync(config, 'utf8').includes('name = "assets"')

function withHeap(config: string, heapMb: number | null): string {
  if (heapMb === null) return config
  const flag = `"--max-heap-size=${heapMb}"`
  return config.includes(FLAGS)
    ? config.replace(FLAGS, `${FLAGS}${flag}, `)
    : config.replace('  logging =', `  ${FLAGS}${flag}],\n  logging =`)
}

function portOf(control: unknown): Promise<number> {
  if (!(control instanceof Readable)) throw new Error('workerd was spawned without its control pipe')
  return new Promise((resolve) => {
    createInterface({ input: control }).on('line', (line) => {
      const event = listenEvent.safeParse(JSON.parse(line))
      if (event.success) resolve(event.data.port)
    })
  })
}

/** Time that the threads of a process ran, user and system. Source: the kernel's sched-stats.rst, /proc/PID/task/TID/schedstat. */
function cpuMsOf(pid: number): number {
  const tasks = `/proc/${pid}/task`
  const ranNs = (tid: string) => Number(readFileSync(`${tasks}/${tid}/schedstat`, 'utf8').split(' ', 1)[0])
  return readdirSync(tasks).reduce((sum, tid) => sum + ranNs(tid), 0) / NS_PER_MS
}

/** Source: proc_pid_status(5), whose kB are 1,024 bytes. */
function memoryMbOf(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const mb = (name: string) => (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1_024) / 1e6
  return { now: mb('VmRSS'), peak: mb('VmHWM') }
}

/** Bytes of its writes to files, and of answers: what it sends to others goes by calls that are not counted. Source: proc_pid_io(5). */
function writtenBy(pid: number): number {
  return Number(/^wchar: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1])
}

/** Blocks of all files. Source: stat(3type), st_blocks of 512 bytes. */
function keptIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const stats = files.map((file) => statSync(join(folder, file), { throwIfNoEntry: false }))
  return stats.reduce((sum, stat) => sum + (stat?.isFile() ? stat.blocks * 512 : 0), 0)
}
