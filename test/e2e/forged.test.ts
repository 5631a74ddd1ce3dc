import { readdirSync, readlinkSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { fileURLToPath, URL } from 'node:url'
import { afterAll, beforeAll, describe, test } from 'vitest'
import * as z from 'zod'
import { bundleWorker } from '../../src/build/bundle.ts'
import { newId } from '../../src/lib/id.ts'
import { SERVE } from '../bench/harness/sides.ts'
import { startWorkerd, type Workerd } from '../bench/harness/workerd.ts'

const KEY = 'the-admin-key-of-these-tests'
const REQUESTS = 10_000
const AT_ONCE = 24
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })

interface Forged {
  method: string
  path: string
  key?: string
}

let server: Workerd
let real: { session: string; key: string; link: string; hook: string }

beforeAll(async () => {
  const entry = fileURLToPath(new URL('../../src/index.ts', import.meta.url))
  server = await startWorkerd({ config: SERVE, bundle: await bundleWorker(entry), env: { YAA_API_KEY: KEY } })
  const { id: session } = await made('/v1/sessions', { title: 'real' })
  const { key = '' } = await made('/v1/keys', { name: 'real', scopes: ['read'] })
  const { token: link = '' } = await made(`/v1/sessions/${session}/links`, { scope: 'read' })
  const { id: hook } = await made('/v1/webhooks', { name: 'real', scheme: 'bearer', task_template: 'x' })
  real = { session, key, link, hook }
})
afterAll(async () => {
  agent.destroy()
  await server.stop()
})

const answer = z.looseObject({ id: z.string(), key: z.string().optional(), token: z.string().optional() })

async function made(path: string, body: object) {
  const { status, text } = await send({ method: 'POST', path, key: KEY }, body)
  if (status !== 201) throw new Error(`${path}: ${status} ${text}`)
  return answer.parse(JSON.parse(text))
}

function send({ method, path, key }: Forged, body?: object): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) }
    const sent = request(`${server.url}${path}`, { method, agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.on('error', reject)
    sent.end(method === 'GET' ? undefined : JSON.stringify(body ?? {}))
  })
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const digits = (count: number) =>
  Array.from(crypto.getRandomValues(new Uint8Array(count)), (byte) => ALPHABET[byte & 31]).join('')
const bare = (prefix: string) => newId(prefix, Date.now())
/** With another character at a place behind the prefix. */
function changed(text: string, n: number): string {
  const at = text.length - 1 - (n % 30)
  return `${text.slice(0, at)}${text[at] === '0' ? '1' : '0'}${text.slice(at + 1)}`
}

const sessionIds: ((n: number) => string)[] = [
  () => bare('ses'),
  () => bare('ses') + digits(8),
  (n) => changed(real.session, n),
  (n) => `${real.session}-${['eu', 'us', 'fedramp', 'fedramp-high', 'mars'][n % 5]}`,
  () => `${bare('ses')}-eu`,
  (n) => `${real.session.slice(0, 22)}${digits(n % 2 ? 8 : 7)}`,
  () => real.session.toUpperCase().replace('SES_', 'ses_'),
  () => `ses_${'0'.repeat(10)}${digits(24)}`,
  () => encodeURIComponent(`${real.session} `),
]
const SESSION_ROUTES = [
  ['GET', ''],
  ['GET', '/events'],
  ['GET', '/files'],
  ['GET', '/export'],
  ['DELETE', ''],
  ['POST', '/messages'],
  ['POST', '/fork'],
  ['POST', '/cancel'],
] as const

const keys: ((n: number) => string)[] = [
  () => `yaa_default_${digits(40)}`,
  () => `yaa_default_${digits(48)}`,
  (n) => `yaa_tenant-${n}_${digits(40)}`,
  (n) => `yaa_tenant-${n}_${digits(48)}`,
  (n) => changed(real.key, n),
  (n) => real.key.replace('_default_', `_other-${n}_`),
  () => `${real.key.slice(0, -8)}${digits(8)}`,
]
const links: ((n: number) => string)[] = [
  (n) => `tenant-${n}.${bare('lnk')}.${'a'.repeat(43)}`,
  (n) => `tenant-${n}.${bare('lnk')}${digits(8)}.${'a'.repeat(43)}`,
  () => `default.${bare('lnk')}.${'a'.repeat(43)}`,
  (n) => real.link.replace('default.', `tenant-${n}.`),
  (n) => changed(real.link, n),
]
const hooks: ((n: number) => string)[] = [
  (n) => `${bare('whk')}-tenant-${n}`,
  (n) => `${bare('whk')}${digits(8)}-tenant-${n}`,
  () => bare('whk'),
  () => bare('whk') + digits(8),
  (n) => `${real.hook}-tenant-${n}`,
]
const random = () => crypto.randomUUID() + crypto.randomUUID()
const states: ((n: number) => string)[] = [
  (n) => `tenant-${n}.${random()}`,
  (n) => `tenant-${n}.${random()}.${digits(8)}`,
  () => `default.${random()}`,
  (n) => `tenant-${n}.${random()}.${digits(8)}.more`,
  (n) => `TENANT-${n}.${random()}`,
]

/** One of a list, each in its turn. */
function nth<T>(list: readonly T[], n: number): T {
  const one = list[n % list.length]
  if (one === undefined) throw new Error('a list with something in it was expected')
  return one
}

const KINDS: ((n: number) => Forged)[] = [
  (n) => {
    const [method, rest] = nth(SESSION_ROUTES, n)
    return { method, path: `/v1/sessions/${nth(sessionIds, n)(n)}${rest}`, key: KEY }
  },
  (n) => ({ method: 'GET', path: '/v1/sessions', key: nth(keys, n)(n) }),
  (n) => ({ method: 'GET', path: `/links/${nth(links, n)(n)}` }),
  (n) => ({ method: 'POST', path: `/hooks/${nth(hooks, n)(n)}` }),
  (n) => ({ method: 'GET', path: `/oauth/callback?state=${encodeURIComponent(nth(states, n)(n))}&code=x` }),
]

/** Sends so many of all kinds in turn, and gives the statuses that they were answered with. */
async function flood(count: number): Promise<Set<number>> {
  const statuses = new Set<number>()
  const waiting = Array.from({ length: count }, (_, n) => n).values()
  const sender = async () => {
    for (const n of waiting) statuses.add((await send(nth(KINDS, n)(Math.floor(n / KINDS.length)))).status)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sender))
  return statuses
}

/** Databases of objects, and how much the process has open but for connections. */
function left(): { databases: string[]; descriptors: number } {
  const databases = readdirSync(server.data, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.sqlite'))
    .toSorted()
  const open = readdirSync(`/proc/${server.pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${server.pid}/fd/${fd}`)]
    } catch {
      return []
    }
  })
  return { databases, descriptors: open.filter((target) => !target.startsWith('socket:')).length }
}

describe('what was never given out', () => {
  test(`wakes nothing: ${REQUESTS} requests leave no database and no descriptor`, async ({ expect }) => {
    // What there is one of is made by the first: the audit, the counters, the trigger object of the tenant.
    await flood(KINDS.length * 20)
    await send({ method: 'GET', path: '/v1/metrics', key: KEY })
    const before = left()
    const statuses = await flood(REQUESTS)
    // 429 only says that wrong keys wait: how many are looked at before depends on how long the first flood is ago.
    statuses.delete(401)
    expect(statuses).toEqual(new Set([400, 403, 404, 429]))
    const after = left()
    expect(after.databases).toEqual(before.databases)
    // An object that nobody asks for a while closes its files.
    expect(after.descriptors).toBeLessThanOrEqual(before.descriptors)
  })

  test('is no reason to refuse what was', async ({ expect }) => {
    const good: Forged[] = [
      { method: 'GET', path: `/v1/sessions/${real.session}`, key: real.key },
      { method: 'GET', path: `/links/${real.link}` },
    ]
    for (const one of good) expect((await send(one)).status).toBe(200)
    // It is known, and asks for the proof of its scheme.
    expect((await send({ method: 'POST', path: `/hooks/${real.hook}` })).status).toBe(401)
  })
})
