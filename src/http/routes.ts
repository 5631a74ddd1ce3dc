import type { Hono } from 'hono'
import { application, type Door, healthRoutes, type Routes } from './application.ts'
import { authenticated, servedToSome } from './middleware/auth.ts'
import { countedRequests } from './middleware/counted.ts'
import { factory, type AppEnv } from './context.ts'
import { sha256Hex } from '../lib/hash.ts'
import { assetRoutes, DOCS_POLICY, assetPage } from './assets.ts'
import { auditRoutes } from './audit.ts'
import { budgetRoutes } from './budgets.ts'
import { callbackRoutes } from './callbacks.ts'
import { catalogRoutes } from './catalog.ts'
import { openedDoor } from './doors.ts'
import { feedbackRoutes } from './feedback.ts'
import { fileRoutes } from './files.ts'
import { hookRoutes, webhookRoutes } from './webhooks.ts'
import { bulkRoutes, pendingRoutes } from './inbox.ts'
import { hasAlready } from './negotiate.ts'
import { keyRoutes } from './keys.ts'
import { inPageLanguage } from './language.ts'
import { linkRoutes, linkSecretRoutes, sessionLinkRoutes } from './links.ts'
import { meRoutes } from './me.ts'
import { mcpServerRoutes } from './mcp-servers.ts'
import { openApiToolRoutes } from './openapi-tools.ts'
import { memoryRoutes } from './memory.ts'
import { metricRoutes, usageRoutes } from './usage.ts'
import { connectionRoutes } from './connections.ts'
import { oauthRoutes } from './oauth.ts'
import { described } from './openapi/describe.ts'
import type { Served } from './openapi/document.ts'
import { scheduleRoutes } from './schedules.ts'
import { sessionRoutes } from './sessions.ts'
import { skillRoutes } from './skills.ts'
import { userRoutes } from './users.ts'
import { settingsRoutes } from './settings.ts'
import { statelessRoutes } from './stateless.ts'
import { sessionTeamRoutes, teamRoutes } from './team.ts'
import { workflowRoutes } from './workflows.ts'
import { transferRoutes } from './transfer.ts'

/** Routes that ask for a key, by the path under which they are. */
const KEYED: Routes = [
  ['/v1/sessions', bulkRoutes],
  ['/v1/pending', pendingRoutes],
  ['/v1/sessions', transferRoutes],
  ['/v1/sessions', fileRoutes],
  ['/v1/sessions', sessionTeamRoutes],
  ['/v1/sessions', sessionLinkRoutes],
  ['/v1/sessions', feedbackRoutes],
  ['/v1/sessions', sessionRoutes],
  ['/v1/users', memoryRoutes],
  ['/v1/users', userRoutes],
  ['/v1/usage', usageRoutes],
  ['/v1/audit', auditRoutes],
  ['/v1/metrics', metricRoutes],
  ['/v1/keys', keyRoutes],
  ['/v1/me', meRoutes],
  ['/v1/links', linkSecretRoutes],
  ['/v1/agent', statelessRoutes],
  ['/v1/skills', skillRoutes],
  ['/v1/teams', teamRoutes],
  ['/v1/workflows', workflowRoutes],
  ['/v1/settings', settingsRoutes],
  ['/v1/connections', connectionRoutes],
  ['/v1/budgets', budgetRoutes],
  ['/v1/webhooks', webhookRoutes],
  ['/v1/schedules', scheduleRoutes],
  ['/v1/mcp-servers', mcpServerRoutes],
  ['/v1/openapi-tools', openApiToolRoutes],
  ['/v1/callbacks', callbackRoutes],
  ['/v1', catalogRoutes],
]

/** Open routes; what needs a proof of its own asks for it. */
const OPEN: Routes = [
  ['/healthz', healthRoutes],
  ['/oauth', oauthRoutes],
  ['/links', linkRoutes],
  ['/hooks', hookRoutes],
  ['/assets', assetRoutes],
]

/** The whole HTTP surface. `more`: keyed routes beside those of the product; `doors`: who else answers, for the document. */
export function wholeApplication(more: Routes = [], doors: readonly Door[] = []): Hono<AppEnv> {
  const keyed: Routes = [...KEYED, ...more, ['/', statelessRoutes]]
  const app: Hono<AppEnv> = application([...OPEN, ['/', pagesOf(() => allRoutes(app, doors))]], {
    routes: keyed,
    counted: countedRequests,
    authenticated,
    opened: servedToSome,
  })
  return app
}

/** What is served, by our own API and by the doors. */
export async function allRoutes(app: Hono<AppEnv>, doors: readonly Door[]): Promise<Served> {
  const opened = await Promise.all(doors.map(openedDoor))
  const words = await Promise.all(doors.map(async (door) => (await door.load()).words?.()))
  return { routes: [app, ...opened].flatMap(({ routes }) => routes), words: words.filter((one) => one !== undefined) }
}

/** The console, and the document of the API. */
function pagesOf(all: () => Promise<Served>): Hono<AppEnv> {
  const about = { errors: ['not_found'], answers: 'page', open: true } as const
  let written: { text: string; etag: string } | undefined
  /** The OpenAPI document as text. What it is made of is loaded when it is first asked for. */
  const document = async () => {
    if (written) return written
    const { openApi } = await import('./openapi/document.ts')
    const text = JSON.stringify(openApi(await all()))
    written = { text, etag: `"${(await sha256Hex(text)).slice(0, 16)}"` }
    return written
  }
  return factory
    .createApp()
    .get(
      '/',
      described({ ...about, summary: 'The web console', id: 'getConsole' }, (c) => assetPage(c, 'console.html')),
    )
    .get(
      '/docs',
      described({ ...about, summary: 'This document as a page to read and try', id: 'getDocs' }, (c) =>
        assetPage(c, 'docs.html', DOCS_POLICY),
      ),
    )
    .get(
      '/docs/errors',
      described(
        {
          summary: 'Every error by its code, and what to do about it',
          id: 'getErrorDocs',
          answers: 'page',
          open: true,
        },
        async (c) => {
          const { errorPage, ERROR_PAGE_POLICY } = await import('./error-page.ts')
          c.header('content-security-policy', ERROR_PAGE_POLICY)
          return c.html(inPageLanguage(c, errorPage()))
        },
      ),
    )
    .get(
      '/openapi.json',
      described(
        {
          summary: 'This document',
          id: 'getOpenApi',
          headers: ['If-None-Match'],
          answers: 'json',
          status: [200, 304],
          open: true,
        },
        async (c) => {
          const { text, etag } = await document()
          if (hasAlready(c, etag)) return c.body(null, 304, { etag })
          return c.body(text, 200, { 'content-type': 'application/json; charset=utf-8', etag })
        },
      ),
    )
}
