import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import * as z from 'zod'
import { ROOT } from './bundle.ts'

const CAPNP = `${ROOT}src/cli/serve/config.capnp`
const MIB = 1024 * 1024

/** Path of workerd's binary, which its package exports. */
export function workerdBinary(): string {
  return z.object({ default: z.string() }).parse(createRequire(import.meta.url)('workerd')).default
}

/** Compiles a config of workerd into the folder of its modules, with them in it: workerd reads that in less time than text that names files.
 *  Gives its path. `capnp`: what the config says, as text. */
export function writeConfig(folder: string, capnp = readFileSync(CAPNP, 'utf8')): string {
  const [text, compiled] = [join(folder, 'config.capnp'), join(folder, 'config.bin')]
  writeFileSync(text, capnp)
  const options = { maxBuffer: 64 * MIB } as const
  writeFileSync(compiled, execFileSync(workerdBinary(), ['compile', '--config-only', text], options))
  return compiled
}
