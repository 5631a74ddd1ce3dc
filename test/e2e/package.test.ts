import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startYaa } from '../support/cli.ts'
import { makeProject, type Project } from '../support/project.ts'
import { calls, says } from '../support/scripted-model.ts'
import { type Served, startServed } from '../support/served.ts'

/** Bytes of gzip of all of `yaa/client`, and of the hooks beside it, as a page loads them; docs/clients.md says the same. */
const CLIENT_GZIP_BYTES_MAX = 13.5 * 1_024
const REACT_GZIP_BYTES_MAX = 1.25 * 1_024

const SAMPLE = `
import { createAgent, createSession, defineTool, withMessage } from 'yaa'
import { ApiProblem, createClient, isDelta, type Message, type SessionData } from 'yaa/client'
import { type SessionHook, usePending, useSession } from 'yaa/react'
import * as z from 'zod'

const named = (name: string) => ({ en: name, 'zh-CN': name })
export const loud = defineTool({
  id: 'loud', names: named('loud'), description: named('loud'), risk: 'read', idempotent: true,
  input: z.object({ text: z.string() }),
  parameters: { text: { names: named('text'), description: named('text') } },
  run: ({ text }) => ({ ok: true, content: text.toUpperCase() }),
})
const offline = await createAgent({ tools: [loud] }).run(withMessage(createSession(), 'hello'))

const { SERVER: server = '', KEY: key = '' } = ((globalThis as { process?: { env: Record<string, string> } }).process?.env ?? {})
const client = createClient({ server, key })
const { id }: SessionData = await client.sessions.create({ title: 'sample' })
let text = ''
for await (const event of client.sessions.stream(id, { type: 'message', content: 'Read it' }))
  if (isDelta(event)) text += event.delta
const { pending } = await client.sessions.get(id)
const answer = await client.sessions.decide(id, pending[0]?.id ?? '', { decision: 'approve' })
const messages: Message[] = answer.messages
const refused = await client.sessions.get('ses_none').catch((error: unknown) => error)

export function useBoth(): [SessionHook, number] {
  return [useSession({ server: 'http://localhost:8787' }, id), usePending(client).items.length]
}
console.log(JSON.stringify({
  offline: offline.status, text, result: answer.result, messages: messages.length > 0,
  refused: refused instanceof ApiProblem && refused.status, hooks: typeof useSession,
}))
// @ts-expect-error No such way to work.
export const lost = () => client.sessions.create({ orchestrator: 7, config: { limits: { max_iterations: 1 } } })
// @ts-expect-error Nobody can listen to such a socket.
export const deaf = () => createClient({ server, webSocket: () => ({ readyState: 1, send() {}, close() {}, addEventListener: 1 }) })
// @ts-expect-error A word that is no status.
export const wrong: SessionData['status'] = 'asleep'
`

let project: Project
let served: Served
beforeAll(async () => {
  ;[project, served] = await Promise.all([
    makeProject(['zod', 'workerd', 'react', '@types/react', '@types/node'], 'anew'),
    startServed({ html: '<p>Water boils at 100 °C.</p>' }),
  ])
  project.write('sample.ts', SAMPLE)
})
afterAll(async () => {
  project.remove()
  await served.close()
})

describe('the package', () => {
  test('has what is built and what that needs, and nothing of tests and sources', ({ expect }) => {
    const { packed } = project
    for (const name of ['library', 'client', 'react'])
      expect(packed).toEqual(expect.arrayContaining([`dist/${name}.js`, `dist/${name}.d.ts`]))
    expect(packed).toEqual(
      expect.arrayContaining(['README.md', 'LICENSE', 'dist/cli/main.js', 'dist/assets/console.html']),
    )
    expect(packed.filter((name) => /(?:^|\/)test|\.tsx?$/.test(name) && !name.endsWith('.d.ts'))).toEqual([])
    expect(packed.filter((name) => name.startsWith('src/') && /\.\w+$/.test(name))).toEqual(['src/cli/yaa.mjs'])
  })

  test('names as what it needs exactly what its files import', async ({ expect }) => {
    const own = JSON.parse(readFileSync(join(project.path, 'node_modules/yaa/package.json'), 'utf8'))
    const entryPoints = project.packed
      .filter((name) => /^dist\/(?:cli\/)?[^/]+\.js$/.test(name))
      .map((name) => join(project.path, 'node_modules/yaa', name))
    const { metafile } = await build({
      bundle: true,
      write: false,
      metafile: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      outdir: 'out',
      entryPoints,
    })
    const imports = Object.values(metafile.inputs).flatMap((input) => input.imports)
    const scripts = imports.flatMap(({ path, external, kind }) =>
      external && kind === 'import-statement' ? [path] : [],
    )
    const types = project.packed.flatMap((name) => {
      const text = name.endsWith('.d.ts') ? readFileSync(join(project.path, 'node_modules/yaa', name), 'utf8') : ''
      return [...text.matchAll(/^import .* from '([^.].*)'$/gm)].map((match) => match[1] ?? '')
    })
    const imported = [...scripts, ...types].filter((path) => !isBuiltin(path))
    const { dependencies, peerDependencies, optionalDependencies } = own
    expect([...new Set(imported)].toSorted()).toEqual(Object.keys({ ...dependencies, ...peerDependencies }).toSorted())
    expect(Object.keys(optionalDependencies)).toEqual(['workerd'])
  })

  test.for([
    { resolution: 'nodenext', platform: 'node' },
    { resolution: 'bundler', platform: 'page' },
  ] as const)('has types that hold in a strict project ($resolution, $platform)', async (home, { expect }) => {
    expect(await project.check(['sample.ts'], home)).toBe('')
  })

  test('has types of the client and the hooks that name no library, and nothing that is anything', ({ expect }) => {
    const typesOf = (name: string) => readFileSync(join(project.path, `node_modules/yaa/dist/${name}.d.ts`), 'utf8')
    expect(typesOf('client')).not.toMatch(/^import /m)
    expect(typesOf('react').match(/^import .*$/gm)).toEqual([expect.stringMatching(/ from '\.\/client\.js'$/)])
    for (const name of ['client', 'react', 'library']) expect(typesOf(name)).not.toMatch(/: any\b|<any\b|[:=|<(] ?\{\}/)
  })

  test('works in Node: the library alone, the client against a server', async ({ expect }) => {
    await served.script([calls('web_access', { url: served.site.url }), says('It boils.')])
    const { stdout, stderr } = await project.run(process.execPath, ['sample.ts'], {
      SERVER: served.url,
      KEY: served.key,
    })
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual({
      offline: 'completed',
      text: '',
      result: 'It boils.',
      messages: true,
      refused: 404,
      hooks: 'function',
    })
  })

  test('gives a browser nothing of Node, and few bytes', async ({ expect }) => {
    const bundled = async (name: string) => {
      const entry = project.write(`${name}-page.js`, `export * from 'yaa/${name}'`)
      const options = {
        bundle: true,
        minify: true,
        write: false,
        metafile: true,
        format: 'esm',
        platform: 'browser',
      } as const
      const { outputFiles, metafile } = await build({
        ...options,
        entryPoints: [entry],
        external: ['react', './client.js'],
      })
      return {
        inputs: Object.keys(metafile.inputs),
        bytes: gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length,
      }
    }
    const [client, react] = [await bundled('client'), await bundled('react')]
    expect(client.inputs.map((path) => path.replace(/.*\//, ''))).toEqual(['client.js', 'client-page.js'])
    expect(client.bytes).toBeLessThanOrEqual(CLIENT_GZIP_BYTES_MAX)
    expect(react.bytes).toBeLessThanOrEqual(REACT_GZIP_BYTES_MAX)
    const page = readFileSync('docs/clients.md', 'utf8')
    expect(page).toContain(`at most ${CLIENT_GZIP_BYTES_MAX / 1_024} KiB with gzip`)
    expect(page).toContain(`at most ${REACT_GZIP_BYTES_MAX / 1_024} KiB more with gzip`)
  })

  test('serves with its own bin, and says where it cannot deploy', async ({ expect }) => {
    const bin = join(project.path, 'node_modules/yaa/src/cli/yaa.mjs')
    const yaa = startYaa(['serve', '--port', '0', '--data', 'data'], { cwd: project.path, bin })
    const [, port] = await yaa.says(/yaa ready on http:\/\/localhost:(\d+)\n/)
    const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { accept: 'text/html' } })
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('/assets/main-')])
    yaa.process.kill('SIGTERM')
    expect((await yaa.ended).code).toBe(0)
    const refused = await project.run(process.execPath, [bin, 'deploy'])
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^yaa: this needs a checkout of yaa: .*\n$/),
    })
  })
})
