import { discoverOAuthProtectedResourceMetadata, extractWWWAuthenticateParams } from '@modelcontextprotocol/client'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startIssuers } from '../../../support/issuers-server.ts'
import { ERAS, mcpClient, posted } from '../../../support/mcp-clients.ts'
import type { OnLoopback } from '../../../support/on-loopback.ts'
import { says } from '../../../support/scripted-model.ts'
import { startServed, type Served } from '../../../support/served.ts'

const ISSUER = 'https://issuer.example'
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

let issuers: OnLoopback
let served: Served
let privateKey: CryptoKey
beforeAll(async () => {
  issuers = await startIssuers()
  const pair = await generateKeyPair('RS256', { extractable: true })
  privateKey = pair.privateKey
  const jwksUrl = `${issuers.url}/mcp/keys`
  const keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }]
  await fetch(jwksUrl, { method: 'PUT', body: JSON.stringify({ keys }) })
  const jwt = { issuer: ISSUER, audience: 'yaa', jwks_url: jwksUrl, scopes_claim: 'roles', scopes_map: MAP }
  served = await startServed({ html: '', config: { auth: { jwt: [jwt] } } })
})
afterAll(async () => {
  await served.close()
  await issuers.close()
})

const MAP = { worker: 'run', reader: 'read', decider: 'decide' }

function tokenOf(sub: string, roles: string[], expires = '1h'): Promise<string> {
  return new SignJWT({ roles })
    .setProtectedHeader({ alg: 'RS256', kid: 'one' })
    .setIssuer(ISSUER)
    .setAudience('yaa')
    .setSubject(sub)
    .setIssuedAt()
    .setExpirationTime(expires)
    .sign(privateKey)
}

describe.each(ERAS)('a client with a token, of the era %s', (era) => {
  test('runs tasks, and its own are not those of another', async ({ expect }) => {
    const ann = await mcpClient(served, era, { key: await tokenOf('ann', ['worker', 'reader']) })
    await served.script([says('水在一百度沸腾。'), says('Mine.')])
    const call = { name: 'run_task', arguments: { task: `水在几度沸腾？（${era}）` } }
    const first = await ann.callTool(call)
    expect(first.structuredContent, JSON.stringify(first)).toMatchObject({ result: '水在一百度沸腾。' })
    const bo = await mcpClient(served, era, { key: await tokenOf('bo', ['worker', 'reader']) })
    const second = await bo.callTool(call)
    expect(second.structuredContent).toMatchObject({ result: 'Mine.' })
    await Promise.all([ann.close(), bo.close()])
  })

  test('is told what it may not', async ({ expect }) => {
    const reader = await mcpClient(served, era, { key: await tokenOf('eve', ['reader']) })
    expect((await reader.listTools()).tools).toHaveLength(2)
    await expect(reader.callTool({ name: 'run_task', arguments: { task: 'x' } })).rejects.toMatchObject({
      name: 'InsufficientScopeError',
      requiredScope: 'worker',
      resourceMetadataUrl: new URL(`${served.url}/.well-known/oauth-protected-resource/mcp`),
    })
    await reader.close()
  })
})

describe('a client without a token that counts', () => {
  test('learns who gives tokens, by its own discovery', async ({ expect }) => {
    for (const key of ['nobody', await tokenOf('ann', ['worker'], '-1h')]) {
      const refused = await posted({ ...served, key }, LIST)
      expect(refused.status).toBe(401)
      const { resourceMetadataUrl, error } = extractWWWAuthenticateParams(refused)
      expect([String(resourceMetadataUrl), error]).toEqual([
        `${served.url}/.well-known/oauth-protected-resource/mcp`,
        'invalid_token',
      ])
      const where = resourceMetadataUrl ? { resourceMetadataUrl } : {}
      const found = await discoverOAuthProtectedResourceMetadata(new URL('/mcp', served.url), where)
      expect(found).toMatchObject({
        resource: `${served.url}/mcp`,
        authorization_servers: [ISSUER],
        scopes_supported: expect.arrayContaining(['worker', 'reader', 'decider']),
      })
    }
  })
})
