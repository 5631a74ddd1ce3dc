import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { describe, test } from 'vitest'

const tests = globSync('test/{unit,worker,contract,e2e}/**/*.test.ts')
const suites = globSync('test/support/**/*-suite.ts')
const textOf = (file: string) => readFileSync(file, 'utf8')

describe('tests', () => {
  test('are there, with the suites that several of them share', ({ expect }) => {
    expect(tests.length).toBeGreaterThan(200)
    expect(suites.length).toBeGreaterThan(5)
  })

  test('of unit and worker lie in the folder of what they test', ({ expect }) => {
    const folders = new Set(tests.filter((file) => /^test\/(unit|worker)\/.+\//.test(file)).map(dirname))
    expect([...folders].filter((folder) => !existsSync(folder.replace(/^test\/\w+/, 'src')))).toEqual([])
  })

  test('that several share are each named in a test', ({ expect }) => {
    const all = tests.map(textOf).join('\n')
    expect(suites.filter((suite) => !all.includes(`/${basename(suite)}'`))).toEqual([])
  })

  test('say of no case how long it may take', ({ expect }) => {
    const timed = tests.filter((file) =>
      /^\s*(?:test|it|describe)\b.*\{ (?:timeout|retry):|^\s*\{ (?:timeout|retry): .*\},$/m.test(textOf(file)),
    )
    expect(timed).toEqual([])
  })

  test('are named in no list of the config', ({ expect }) => {
    expect(textOf('vitest.config.mts').match(/test\/[\w./-]+\.test\.ts/g)).toBe(null)
  })
})
