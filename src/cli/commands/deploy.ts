import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { ROOT } from '../../build/bundle.ts'
import type { Context } from '../context.ts'
import { CommandError, EXIT } from '../exit.ts'
import { readConfigFile } from '../serve/config-file.ts'
import { namedSecrets } from '../serve/environment.ts'
import type { TerminalTexts } from '../texts.ts'

const SECRET_BYTES = 32

export interface DeployFlags {
  config?: string
}

/** `wrangler deploy` with the named config bundled in; without one, `configs/default.json`. */
export async function deploy({ texts, stderr }: Context, flags: DeployFlags, rest: readonly string[]): Promise<number> {
  checkCheckout(texts)
  if (flags.config === undefined) return runWrangler(['deploy', ...rest], {})
  const config = readConfigFile(flags.config, texts)
  for (const { name } of namedSecrets(config, {}).missing) stderr.write(`npx wrangler secret put ${name}\n`)
  return runWrangler(['deploy', ...rest], { YAA_BUNDLED_CONFIG: resolve(flags.config) })
}

/** `wrangler dev`, with the Worker as it is on a machine of one's own. What it asks for and signs with is made once. */
export async function dev({ texts, stderr }: Context, rest: readonly string[]): Promise<number> {
  checkCheckout(texts)
  const file = join(ROOT, '.dev.vars')
  const known = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const names = ['YAA_API_KEY', 'YAA_SECRET'].filter((name) => !parseEnv(known)[name])
  const lines = names.map((name) => `${name}=${randomBytes(SECRET_BYTES).toString('base64url')}\n`)
  if (lines.length > 0) {
    const gap = known === '' || known.endsWith('\n') ? '' : '\n'
    writeFileSync(file, `${known}${gap}${lines.join('')}`, { mode: 0o600 })
    stderr.write(`${texts.devVarsMade(names)}\n`)
  }
  return runWrangler(['dev', '--var', 'YAA_LOCAL:1', ...rest], {})
}

/** Both build the Worker of its sources, which a package does not have. */
function checkCheckout(texts: TerminalTexts): void {
  if (!existsSync(join(ROOT, 'wrangler.toml'))) throw new CommandError(texts.checkoutNeeded)
}

/** Runs wrangler under this Node, in the folder of its config, and what it builds with (src/build/main.ts). */
function runWrangler(args: readonly string[], env: Record<string, string>): Promise<number> {
  const bin = join(dirname(createRequire(import.meta.url).resolve('wrangler/package.json')), 'bin', 'wrangler.js')
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  return new Promise((done, failed) => {
    child.once('error', failed)
    child.once('exit', (code) => done(code ?? EXIT.failed))
  })
}
