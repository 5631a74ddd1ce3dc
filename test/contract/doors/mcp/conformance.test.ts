import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { startServed, type Served } from '../../../support/served.ts'

const SUITE = resolve('node_modules/@modelcontextprotocol/conformance/dist/index.js')
const SCENARIO_MS = 60_000

let served: Served
let keyed: Server

/** The suite shows no key: what stands before the server adds one, and passes on the rest as it came. */
function withKey({ url, key }: Served): Server {
  const { port } = new URL(url)
  return createServer((asked, answer) => {
    const headers = { ...asked.headers, authorization: `Bearer ${key}` }
    const passed = request({ port, method: asked.method, path: asked.url, headers }, (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers)
      given.pipe(answer)
    })
    answer.on('close', () => passed.destroy())
    passed.on('error', () => answer.destroy())
    asked.pipe(passed)
  }).listen(0, '127.0.0.1')
}

beforeAll(async () => {
  served = await startServed({ html: '', env: { YAA_CONFORMANCE: '1' } })
  keyed = withKey(served)
  await once(keyed, 'listening')
})
afterAll(async () => {
  keyed.closeAllConnections()
  keyed.close()
  await served.close()
})

/** Runs the server scenarios that a revision requires. */
async function conformance(revision: string): Promise<{ code: unknown; report: string }> {
  const cwd = mkdtempSync(join(tmpdir(), 'yaa-mcp-'))
  const url = `http://localhost:${(keyed.address() as AddressInfo).port}/mcp`
  const args = [SUITE, 'server', '--url', url, '--requirements', revision, '--timeout', String(SCENARIO_MS)]
  const suite = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  let told = ''
  for (const stream of [suite.stdout, suite.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      told += text
    })
  const [code] = await once(suite, 'close')
  rmSync(cwd, { recursive: true, force: true })
  return { code, report: told }
}

for (const revision of ['2026-07-28', '2025-11-25'])
  test(`the server is what revision ${revision} requires`, async ({ expect }) => {
    const { code, report } = await conformance(revision)
    expect(report).toContain('tools-call-simple-text')
    expect(code, report.slice(-20_000)).toBe(0)
  })
