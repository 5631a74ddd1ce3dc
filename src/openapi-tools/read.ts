import type { InputIssue } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import type { ApiCatalogue, ApiSource } from '../domain/openapi-tools.ts'
import { byteSize } from '../lib/text.ts'
import { describeFailure, type GuardedFetch } from '../net/outcome.ts'
import { checkedDocument, documentIn, type ApiDocument, type Found, lacking } from './document.ts'
import { operationsIn } from './operations.ts'

export type ReadCatalogue = { ok: true; catalogue: ApiCatalogue } | { ok: false; issue: InputIssue }

/** What the API of a source offers: by the document that is given, else by the one at its address. */
export async function readCatalogue(
  source: ApiSource,
  document: unknown,
  { fetch, now }: { fetch: GuardedFetch; now: number },
): Promise<ReadCatalogue> {
  const { url, baseUrl, include, version } = source
  const isSent = document !== undefined && document !== null
  const read = isSent ? await givenDocument(document) : await documentAt(url ?? '', fetch)
  if (!read.ok) return { ok: false, issue: { path: isSent ? 'document' : 'url', message: read.message } }
  const made = operationsIn(read.value, { url: isSent ? null : url, baseUrl, include })
  if (!made.ok)
    return {
      ok: false,
      issue: { path: made.path === 'document' && !isSent ? 'url' : made.path, message: made.message },
    }
  const { ok: _, ...api } = made
  return { ok: true, catalogue: { ...api, version, readTime: now, error: null } }
}

async function givenDocument(document: unknown): Promise<Found<ApiDocument>> {
  return typeof document === 'string' ? documentIn(document) : checkedDocument(document)
}

/** The document at an address. */
async function documentAt(url: string, fetch: GuardedFetch): Promise<Found<ApiDocument>> {
  const { documentBytesMax: bodyBytesMax, readMs: timeoutMs } = LIMITS.openapi
  const headers = { accept: 'application/openapi+json, application/json, application/yaml, */*;q=0.5' }
  const outcome = await fetch(url, { headers, timeoutMs, bodyBytesMax })
  if (!outcome.ok && outcome.code === 'too_large')
    return lacking(`a document of more than ${byteSize(bodyBytesMax)}: give a part of it`)
  if (!outcome.ok) return lacking(describeFailure(outcome, 'en'))
  const { status, bytes } = outcome.response
  if (status !== 200)
    return lacking(
      `the address answers with status ${status}: give one at which anybody can read the document, or send it as document`,
    )
  return documentIn(new TextDecoder().decode(bytes))
}
