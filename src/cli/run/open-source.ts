import { lookup } from 'node:dns/promises'
import { open } from 'node:fs/promises'
import { extname } from 'node:path'
import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Fetch } from '../../domain/ports.ts'
import type { ServerConfig } from '../../domain/server-config.ts'
import { isIpHost, isPublicIp } from '../../net/address.ts'
import { createGuardedFetch } from '../../net/guarded-fetch.ts'
import { AddressRefused } from '../../net/outcome.ts'
import type { ReadPage } from '../../reader/page.ts'
import { readSource } from '../../reader/read-source.ts'
import { rendererOf } from '../../tools/web-access/render.ts'
import { type VisitedPage, visitPage } from '../../tools/web-access/visit-page.ts'
import type { TerminalTexts } from '../texts.ts'

/** A page with the time that its extraction took, or one line that says why there is none. */
export type Opened = { ok: true; visited: VisitedPage; ms: number } | { ok: false; reason: string }

/** Media types by the ends of file names; for others the first bytes decide, as for a server that names no type. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.htm': 'text/html',
  '.xhtml': 'application/xhtml+xml',
  '.json': 'application/json',
  '.xml': 'application/xml',
  '.rss': 'application/rss+xml',
  '.atom': 'application/atom+xml',
  '.csv': 'text/csv',
  '.tsv': 'text/tab-separated-values',
  '.md': 'text/markdown',
  '.txt': 'text/plain',
}

const ADDRESS = /^https?:\/\//i

/** Opens addresses through the guard, with the exceptions of the config, and anything else as a file. Never rejects. */
export function createOpener(
  web: NonNullable<ServerConfig['web']>,
  language: Language,
  texts: TerminalTexts,
  secret: (variable: string) => string | undefined,
): (source: string) => Promise<Opened> {
  const settings = {
    timeoutMs: web.timeout_ms ?? LIMITS.web.timeoutMs,
    bodyBytesMax: web.body_bytes_max ?? LIMITS.web.bodyBytesMax,
  }
  const guard = {
    publicFetch: fetchPublic,
    privateFetch: (url: string, init?: RequestInit) => fetch(url, init),
    allowPrivateHosts: web.allow_private_hosts ?? [],
  }
  const fetchGuarded = createGuardedFetch(guard)
  const renderer = rendererOf(web.render, guard, secret)
  const render = renderer ? { timeoutMs: renderer.timeoutMs, service: async () => renderer } : undefined
  return async (source) => {
    if (!ADDRESS.test(source)) return openFile(source, settings.bodyBytesMax, texts)
    let ms = 0
    const read = async (...args: Parameters<typeof readSource>) => {
      const timed = await timedRead(...args)
      ms = timed.ms
      return timed.page
    }
    const ports = { fetch: fetchGuarded, now: Date.now, settings, render, read }
    const visit = await visitPage(ports, source, {
      language,
      signal: new AbortController().signal,
      barsRedirect: () => null,
    })
    return visit.ok ? { ...visit, ms } : visit
  }
}

/** Looks at what the name means first, as workerd's network does for a server: a public name may have a private address. */
const fetchPublic: Fetch = async (url, init) => {
  const host = new URL(url).hostname
  const found = isIpHost(host) ? [] : await lookup(host, { all: true })
  const isPublic = found.every(({ address, family }) => isPublicIp(family === 6 ? `[${address}]` : address))
  if (!isPublic) throw new AddressRefused('private')
  return fetch(url, init)
}

async function openFile(file: string, bytesMax: number, texts: TerminalTexts): Promise<Opened> {
  try {
    const { bytes, isCut } = await firstBytes(file, bytesMax)
    const { page, ms } = await timedRead({ bytes, contentType: TYPES[extname(file).toLowerCase()] ?? null, url: '' })
    const visited = { finalUrl: file, status: 200, time: Date.now(), cutAtBytes: isCut ? bytesMax : null, page }
    return { ok: true, visited, ms }
  } catch (error) {
    return { ok: false, reason: texts.notAFile(error instanceof Error && 'code' in error ? String(error.code) : '?') }
  }
}

async function firstBytes(file: string, bytesMax: number): Promise<{ bytes: Uint8Array; isCut: boolean }> {
  const handle = await open(file)
  try {
    const { size } = await handle.stat()
    const buffer = new Uint8Array(Math.min(size, bytesMax))
    let filled = 0
    while (filled < buffer.length) {
      const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return { bytes: buffer.subarray(0, filled), isCut: size > bytesMax }
  } finally {
    await handle.close()
  }
}

async function timedRead(...args: Parameters<typeof readSource>): Promise<{ page: ReadPage; ms: number }> {
  const start = performance.now()
  const page = await readSource(...args)
  return { page, ms: performance.now() - start }
}
