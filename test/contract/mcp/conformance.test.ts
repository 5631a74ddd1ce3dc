import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'vitest'
import { startPlayer } from '../../support/mcp-conformance-player.ts'

const SUITE = resolve('node_modules/@modelcontextprotocol/conformance/dist/index.js')
const CLIENT = `${process.execPath} ${resolve('test/support/mcp-conformance-caller.mjs')}`
/** The suite starts all scenarios at once: they wait that long for their turn. */
const TURN_MS = 540_000

/** Runs the client scenarios that a revision requires. Those that are not passed stand in exceptions.yaml with their reasons;
 *  one that is there and passes fails the run too. */
async function conformance(revision: string): Promise<{ code: unknown; report: string }> {
  const cwd = mkdtempSync(join(tmpdir(), 'yaa-mcp-'))
  const exceptions = resolve(`test/contract/mcp/exceptions-${revision}.yaml`)
  const player = await startPlayer()
  const command = `${CLIENT} ${player.port}`
  const required = ['--requirements', revision, '--expected-failures', exceptions]
  const args = [SUITE, 'client', '--command', command, ...required, '--timeout', String(TURN_MS)]
  const suite = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  let told = ''
  for (const stream of [suite.stdout, suite.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      told += text
    })
  const [code] = await once(suite, 'close')
  player.close()
  rmSync(cwd, { recursive: true, force: true })
  return { code, report: told.slice(told.indexOf('=== SUITE SUMMARY ===')) }
}

for (const revision of ['2026-07-28', '2025-11-25'])
  test(`the client is what revision ${revision} requires, but for the exceptions`, async ({ expect }) => {
    const { code, report } = await conformance(revision)
    expect(report).toContain('✓ tools_call')
    expect(code, report).toBe(0)
  })
