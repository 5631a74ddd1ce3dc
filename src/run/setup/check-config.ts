import { unpricedFor, unpricedMessage } from '../../budget/reserve.ts'
import type { LimitsConfig, ModelWish, SessionConfig } from '../../domain/config.ts'
import type { AppError, InputIssue } from '../../domain/errors.ts'
import type { Engine } from '../../engine/engine.ts'

/** Whether this server runs a session with this config; paths are under `config`. Null: it does. */
export function checkConfig(engine: Engine, config: SessionConfig & ModelWish): AppError | null {
  const issues = [...ceilingIssues(engine.config.limits ?? {}, config.limits ?? {}), ...modelIssues(engine, config)]
  if (issues.length > 0)
    return { code: 'invalid_input', detail: 'The config does not fit this server; see errors.', issues }
  const unpriced = priceIssues(engine, config)
  return unpriced.length > 0 ? { code: 'unpriced_model', issues: unpriced } : null
}

/** Whether a config names what cannot be reached: an address for its model that the guard refuses, MCP servers that are not there. */
export async function checkReach(engine: Engine, tenant: string, config: unknown): Promise<AppError | null> {
  return (await checkModelAddress(engine, config)) ?? checkServers(engine, tenant, config)
}

/** Whether a config names an address for its model that the guard refuses. */
export async function checkModelAddress(engine: Engine, config: unknown): Promise<AppError | null> {
  const url: unknown = Object(Object(config)['llm'])['api_url']
  const message = typeof url === 'string' ? await engine.refuseAddress(url) : null
  if (message === null) return null
  const issues = [{ path: 'config.llm.api_url', message }]
  return { code: 'invalid_input', detail: 'The config does not fit this server; see errors.', issues }
}

async function checkServers({ mcp }: Engine, tenant: string, config: unknown): Promise<AppError | null> {
  const { mcp_servers: names } = Object(config)
  if (!Array.isArray(names) || names.length === 0) return null
  const unknown = await mcp.unknown(tenant, names.map(String))
  if (unknown.length === 0) return null
  const issues = unknown.map((name) => ({
    path: `config.mcp_servers.${names.indexOf(name)}`,
    message: 'the name of an MCP server (GET /v1/mcp-servers)',
  }))
  return { code: 'invalid_input', detail: 'The config names an MCP server that is not there; see errors.', issues }
}

/** A limit that the server's config names is the most that a session may ask for. */
function ceilingIssues(server: LimitsConfig, session: LimitsConfig): InputIssue[] {
  return Object.entries(server).flatMap(([name, ceiling]) => {
    const asked = session[name as keyof LimitsConfig]
    const over = typeof ceiling === 'number' ? typeof asked === 'number' && asked > ceiling : isOver(asked, ceiling)
    return over ? [{ path: `config.limits.${name}`, message: `at most ${JSON.stringify(ceiling)} on this server` }] : []
  })
}

function isOver(asked: LimitsConfig[keyof LimitsConfig], ceiling: LimitsConfig['max_cost']): boolean {
  if (typeof asked !== 'object' || ceiling === undefined) return false
  return asked.currency !== ceiling.currency || asked.amount > ceiling.amount
}

function modelIssues(engine: Engine, config: SessionConfig): InputIssue[] {
  const choice = engine.chooseModel(config)
  if (!choice.ok) return choice.issues
  const { alias, refused: fields } = choice.spec
  if (fields.length > 0)
    return fields.map((field) => ({
      path: `config.llm.${field}`,
      message: `not given: the model ${alias} does not let sessions change it (models.${alias}.allow_override)`,
    }))
  return []
}

/** Money is only promised to hold where every token has a price in that currency. */
function priceIssues(engine: Engine, config: SessionConfig): InputIssue[] {
  const budget = config.limits?.max_cost ?? engine.config.limits?.max_cost
  const choice = engine.chooseModel(config)
  if (!budget || !choice.ok) return []
  const unpriced = unpricedFor([choice.spec, ...choice.spec.fallbacks], { max_cost: budget })
  if (!unpriced) return []
  return [{ path: 'config.limits.max_cost', message: unpricedMessage(unpriced, budget) }]
}
