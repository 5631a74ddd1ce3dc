import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { SKILLS_MODULE, skillsModule } from './src/build/skill-folders.ts'
import { ADMIN_KEY } from './test/support/admin-key.ts'

/** Markdown files are texts, as they are for the Worker's bundle. */
const markdown = {
  name: 'markdown-as-text',
  enforce: 'pre' as const,
  load(id: string) {
    return id.endsWith('.md') ? `export default ${JSON.stringify(readFileSync(id, 'utf8'))}` : undefined
  },
}

/** Skills are what their folders held, as they are for the Worker's bundle. */
const skills = {
  name: 'skill-folders',
  enforce: 'pre' as const,
  load: (id: string) => (SKILLS_MODULE.test(id) ? skillsModule(dirname(id)) : undefined),
}

/** `import()` as it is in a bundle, which holds the module already. Vite would fetch it each time, in the middle of a test and for an
 *  object that may die meanwhile: then nobody ever gets it. */
const bundledImports = {
  name: 'imports-as-bundled',
  transform(code: string, id: string) {
    if (!id.startsWith(`${import.meta.dirname}/src/`)) return undefined
    const paths: string[] = []
    const bundled = code.replaceAll(/\bimport\(\s*(["'][^"']+["'])\s*\)/g, (_, path: string) => {
      paths.push(path)
      return `Promise.resolve(bundled${paths.length})`
    })
    if (paths.length === 0) return undefined
    const held = paths.map((path, index) => `import * as bundled${index + 1} from ${path};`)
    return { code: held.join('') + bundled, map: null }
  },
}

/** They end what hangs: no test is about them, however slow its machine. What is polled ends first, to say what it waited for. */
const times = { testTimeout: 150_000, hookTimeout: 300_000, expect: { poll: { timeout: 60_000 } } }

/** `--experimental-vm-modules`: the library is tried in a realm that holds web globals only. */
const node = (name: string, include: string[], isolate = true, exclude: string[] = []) => ({
  plugins: [markdown],
  test: {
    name,
    include,
    exclude,
    environment: 'node',
    execArgv: ['--experimental-vm-modules'],
    isolate,
    ...(isolate ? {} : { setupFiles: ['test/support/real-timers.ts'] }),
    ...times,
  },
})

/** Files that count the steps of code: V8 counts in each module of the process, so there are to be few. */
const STEPS = 'test/unit/**/*.steps.test.ts'

/** Files that need the tenant which all share to themselves (its audit of refusals, its skills), or change the engine: each has an isolate of its own. */
const ALONE = 'test/worker/**/*.alone.test.ts'

/** Files whose Worker has more than the product. */
const ADDED = 'test/worker/**/*.added.test.ts'

/** In workerd, with the bindings of wrangler.toml; the model and the pages that it speaks to run in Node. Files share an
 *  isolate and its objects where they can: to start one takes longer than most of them. */
const worker = (name: string, isolate: boolean, include: string[], exclude: string[] = [], main = 'src/index.ts') => ({
  plugins: [
    markdown,
    skills,
    bundledImports,
    cloudflareTest(({ inject }) => ({
      main,
      wrangler: { configPath: './wrangler.toml' },
      miniflare: {
        bindings: {
          YAA_LOCAL: '1',
          YAA_API_KEY: ADMIN_KEY,
          YAA_CONFIG: inject('config'),
          YAA_SECRETS: inject('secrets'),
          YAA_SECRETS_KEY: 'what the tests encrypt connections with',
        },
      },
    })),
  ],
  test: { name, include, exclude, isolate, globalSetup: ['test/support/peers-setup.ts'], ...times },
})

export default defineConfig({
  test: {
    // Vitest leaves a core to itself, which of two is half; what waits for a process or a socket needs none.
    maxWorkers: Math.max(2, availableParallelism()),
    projects: [
      // Files of pure code share their modules, which takes half the time.
      node('unit', ['test/unit/**/*.test.ts'], false, [STEPS]),
      node('unit-steps', [STEPS]),
      node('contract', ['test/contract/**/*.test.ts']),
      worker('worker', false, ['test/worker/**/*.test.ts'], [ALONE, ADDED]),
      worker('worker-alone', true, [ALONE]),
      worker('worker-added', false, [ADDED], [], 'test/support/added/worker.ts'),
      node('e2e', ['test/e2e/**/*.test.ts']),
    ],
  },
})
