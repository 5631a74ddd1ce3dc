import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { ROOT } from '../../build/bundle.ts'
import type { Context } from '../context.ts'
import { CommandError, EXIT } from '../exit.ts'
import { readConfigFile } from '../serve/config-file.ts'
import { namedSecrets } from '../serve/environment.ts'
import type { TerminalTexts } from '../texts.ts'

export interface DeployFlags {
  config?: string
}

/** `wrangler deploy` with the named config bundled in; without one, `configs/default.json`. */
export async function deploy({ texts, stderr }: Context, flags: DeployFlags, rest: readonly string[]): Promise<number> {
  checkCheckout(texts)
  if (flags.config === undefined) return runWrangler(['deploy', ...rest], {})
  const config = readConfigFile(flags.config, texts)
  for (const { name } of namedSecrets(config, {}).missing) stderr.write(`npx wrangler secret put ${name}\n`)
  for (const [alias, { provider }] of Object.entries(config.models ?? {}))
    if (provider === 'workers-ai' && !hasAiBinding()) stderr.write(`${texts.modelOnPlatform(alias)}\n`)
  return runWrangler(['deploy', ...rest], { YAA_BUNDLED_CONFIG: resolve(flags.config) })
}

const hasAiBinding = (): boolean => /^\[ai\]/m.test(readFileSync(join(ROOT, 'wrangler.toml'), 'utf8'))

/** The Worker is built of its sources, which a package does not have. */
export function checkCheckout(texts: TerminalTexts): void {
  if (!existsSync(join(ROOT, 'wrangler.toml'))) throw new CommandError(texts.checkoutNeeded)
}

/** Runs wrangler under this Node, in the folder of its config, and what it builds with (src/build/main.ts). */
export function runWrangler(
  args: readonly string[],
  env: Record<string, string>,
  signal?: AbortSignal,
): Promise<number> {
  const bin = join(dirname(createRequire(import.meta.url).resolve('wrangler/package.json')), 'bin', 'wrangler.js')
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  signal?.addEventListener('abort', () => child.kill())
  return new Promise((done, failed) => {
    child.once('error', failed)
    child.once('exit', (code) => done(code ?? EXIT.failed))
  })
}
