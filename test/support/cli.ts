import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { onLoopback } from './on-loopback.ts'
import { ADMIN_KEY } from './admin-key.ts'

export const YAA = resolve('src/cli/yaa.mjs')

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

export interface Running {
  process: ChildProcess
  /** Resolves with the match once standard output or error matches; rejects when the process ends before. */
  says(pattern: RegExp): Promise<RegExpExecArray>
  ended: Promise<Ended>
}

export interface RunOptions {
  cwd: string
  stdin?: string
  env?: Record<string, string>
  bin?: string
  /** A line of shell before it: what the process may use. */
  limit?: string
}

/** Starts `yaa` with a clean environment: English, no colours, the admin key of tests. */
export function startYaa(args: string[], { cwd, stdin, env = {}, bin = YAA, limit }: RunOptions): Running {
  const command = [process.execPath, bin, ...args]
  const [file = '', ...words] =
    limit === undefined ? command : ['/bin/sh', '-c', `${limit}; exec "$@"`, 'sh', ...command]
  const child = spawn(file, words, {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, LANG: 'C', YAA_API_KEY: ADMIN_KEY, ...env },
  })
  let stdout = ''
  let stderr = ''
  const listeners = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    for (const listener of listeners) listener()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    for (const listener of listeners) listener()
  })
  child.stdin.end(stdin ?? '')
  const ended = once(child, 'close').then(([code]): Ended => ({
    code: typeof code === 'number' ? code : null,
    stdout,
    stderr,
  }))
  const says = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((found, failed) => {
      const look = () => {
        const match = pattern.exec(stdout) ?? pattern.exec(stderr)
        if (match === null) return
        listeners.delete(look)
        found(match)
      }
      listeners.add(look)
      void ended.then((end) => failed(new Error(`yaa ended before it said ${pattern}: ${JSON.stringify(end)}`)))
      look()
    })
  return { process: child, says, ended }
}

export const runYaa = (args: string[], options: RunOptions): Promise<Ended> => startYaa(args, options).ended

/** A folder for one test file, with the means to write files into it. */
export function workFolder(): { path: string; file(name: string, content: unknown): string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'yaa-e2e-'))
  return {
    path,
    file: (name, content) => {
      writeFileSync(join(path, name), typeof content === 'string' ? content : JSON.stringify(content))
      return join(path, name)
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}

export interface Site {
  url: string
  /** `host:port`, as `web.allow_private_hosts` names it. */
  host: string
  hits: string[]
  close(): Promise<void>
}

/** A web server on loopback with one page; it keeps the paths that it was asked for. */
export async function startSite(html: string): Promise<Site> {
  const hits: string[] = []
  const server = createServer((request, response) => {
    hits.push(request.url ?? '')
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html)
  })
  return { ...(await onLoopback(server)), hits }
}
