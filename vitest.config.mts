import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

/** Markdown files are texts, as they are for the Worker's bundle. */
const markdown = {
  name: 'markdown-as-text',
  enforce: 'pre' as const,
  load(id: string) {
    return id.endsWith('.md') ? `export default ${JSON.stringify(readFileSync(id, 'utf8'))}` : undefined
  },
}

/** `--experimental-vm-modules`: the library is tried in a realm that holds web globals only. */
const node = (name: string, include: string[]) => ({
  plugins: [markdown],
  test: { name, include, environment: 'node', execArgv: ['--experimental-vm-modules'], testTimeout: 30_000, hookTimeout: 60_000 },
})

export default defineConfig({
  test: {
    projects: [
      node('unit', ['test/unit/**/*.test.ts']),
      node('contract', ['test/contract/**/*.test.ts']),
      node('e2e', ['test/e2e/**/*.test.ts']),
    ],
  },
})
