import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { chromium, type Browser } from 'playwright-core'

const UNPACKED = resolve('node_modules/@sparticuz/chromium/unpacked')
const FONTS = resolve('test/support/fonts.conf')
const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']

/** The browser that npm brought, so that all test with the same one, or the one that `YAA_TEST_BROWSER` names; with the same fonts, or those
 *  of the file that `YAA_TEST_FONTS` names. */
export async function launchBrowser(): Promise<Browser> {
  const named = process.env['YAA_TEST_BROWSER']
  if (!existsSync(UNPACKED)) await unpack()
  const libraries = named ? {} : { LD_LIBRARY_PATH: join(UNPACKED, 'al2023/lib') }
  const executablePath = named ?? join(UNPACKED, 'chromium')
  try {
    return await chromium.launch({
      executablePath,
      args: ARGS,
      env: { ...process.env, ...libraries, FONTCONFIG_FILE: process.env['YAA_TEST_FONTS'] ?? FONTS },
    })
  } catch (cause) {
    const advice =
      'npm brings one for Linux on x64 with glibc; elsewhere set YAA_TEST_BROWSER to the path of a Chromium.'
    throw new Error(`The browser ${executablePath} does not start here. ${advice}`, { cause })
  }
}

/** It unpacks into the folder for temporary files, its libraries too where it takes itself to be on Lambda. */
const UNPACK = `await (await import('@sparticuz/chromium')).default.executablePath()`

/** Test files in other processes begin at the same time: who is ready first puts the whole folder in its place. */
async function unpack(): Promise<void> {
  const folder = await mkdtemp(`${UNPACKED}-`)
  try {
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', UNPACK], {
      env: { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' },
    })
    await rename(folder, UNPACKED)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    if (!existsSync(UNPACKED)) throw error
  }
}
