import { setTimeout } from 'node:timers/promises'
import * as z from 'zod'
import { createClient, type Client } from '../../src/client/client.ts'
import type { ScriptInput } from '../../src/cli/mock-model/script.ts'
import { ADMIN_KEY } from './admin-key.ts'
import { startSite, startYaa, workFolder, type Running, type Site } from './cli.ts'
import { startScriptedModel, type MockModel } from './scripted-model.ts'

/** A server as its operator runs it, with a scripted model and a site. */
export interface Served {
  model: MockModel
  site: Site
  client: Client
  url: string
  key: string
  /** Where it keeps its data and, with `logs`, its log. */
  folder: string
  /** What the model says from here on. */
  script(steps: ScriptInput): Promise<void>
  /** Lets a reply go on that is held (`hold_after`), once it is: a run may have begun whose model was not asked yet. After
   *  `RELEASE_MS` there is nothing to let go, as after a cancel. */
  release(): Promise<void>
  /** Kills the server as a crash would, and starts it on the same data and port. */
  restart(): Promise<void>
  close(): Promise<void>
}

export interface ServedOptions {
  html: string
  /** Of the model. */
  price?: Record<string, unknown>
  env?: Record<string, string>
  /** Whether it writes a log. */
  logs?: boolean
  /** More of the server's config. */
  config?: Record<string, unknown>
}

const RELEASE_MS = 5_000
const RELEASE_EVERY_MS = 20
const released = z.object({ count: z.number() })

export async function startServed(options: ServedOptions): Promise<Served> {
  const { html, price, env = {}, config = {}, logs = false } = options
  const folder = workFolder()
  const [site, model] = await Promise.all([startSite(html), startScriptedModel({ script: [] })])
  const file = folder.file('config.json', {
    language: 'en',
    // A call of its own would take a step of a script.
    titles: 'task',
    models: {
      m: { api_url: model.url, model: 'm', protocol: 'native', retry: { times: 0 }, ...(price ? { price } : {}) },
    },
    default_model: 'm',
    web: { allow_private_hosts: [site.host] },
    ...config,
  })
  const serve = async (port: string) => {
    const log = logs ? ['--log', 'log'] : []
    const args = ['serve', '--port', port, '--data', 'data', '--config', file, ...log]
    const yaa = startYaa(args, { cwd: folder.path, env })
    const [, ready = ''] = await yaa.says(/yaa ready on http:\/\/localhost:(\d+)\n/)
    return { yaa, port: ready }
  }
  const post = async (path: string, body: string) => {
    const answer = await fetch(new URL(path, model.url), { method: 'POST', body })
    if (!answer.ok) throw new Error(await answer.text())
    return answer
  }
  const release = async () => {
    const end = Date.now() + RELEASE_MS
    for (;;) {
      const { count } = released.parse(await (await post('/release', '')).json())
      if (count > 0 || Date.now() > end) return
      await setTimeout(RELEASE_EVERY_MS)
    }
  }
  let running = await serve('0')
  const url = `http://localhost:${running.port}`
  const key = env['YAA_API_KEY'] ?? ADMIN_KEY
  return {
    model,
    site,
    url,
    key,
    folder: folder.path,
    client: createClient({ server: url, key }),
    script: async (steps) => void (await post('/script', JSON.stringify(steps))),
    release,
    restart: async () => {
      await ended(running.yaa, 'SIGKILL')
      running = await serve(running.port)
    },
    close: async () => {
      await ended(running.yaa, 'SIGTERM')
      await model.close()
      await site.close()
      folder.remove()
    },
  }
}

async function ended(yaa: Running, signal: NodeJS.Signals): Promise<void> {
  yaa.process.kill(signal)
  await yaa.ended
}
