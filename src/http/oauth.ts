import type { Context } from 'hono'
import { html } from 'hono/html'
import * as z from 'zod'
import { type Language, languageOf } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import { type CameBack, type ReturnEnd, CALLBACK_PATH, CLIENT_PATH, clientMetadata } from '../mcp/oauth-grant.ts'
import { goOnWith } from '../objects/connection-waiters.ts'
import { serverOf } from '../objects/engine.ts'
import type { Env } from '../objects/env.ts'
import { languageFor } from '../engine/settings.ts'
import { described } from './openapi/describe.ts'
import type { McpReturnProof } from '../domain/mcp.ts'
import { admit } from '../service/admit.ts'
import { accountOfCaller, lacks } from '../service/caller.ts'
import { tenantOfReturn } from '../service/given-out.ts'
import { serviceOf } from './caller.ts'
import { type AppEnv, factory, originOf, problem } from './context.ts'
import { shownBy } from './middleware/auth.ts'
import { asksFor } from './negotiate.ts'
import { isConnectionState } from '../access/marks.ts'
import { hasReturnCookie } from './return-cookie.ts'
import { languageAsked } from './language.ts'
import { queryOf } from './body.ts'

const said = z.string().min(1).max(LIMITS.mcp.callbackCharsMax).optional()
/** What authorisation servers send; they may send more. */
const callbackQuery = z.object({ state: said, code: said, iss: said })

const TEXTS = {
  'zh-CN': {
    server: (name: string) => `MCP 服务 ${name} `,
    connection: (name: string) => `连接 ${name} `,
    authorised: (server: string) => `${server}已授权。请回到原来的页面：等待它的任务会自动继续。`,
    refused: (server: string) => `${server}没有被授权。请回到对话。`,
    failed: (server: string) => `${server}的授权没有成功，请回到对话重新开始。`,
    unknown: '这个授权地址已经用过、已经过期，或者不是本服务给出的。请回到对话重新开始。',
    other: '这次授权不是你发起的，什么也没有保存。只有发起的人才能完成它。',
    unproven: '请确认这次授权是你发起的，在此之前什么也不会保存。如果不是你发起的，请关闭本页。',
    console: '在控制台里完成',
    byKey: '没有用控制台时，请在十分钟内用发起时的密钥请求这个地址：',
  },
  en: {
    server: (name: string) => `The MCP server ${name}`,
    connection: (name: string) => `The connection ${name}`,
    authorised: (server: string) =>
      `${server} is authorised. Go back to where you were: what waited for it goes on by itself.`,
    refused: (server: string) => `${server} was not authorised. Go back to where you were.`,
    failed: (server: string) => `${server} could not be authorised. Go back and begin anew.`,
    unknown: 'This authorisation was used already, has expired, or was not begun here. Go back and begin anew.',
    other: 'You did not begin this authorisation, so nothing was kept. Only who began it can finish it.',
    unproven:
      'Confirm that you began this authorisation. Nothing is kept before. If you did not begin it, close this page.',
    console: 'Finish in the console',
    byKey: 'Without the console, request this address within ten minutes with the key that began it:',
  },
} as const satisfies Record<Language, unknown>

/** Where those come back who were sent to an authorisation server, and what we are to it. Who comes back has to be who began: the browser has
 *  the cookie that it was sent away with, or the key that began it is shown. */
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
        const base = originOf(c)
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
        answers: 'page_or_text',
        status: [200, 400, 403],
        open: 'The cookie of the state, or the key that began it, proves who comes back.',
        query: callbackQuery,
      },
      async (c) => {
        const asked = queryOf(c, callbackQuery)
        if (!asked.ok) return problem(c, asked.error)
        const { state = '', code, iss } = asked.value
        const tenant = await tenantOfReturn(serviceOf(c), state)
        const end = tenant === null ? UNKNOWN : await endOf(c, tenant, { state, code, iss })
        c.header('cache-control', 'no-store')
        c.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
        c.header('referrer-policy', 'no-referrer')
        if (asksFor(c, 'text/plain', 'text/html')) return c.text(endText(c, end).text, STATUS[end.outcome])
        return c.html(page(c, end), STATUS[end.outcome])
      },
    ),
  )

const UNKNOWN = { outcome: 'unknown' } as const
const STATUS = { authorised: 200, refused: 400, failed: 400, unknown: 400, other: 403, unproven: 403 } as const

/** `unproven`: nobody knows whether who comes back is who began. */
type End = ReturnEnd | { outcome: 'unproven' }

async function endOf(c: Context<AppEnv>, tenant: string, back: CameBack): Promise<End> {
  const proof = (await hasReturnCookie(c, back.state)) ? ({ type: 'cookie' } as const) : await callerProof(c, tenant)
  if (proof === null) return { outcome: 'unproven' }
  if (proof === 'other') return { outcome: 'other' }
  const end = await takenBack(c.env, tenant, back, proof)
  if (end.outcome === 'authorised') c.executionCtx.waitUntil(goOnWith(c.env, tenant, end.given, end.language))
  return end
}

async function takenBack(env: Env, tenant: string, back: CameBack, proof: McpReturnProof): Promise<ReturnEnd> {
  if (!isConnectionState(back.state)) return serverOf(env).engine.mcp.comeBack(tenant, back, proof)
  const { backFromAuthorize } = await import('../objects/connection-returns.ts')
  return backFromAuthorize(env, tenant, back, proof)
}

/** By the key or token that is shown; null: none that is good. */
async function callerProof(c: Context<AppEnv>, tenant: string): Promise<McpReturnProof | 'other' | null> {
  const shown = shownBy(c)
  if (shown.key === null && shown.assertion === null) return null
  const admitted = await admit(serviceOf(c), shown, c.get('requestId'))
  if (!admitted.ok) return null
  const { principal } = admitted.value
  if (principal.tenant !== tenant) return 'other'
  return { type: 'caller', account: accountOfCaller(principal), mayDecide: lacks(principal, 'decide') === null }
}

function ownLanguage(env: Env): Language {
  const { config } = serverOf(env)
  return languageFor({ config }, { config: {} })
}

function endText(c: Context<AppEnv>, end: End): { language: Language; text: string } {
  const asked = languageAsked(c)
  const language = asked === null ? ('given' in end ? end.language : ownLanguage(c.env)) : languageOf(asked)
  const texts = TEXTS[language]
  if (!('given' in end)) return { language, text: texts[end.outcome] }
  const { of, name } = end.given
  const what = of === 'connection' ? texts.connection(name) : texts.server(name)
  return { language, text: texts[end.outcome](what) }
}

function page(c: Context<AppEnv>, end: End) {
  const { language, text } = endText(c, end)
  return html`<!doctype html>
    <html lang="${language}">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <meta name="color-scheme" content="light dark" />
      <title>yaa</title>
      <main>
        <p>${text}</p>
        ${end.outcome === 'unproven' ? waysToProve(c, TEXTS[language]) : ''}
      </main>
    </html>`
}

function waysToProve(c: Context<AppEnv>, texts: (typeof TEXTS)[Language]) {
  const { pathname, search } = new URL(c.req.url)
  return html`<p><a href="${`/#/authorise/${encodeURIComponent(search)}`}">${texts.console}</a></p>
    <p>${texts.byKey}</p>
    <pre>curl -H 'Authorization: Bearer KEY' '${originOf(c)}${pathname}${search}'</pre>`
}
