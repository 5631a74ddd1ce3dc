import serverConfigFile from '#server-config'
import type { Fetch } from '../domain/ports.ts'
import { serverConfig, type ServerConfig } from '../domain/server-config.ts'
import { createEngine } from '../session/create-engine.ts'
import type { Engine } from '../session/engine.ts'
import type { ListedModel } from '../models/list.ts'
import type { Env } from './env.ts'

/** The server that a Worker is: its engine and what GET /v1/models tells. One a config, made when it is first needed. */
export interface Server {
  config: ServerConfig
  engine: Engine
  models: ListedModel[]
}

let made: { env: Env; server: Server } | undefined

export function serverOf(env: Env): Server {
  if (made?.env.YAA_CONFIG !== env.YAA_CONFIG) made = undefined
  made ??= { env, server: makeServer(env) }
  return made.server
}

export function engineOf(env: Env): Engine {
  return serverOf(env).engine
}

function makeServer(env: Env): Server {
  const config = serverConfig.parse(env.YAA_CONFIG ? JSON.parse(env.YAA_CONFIG) : serverConfigFile)
  const secrets = env.YAA_SECRETS ? (JSON.parse(env.YAA_SECRETS) as Record<string, string>) : {}
  const { engine, models } = createEngine(config, {
    publicFetch: (url, init) => fetch(url, init),
    privateFetch: privateFetch(env),
    models: {
      secret: (name) => secrets[name] ?? textOf(env[name]),
      workersAi: env.AI !== undefined,
      ollamaModel: env.YAA_OLLAMA ?? null,
    },
    workersAi: env.AI ?? null,
    runtime: 'Cloudflare Workers (workerd)',
  })
  return { config, engine, models }
}

/** Reaches addresses that config names, private ones too: by a service of its own where there is one. */
function privateFetch(env: Env): Fetch {
  const network = env.PRIVATE_NETWORK
  return network ? (url, init) => network.fetch(url, init) : (url, init) => fetch(url, init)
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
