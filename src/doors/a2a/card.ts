import type { Context } from 'hono'
import { version } from '../../../package.json'
import { ok, type Result } from '../../domain/errors.ts'
import { type Language, languageOf } from '../../domain/language.ts'
import type { ListedModel } from '../../domain/model.ts'
import type { DoorRoutes } from '../../http/application.ts'
import { type AppEnv, factory, originOf } from '../../http/context.ts'
import { languageAsked } from '../../http/language.ts'
import { hasAlready } from '../../http/negotiate.ts'
import { described } from '../../http/openapi/describe.ts'
import { sha256Hex } from '../../lib/hash.ts'
import { allowed } from '../kernel/allowed.ts'
import { listedNames, serverLanguage } from '../kernel/names.ts'
import { restErrors, REST_REFUSALS } from './errors.ts'
import { foreignTenant } from './protocol.ts'
import { type Card, card, type CardSkill, VERSION } from './shapes.ts'

/** What this server says of itself to agents. Source: the A2A specification 1.0, "Agent discovery". */

const PATH = '/.well-known/agent-card.json'
const CACHED = 'public, max-age=300, must-revalidate'

const TEXTS: Readonly<Record<Language, Record<'agent' | 'skill' | 'workflow' | 'key', string>>> = {
  en: {
    agent: 'An agent that works on tasks with tools, asks before it does what matters, and goes on after a crash.',
    skill: 'A skill of this server.',
    workflow: 'Declared steps of this server.',
    key: 'A key of this server, or a token of an issuer that it trusts.',
  },
  'zh-CN': {
    agent: '使用工具完成任务的智能体：重要操作先征求同意，崩溃后继续。',
    skill: '本服务器的技能。',
    workflow: '本服务器的工作流。',
    key: '本服务器的密钥，或其信任的签发者的 Token。',
  },
}

const MODES_IN = ['text/plain', 'application/json', 'image/*', 'application/pdf', 'text/*']
const MODES_OUT = ['text/plain', 'application/json']

/** `tenant` null: what anybody may know. */
async function cardOf(c: Context<AppEnv>, tenant: string | null): Promise<Card> {
  const asked = languageAsked(c)
  const language = asked === null ? serverLanguage(c.env) : languageOf(asked)
  const texts = TEXTS[language]
  const origin = originOf(c)
  const names = await listedNames(c.env, tenant, language)
  const binding = (protocolBinding: string, path: string) => ({
    url: `${origin}${path}`,
    protocolBinding,
    protocolVersion: VERSION,
  })
  return {
    name: 'yaa',
    description: texts.agent,
    version,
    supportedInterfaces: [binding('JSONRPC', '/a2a'), binding('HTTP+JSON', '/a2a/v1')],
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
    securitySchemes: { key: { httpAuthSecurityScheme: { scheme: 'Bearer', description: texts.key } } },
    securityRequirements: [{ schemes: { key: { list: [] } } }],
    defaultInputModes: MODES_IN,
    defaultOutputModes: MODES_OUT,
    skills: names.filter(({ kind }) => kind !== 'model').map((one) => skillOf(one, texts)),
  }
}

function skillOf({ id, kind, description }: ListedModel, texts: (typeof TEXTS)[Language]): CardSkill {
  const words = description || texts[kind === 'workflow' ? kind : 'skill']
  return { id, name: id.split('/').at(-1) ?? id, description: words, tags: [kind] }
}

/** GetExtendedAgentCard. */
export function extendedCard(c: Context<AppEnv>, asked: { tenant?: string | null | undefined }): Promise<Result<Card>> {
  return allowed(c, { scope: 'read' }, async () => {
    const foreign = foreignTenant(c, asked.tenant)
    return foreign ? { ok: false, error: foreign } : ok(await cardOf(c, c.get('principal').tenant))
  })
}

const cardRoutes = factory.createApp().get(
  '/',
  described(
    {
      summary: 'The agent card, for clients of A2A',
      id: 'getAgentCard',
      about: 'What anybody may know; the extended card has the skills of the tenant as well.',
      headers: ['If-None-Match'],
      returns: card(),
      status: [200, 304],
      open: true,
      refusals: REST_REFUSALS,
    },
    async (c: Context<AppEnv>) => {
      const text = JSON.stringify(await cardOf(c, null))
      const etag = `"${(await sha256Hex(text)).slice(0, 16)}"`
      const headers = { etag, 'cache-control': CACHED }
      if (hasAlready(c, etag)) return c.body(null, 304, headers)
      return c.body(text, 200, { ...headers, 'content-type': 'application/json; charset=utf-8' })
    },
  ),
)

export const cardDoor: DoorRoutes = {
  open: [[PATH, cardRoutes]],
  keyed: [],
  errors: restErrors(),
}
