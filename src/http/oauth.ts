import { html } from 'hono/html'
import * as z from 'zod'
import type { Language } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import { type ReturnEnd, CALLBACK_PATH, CLIENT_PATH, clientMetadata } from '../mcp/oauth-grant.ts'
import { serverOf } from '../objects/engine.ts'
import type { Env } from '../objects/env.ts'
import { languageFor } from '../engine/engine.ts'
import { described } from './openapi/describe.ts'
import { tenantOfReturn } from '../service/given-out.ts'
import { factory, problem, serviceOf } from './context.ts'
import { queryOf } from './body.ts'

const said = z.string().min(1).max(LIMITS.mcp.callbackCharsMax).optional()
/** What authorisation servers send; they may send more. */
const callbackQuery = z.object({ state: said, code: said, iss: said })

const TEXTS = {
  'zh-CN': {
    authorised: (server: string) => `MCP 服务 ${server} 已授权。请回到对话，并回答“好了”。`,
    refused: (server: string) => `MCP 服务 ${server} 没有被授权。请回到对话。`,
    failed: (server: string) => `MCP 服务 ${server} 的授权没有成功，请回到对话重新开始。`,
    unknown: '这个授权地址已经用过、已经过期，或者不是本服务给出的。请回到对话重新开始。',
  },
  en: {
    authorised: (server: string) =>
      `The MCP server ${server} is authorised. Go back to where you were, and answer "done".`,
    refused: (server: string) => `The MCP server ${server} was not authorised. Go back to where you were.`,
    failed: (server: string) => `The MCP server ${server} could not be authorised. Go back and begin anew.`,
    unknown: 'This authorisation was used already, has expired, or was not begun here. Go back and begin anew.',
  },
} as const satisfies Record<Language, unknown>

/** Where those come back who were sent to an authorisation server, and what we are to it. Open to all: the state is the proof. */
export const oauthRoutes = factory
  .createApp()
  .get(
    CLIENT_PATH.replace('/oauth', ''),
    described(
      {
        summary: 'What this server is to authorisation servers',
        id: 'getOAuthClient',
        answers: 'json',
        open: true,
      },
      (c) => {
        const base = serverOf(c.env).config.public_url?.replace(/\/+$/, '') ?? new URL(c.req.url).origin
        return c.json({ client_id: base + CLIENT_PATH, client_uri: base, ...clientMetadata(base) })
      },
    ),
  )
  .get(
    CALLBACK_PATH.replace('/oauth', ''),
    described(
      {
        summary: 'Where those come back who authorised an MCP server',
        id: 'finishOAuth',
        answers: 'page',
        status: [200, 400],
        open: 'The state proves who comes back.',
        query: callbackQuery,
      },
      async (c) => {
        const asked = queryOf(c, callbackQuery)
        if (!asked.ok) return problem(c, asked.error)
        const { state = '', code, iss } = asked.value
        const tenant = await tenantOfReturn(serviceOf(c), state)
        const end: ReturnEnd =
          tenant === null
            ? { outcome: 'unknown' }
            : await serverOf(c.env).engine.mcp.comeBack(tenant, { state, code, iss })
        c.header('cache-control', 'no-store')
        c.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
        c.header('referrer-policy', 'no-referrer')
        return c.html(page(end, ownLanguage(c.env)), end.outcome === 'authorised' ? 200 : 400)
      },
    ),
  )

function ownLanguage(env: Env): Language {
  const { config } = serverOf(env)
  return languageFor({ config }, { config: {} })
}

function page(end: ReturnEnd, own: Language) {
  const language = end.outcome === 'unknown' ? own : end.language
  const texts = TEXTS[language]
  const text = end.outcome === 'unknown' ? texts.unknown : texts[end.outcome](end.server)
  return html`<!doctype html>
    <html lang="${language}">
      <meta charset="utf-8" />
      <title>yaa</title>
      <p>${text}</p>
    </html>`
}
