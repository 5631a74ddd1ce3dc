import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { ROOT } from '../../build/bundle.ts'
import { createClient } from '../../client/client.ts'
import { sleep } from '../../lib/wait.ts'
import type { Context } from '../context.ts'
import { CommandError, EXIT } from '../exit.ts'
import { onInterrupt } from '../run/input.ts'
import { bannerLines, openLine } from '../serve/banner.ts'
import { isPortTaken } from '../serve/open-port.ts'
import { checkCheckout, runWrangler } from './deploy.ts'

const SECRET_BYTES = 32
const DEFAULT_PORT = 8787
const ASK_PAUSE_MS = 200

/** What wrangler says of itself at each start is left out, unless it is asked for. */
const QUIET = { WRANGLER_HIDE_BANNER: 'true', WRANGLER_SEND_METRICS: 'false', CLOUDFLARE_CF_FETCH_ENABLED: 'false' }

/** `wrangler dev`, with the Worker as it is on a machine of one's own. What it asks for and signs with is made once. */
export async function dev(context: Context, rest: readonly string[]): Promise<number> {
  const { texts } = context
  checkCheckout(texts)
  const port = portIn(rest)
  if (port !== 0 && (await isPortTaken(port))) throw new CommandError(texts.portInUse(port))
  const newKey = madeKey()
  const level = rest.some((word) => word.startsWith('--log-level')) ? [] : ['--log-level', 'warn']
  const given = rest.some((word) => word.startsWith('--port')) ? [] : ['--port', String(port)]
  const ended = new AbortController()
  const off = onInterrupt(
    () => ended.abort(),
    () => process.exit(EXIT.failed),
  )
  try {
    const args = ['dev', '--var', 'YAA_LOCAL:1', ...level, ...given, ...rest]
    const running = runWrangler(args, { ...QUIET, ...process.env }, ended.signal)
    if (port !== 0) void announce(context, port, newKey, ended.signal)
    const code = await running
    return ended.signal.aborted ? EXIT.ok : code
  } finally {
    ended.abort()
    off()
  }
}

/** The port that wrangler is told, in either form of the option. */
function portIn(rest: readonly string[]): number {
  const at = rest.findIndex((word) => word === '--port' || word.startsWith('--port='))
  const word = rest[at]?.split('=')[1] ?? rest[at + 1]
  return at < 0 || word === undefined ? DEFAULT_PORT : Number(word) || 0
}

/** Makes what `.dev.vars` lacks. The key when it is new; null: there was one. */
function madeKey(): string | null {
  const file = join(ROOT, '.dev.vars')
  const known = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const set = parseEnv(known)
  const names = ['YAA_API_KEY', 'YAA_SECRET', 'YAA_SECRETS_KEY'].filter((name) => !set[name])
  if (names.length === 0) return null
  const lines = names.map((name) => `${name}=${randomBytes(SECRET_BYTES).toString('base64url')}\n`)
  const gap = known === '' || known.endsWith('\n') ? '' : '\n'
  const text = `${known}${gap}${lines.join('')}`
  writeFileSync(file, text, { mode: 0o600 })
  return names.includes('YAA_API_KEY') ? (parseEnv(text)['YAA_API_KEY'] ?? null) : null
}

/** Says where it is once it answers. */
async function announce({ texts, stdout }: Context, port: number, newKey: string | null, signal: AbortSignal) {
  const client = createClient({ server: `http://127.0.0.1:${port}` })
  while (!signal.aborted) {
    const health = await client.health(signal).catch(() => null)
    if (health !== null) {
      const url = `http://localhost:${port}`
      const model = health.default_model ?? null
      const started = { url, model, dataFolder: join(ROOT, '.wrangler', 'state'), key: texts.keptKey(''), newKey }
      return void stdout.write(`${[...bannerLines(started, texts), openLine(started, texts)].join('\n')}\n`)
    }
    await sleep(ASK_PAUSE_MS, signal).catch(() => {})
  }
}
