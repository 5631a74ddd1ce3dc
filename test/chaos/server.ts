import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bundleWorker, ROOT, writeWorker } from '../../src/build/bundle.ts'
import { launchWorkerd, type Workerd } from '../../src/cli/serve/launch.ts'
import { TAKEN_UP } from '../../src/cli/serve/take-up.ts'
import type { ServerConfig } from '../../src/domain/server-config.ts'
import { ADMIN_KEY } from '../support/admin-key.ts'

/** How long a server has that is asked to end, before it is killed. */
const GRACE_MS = 500

/** How the server ends, and when it is started again. */
export interface End {
  /** It is asked to end first, by SIGTERM. */
  isAsked: boolean
  /** As if a minute had passed: open sessions are taken up at once, and not after the seconds that a server waits which ends again and again. */
  isMinuteLater: boolean
}

/** The server as `yaa serve` runs it, with the admin key of tests unless its config has others, on one data folder and one port, killed and started again. */
export class MortalServer {
  readonly #folder: string
  readonly #config: ServerConfig
  readonly #onLine: (line: string) => void
  #port = 0
  #workerd: Workerd | null = null
  #up: PromiseWithResolvers<void> = Promise.withResolvers()
  /** Times that it was started. */
  lives = 0

  private constructor(folder: string, config: ServerConfig, onLine: (line: string) => void) {
    this.#folder = folder
    this.#config = config
    this.#onLine = onLine
  }

  /** `onLine`: what workerd writes. */
  static async start(config: ServerConfig, onLine: (line: string) => void): Promise<MortalServer> {
    const modules = await bundleWorker()
    const folder = mkdtempSync(join(tmpdir(), 'yaa-chaos-'))
    mkdirSync(join(folder, 'data'))
    writeWorker(folder, modules)
    copyFileSync(`${ROOT}src/cli/serve/config.capnp`, join(folder, 'config.capnp'))
    const server = new MortalServer(folder, config, onLine)
    await server.#launch()
    return server
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  get dataFolder(): string {
    return join(this.#folder, 'data')
  }

  /** Of workerd, while it runs. */
  get pid(): number | undefined {
    return this.#workerd?.pid
  }

  /** Resolves while it listens. */
  up(): Promise<void> {
    return this.#up.promise
  }

  /** Ends it, and starts it on the same data as soon as it is gone. */
  async restart(end: End = { isAsked: false, isMinuteLater: true }): Promise<void> {
    this.#up = Promise.withResolvers()
    if (end.isAsked) await this.#ask()
    await this.#kill()
    if (end.isMinuteLater) rmSync(join(this.dataFolder, TAKEN_UP), { force: true })
    await this.#launch()
  }

  /** Ends it for good and forgets its data. */
  async stop(): Promise<void> {
    await this.#kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** It closes what it can in the time that it is given. */
  async #ask(): Promise<void> {
    await this.#workerd?.settle()
    this.#workerd?.signal('SIGTERM')
    await Promise.race([this.#workerd?.exited, sleep(GRACE_MS)])
  }

  async #kill(): Promise<void> {
    this.#workerd?.signal('SIGKILL')
    await this.#workerd?.exited
    this.#workerd = null
  }

  async #launch(): Promise<void> {
    const workerd = launchWorkerd({
      config: join(this.#folder, 'config.capnp'),
      dataFolder: this.dataFolder,
      assetsFolder: this.#folder,
      port: this.#port,
      env: {
        PATH: process.env['PATH'],
        YAA_CONFIG: JSON.stringify(this.#config),
        YAA_SECRETS: '{}',
        YAA_SECRETS_KEY: 'seals-the-connections-of-tests-0123456789',
        ...(this.#config.auth ? {} : { YAA_API_KEY: ADMIN_KEY }),
      },
      onLine: this.#onLine,
    })
    const listening = await workerd.listening
    if (!listening.ok) throw new Error(`workerd ended: ${listening.exit.output}`)
    this.#workerd = workerd
    this.#port = listening.port
    this.lives++
    this.#up.resolve()
  }
}
