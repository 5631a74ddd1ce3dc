#!/usr/bin/env node
// The bin `yaa`. Plain JavaScript, so that it starts under Node 20; what follows is TypeScript and wants Node 24, which
// comes as the devDependency `node`. In a package it is bundled (src/build/package.ts) and wants what node:sqlite needs.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

const MAIN = new URL('./main.ts', import.meta.url)
const MARKDOWN = new URL('./markdown.mjs', import.meta.url)
const PACKED = new URL('../../dist/cli/main.js', import.meta.url)
const BUNDLED = fileURLToPath(new URL('../../node_modules/node/bin/node', import.meta.url))
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const stripsTypes = major > 22 || (major === 22 && minor >= 18)

// Node keeps what it compiles for the next start, in its folder of temporary files; where it cannot, it goes on without.
module.enableCompileCache?.()

if (!existsSync(MAIN)) await runPacked()
else if (major < 24 && existsSync(BUNDLED)) runUnder(BUNDLED)
else if (stripsTypes) await import(MARKDOWN.href).then(() => import(MAIN.href))
else {
  console.error(
    `yaa: Node 22.18 or newer is needed, this is ${process.versions.node}; \`npm ci\` in yaa's folder brings one.`,
  )
  process.exitCode = 1
}

async function runPacked() {
  if (major > 22 || (major === 22 && minor >= 13)) return import(PACKED.href)
  console.error(`yaa: Node 22.13 or newer is needed, this is ${process.versions.node}.`)
  process.exitCode = 1
}

/** Hands everything to another Node: arguments, stdio, signals; its end is our end, and ours (of the channel) is its. */
function runUnder(node) {
  const child = spawn(node, ['--import', MARKDOWN.href, fileURLToPath(MAIN), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    console.error(`yaa: ${error.message}`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
}
