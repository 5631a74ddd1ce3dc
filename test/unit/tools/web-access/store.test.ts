import { PATIENCE_MS } from '../../../support/patience.ts'
import { describe, expect, test } from 'vitest'
import type { ToolOutcome } from '../../../../src/domain/tool.ts'
import { createGuardedFetch } from '../../../../src/net/guarded-fetch.ts'
import { webAccess } from '../../../../src/tools/web-access/tool.ts'
import { type Loopback, loopback, page } from '../../net/loopback.ts'
import { toolContext } from '../../../support/tool-context.ts'

/** A session: what the tool keeps is there for its next call. */
function sessionOn(server: Loopback) {
  const store = new Map<string, string>()
  let now = Date.UTC(2025, 2, 29)
  const tool = webAccess({
    fetch: createGuardedFetch({
      publicFetch: (url, init) => fetch(url, init),
      privateFetch: null,
      allowPrivateHosts: [server.host],
    }),
    now: () => now,
    settings: { timeoutMs: PATIENCE_MS, bodyBytesMax: 12_000_000 },
  })
  const visit = async (args: Record<string, unknown>): Promise<string> => {
    now += 60_000
    const parsed = tool.parse(args)
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors))
    const recall = (key: string) => store.get(key) ?? null
    const outcome = await tool.run(parsed.value, toolContext({ recall }))
    for (const { key, text } of outcome.ok ? (outcome.keep ?? []) : []) store.set(key, text)
    return contentOf(outcome)
  }
  return { visit, store }
}

function contentOf(outcome: ToolOutcome): string {
  if (!outcome.ok) return `failed: ${outcome.reason}`
  return outcome.content ?? ''
}

const LONG = Array.from(
  { length: 60 },
  (_, index) =>
    `<h2>Part ${index}</h2><p>${`Text of part ${index}${index === 41 ? ' about zebras' : ''}, as it is. `.repeat(12)}</p>`,
).join('')

describe('the same address within a session', () => {
  test('is fetched once; pages and focus come from the store, with the time of the visit', async () => {
    const server = await loopback(page(LONG))
    const { visit } = sessionOn(server)
    const first = await visit({ url: server.origin })
    expect(first).not.toContain('store')
    const second = await visit({ url: `${server.origin}/#part`, page: 2 })
    const third = await visit({ url: server.origin, focus: 'zebras' })
    expect(server.requests).toHaveLength(1)
    expect(second).toMatch(
      /Time: 2025-03-29T00:01:00.000Z\nKind: [^\n]+\nPage: 2 of 4[^]*Status: This is from the session's store/,
    )
    expect(third).toMatch(/Status: The text is long: 1 of 60 sections[^]*## Part 41/)
  })

  test('is fetched anew with refresh, which replaces what was kept', async () => {
    let version = 0
    const server = await loopback((request, response) => page(`<p>version ${(version += 1)}`)(request, response))
    const { visit } = sessionOn(server)
    await visit({ url: server.origin })
    expect(await visit({ url: server.origin, refresh: true })).toContain('version 2')
    expect(await visit({ url: server.origin })).toContain('version 2')
    expect(server.requests).toHaveLength(2)
  })

  test('is kept however long it is within the cap of a visit', async () => {
    const server = await loopback(page(`<p>${'word '.repeat(1_000_000)}`))
    const { visit } = sessionOn(server)
    await visit({ url: server.origin })
    expect(await visit({ url: server.origin, page: 800 })).toMatch(/Page: 800 of \d+/)
    expect(server.requests).toHaveLength(1)
  })

  test('is fetched again when it failed, or is too long to be kept', async () => {
    const failing = await loopback(page('no', {}, 500))
    const failed = sessionOn(failing)
    await failed.visit({ url: failing.origin })
    await failed.visit({ url: failing.origin })
    expect(failing.requests).toHaveLength(2)
    const huge = await loopback(page(`<p>${'word '.repeat(2_000_000)}`))
    const long = sessionOn(huge)
    await long.visit({ url: huge.origin })
    expect(long.store.size).toBe(0)
  })

  test('survives a store that holds something else', async () => {
    const server = await loopback(page('<p>text'))
    const { visit, store } = sessionOn(server)
    store.set(`${server.origin}/`, '{"broken":')
    expect(await visit({ url: server.origin })).toContain('text')
  })
})

test('a long page without a wish is given whole, and page 1 gives it from the start', async () => {
  const server = await loopback(page(LONG))
  const { visit } = sessionOn(server)
  expect(await visit({ url: server.origin })).toMatch(
    /Page: all 4; [^]*## Part 0\n[^]*## Part 59\n[^]*\[END PAGE CONTENT/,
  )
  expect(await visit({ url: server.origin, page: 1 })).toMatch(/Page: 1 of 4\.[^]*## Part 1\n/)
})
