import { readFileSync } from 'node:fs'
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'

/** Markdown files are texts, as they are for the Worker's bundle. */
const markdown = {
  name: 'markdown-as-text',
  enforce: 'pre' as const,
  load(id: string) {
    return id.endsWith('.md') ? `export default ${JSON.stringify(readFileSync(id, 'utf8'))}` : undefined
  },
}

const times = { testTimeout: 30_000, hookTimeout: 60_000 }

/** `--experimental-vm-modules`: the library is tried in a realm that holds web globals only. */
const node = (name: string, include: string[]) => ({
  plugins: [markdown],
  test: { name, include, environment: 'node', execArgv: ['--experimental-vm-modules'], ...times },
})

/** In workerd, with the bindings of wrangler.toml; the model and the pages that it speaks to run in Node. */
const worker = {
  plugins: [
    markdown,
    cloudflareTest(({ inject }) => ({
      wrangler: { configPath: './wrangler.toml' },
      miniflare: { bindings: { YAA_LOCAL: '1', YAA_CONFIG: inject('config'), YAA_SECRETS: inject('secrets') } },
    })),
  ],
  test: {
    name: 'worker',
    include: ['test/worker/**/*.test.ts'],
    globalSetup: ['test/support/peers-setup.ts'],
    ...times,
  },
}

export default defineConfig({
  test: {
    projects: [
      node('unit', ['test/unit/**/*.test.ts']),
      node('contract', ['test/contract/**/*.test.ts']),
      worker,
      node('e2e', ['test/e2e/**/*.test.ts']),
    ],
  },
})
