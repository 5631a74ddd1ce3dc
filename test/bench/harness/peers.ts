import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath, URL } from 'node:url'
import * as z from 'zod'

export interface Peers {
  /** Origin of the model (any POST) and of the pages (`/page/1` …). */
  url: string
  stop: () => void
}

/** Start the model and the pages in a process of their own; it ends with this one. */
export async function startPeers(): Promise<Peers> {
  const file = fileURLToPath(new URL('peers-process.ts', import.meta.url))
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] })
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve)
    child.once('exit', (code) => reject(new Error(`the peers ended with ${code}`)))
  })
  const { url } = z.object({ url: z.string() }).parse(JSON.parse(line))
  return { url, stop: () => void child.kill() }
}
