import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import * as z from 'zod'
import { newSecretText } from '../../lib/secret.ts'
import { openSessions, settleReports, takeUpSessions } from './take-up.ts'
import { workerdBinary } from '../../build/serve-config.ts'

/** Runs "$@" in the background with as many open files as the system lets it have, and tells that number and its pid on fd 3. fd 4 is a pipe that only the launcher holds: when that process is
 *  gone, however it went, `cat` ends and the child is killed. Signals go to the pid, not to the shell. */
const TIED =
  'max=$(ulimit -H -n); (ulimit -n "$max") 2>/dev/null && ulimit -n "$max"; echo \'{"event":"files","max":"\'$(ulimit -n)\'"}\' >&3; ' +
  '"$@" 4<&- & p=$!; echo \'{"event":"pid","pid":\'$p\'}\' >&3; (cat <&4 >/dev/null; kill -9 $p 2>/dev/null) 3>&- & wait $p'

const OUTPUT_TAIL_CHARS = 8_192

const controlEvent = z.discriminatedUnion('event', [
  /** `unlimited`, on some systems. */
  z.object({ event: z.literal('files'), max: z.string() }),
  z.object({ event: z.literal('pid'), pid: z.int() }),
  z.object({ event: z.literal('listen'), port: z.int() }),
])

export interface LaunchOptions {
  /** Path of the capnp file, as text or compiled. */
  config: string
  dataFolder: string
  assetsFolder: string
  /** 0: any free one. */
  port: number
  env: Record<string, string | undefined>
  /** A line of workerd's own output. */
  onLine: (line: string) => void
}

export interface Exit {
  code: number | null
  /** The end of what it wrote. */
  output: string
}

const logged = z.object({ message: z.string() })

export interface Workerd {
  /** The port, or the exit when it ended before it listened. */
  listening: Promise<{ ok: true; port: number } | { ok: false; exit: Exit }>
  exited: Promise<Exit>
  /** Of workerd itself, once it listens. */
  readonly pid: number | undefined
  /** Files that it may have open, once it listens. */
  readonly filesMax: number
  /** Has it write what waits, so that it can end; at once where it does not answer in time. */
  settle(): Promise<void>
  signal(name: 'SIGTERM' | 'SIGKILL'): void
}

/** Starts workerd so that it never outlives this process, and has it go on with the sessions that were open when the one before it on the same
 *  folder ended. */
export function launchWorkerd({ config, dataFolder, assetsFolder, port, env: given, onLine }: LaunchOptions): Workerd {
  const proof = newSecretText()
  const env = { ...given, YAA_TAKE_UP: proof }
  const open = openSessions(dataFolder)
  const args = [
    'serve',
    ...(config.endsWith('.bin') ? ['--binary'] : []),
    config,
    '--control-fd=3',
    `--socket-addr=http=127.0.0.1:${port}`,
    `--directory-path=data=${dataFolder}`,
    `--directory-path=assets=${assetsFolder}`,
  ]
  // Detached: a Ctrl-C of the terminal is the launcher's to handle.
  const child = spawn('/bin/sh', ['-c', TIED, 'sh', workerdBinary(), ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
    env,
    detached: true,
  })
  let pid: number | undefined
  let listensOn: number | undefined
  let filesMax = Infinity
  let tail = ''
  const onOutput = (line: string) => {
    tail = `${tail}${line}\n`.slice(-OUTPUT_TAIL_CHARS)
    onLine(ownLine(line))
  }
  readLines(child.stdout, onOutput)
  readLines(child.stderr, onOutput)
  const exited = new Promise<Exit>((resolve) => {
    child.once('error', (error) => resolve({ code: null, output: error.message }))
    child.once('close', (code) => resolve({ code, output: tail }))
  })
  const ended = new AbortController()
  child.once('exit', () => {
    child.stdio[4]?.destroy()
    ended.abort()
  })
  const port3 = new Promise<number>((resolve) => {
    readLines(child.stdio[3], (line) => {
      const event = controlEvent.safeParse(JSON.parse(line))
      if (!event.success) return
      if (event.data.event === 'pid') pid = event.data.pid
      else if (event.data.event === 'files') filesMax = Number(event.data.max) || Infinity
      else resolve((listensOn = event.data.port))
    })
  })
  void port3
    .then((on) => takeUpSessions(`http://127.0.0.1:${on}`, proof, dataFolder, open, ended.signal))
    .catch((error: unknown) => {
      // The next has them noted.
      if (!ended.signal.aborted) onLine(`yaa: ${error instanceof Error ? error.message : String(error)}`)
    })
  return {
    exited,
    listening: Promise.race([
      port3.then((value) => ({ ok: true, port: value }) as const),
      exited.then((exit) => ({ ok: false, exit }) as const),
    ]),
    get pid() {
      return pid
    },
    get filesMax() {
      return filesMax
    },
    settle: async () => {
      if (listensOn !== undefined) await settleReports(`http://127.0.0.1:${listensOn}`, proof)
    },
    signal: (name) => {
      if (pid !== undefined && child.exitCode === null && child.signalCode === null) send(pid, name)
    },
  }
}

/** A fact as the Worker wrote it; workerd puts what is logged into the `message` of a line of its own. */
function ownLine(line: string): string {
  if (!line.startsWith('{')) return line
  try {
    const { message } = logged.parse(JSON.parse(line))
    return message.startsWith('{') ? message : line
  } catch {
    return line
  }
}

function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    // Gone already: that is what was wanted.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

function readLines(stream: unknown, onLine: (line: string) => void): void {
  createInterface({ input: readable(stream), crlfDelay: Infinity }).on('line', onLine)
}

function readable(stream: unknown): Readable {
  if (stream instanceof Readable) return stream
  throw new Error('the child was spawned without its pipes')
}
