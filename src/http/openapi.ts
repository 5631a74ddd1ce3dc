import type { Hono } from 'hono'
import type { AppEnv } from './context.ts'
import { operationOf } from './describe.ts'
import { VERSION } from './version.ts'

/** The OpenAPI 3.1 document of an app: every route that `describe` declared. */
export function openApi(app: Hono<AppEnv>): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { method, path, handler } of app.routes) {
    const operation = operationOf(handler)
    if (!operation) continue
    const template = path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')
    const parameters = [...pathParameters(path), ...((operation['parameters'] as unknown[] | undefined) ?? [])]
    paths[template] = { ...paths[template], [method.toLowerCase()]: { ...operation, parameters } }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'yaa', version: VERSION, description: 'An agent backend for the edge.' },
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    security: [{ key: [] }],
    paths,
  }
}

function pathParameters(path: string): Record<string, unknown>[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
}
