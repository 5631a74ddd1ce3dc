import { readFileSync } from 'node:fs'
import { describe, test } from 'vitest'

const deployed = readFileSync('wrangler.toml', 'utf8')
const served = readFileSync('src/cli/serve/config.capnp', 'utf8')

const wordsIn = (list: string | undefined) => [...(list ?? '').matchAll(/"([^"]+)"/g)].map(([, word]) => word)

describe('the platform that is deployed to and the one of yaa serve', () => {
  test('send what the Worker fetches by the front door of its own zone', ({ expect }) => {
    const flags = wordsIn(/^compatibility_flags = \[(.*)\]$/m.exec(deployed)?.[1])
    expect(flags).toContain('global_fetch_strictly_public')
    expect(wordsIn(/^ *compatibilityFlags = \[(.*)\],$/m.exec(served)?.[1])).toEqual(flags)
  })

  test('are of one date', ({ expect }) => {
    const date = /^compatibility_date = "(.*)"$/m.exec(deployed)?.[1]
    expect(date).toMatch(/^\d{4}-\d\d-\d\d$/)
    expect(/compatibilityDate = "(.*)"/.exec(served)?.[1]).toBe(date)
  })
})
