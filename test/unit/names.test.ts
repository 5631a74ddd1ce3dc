import { globSync, readFileSync } from 'node:fs'
import { describe, test } from 'vitest'

const DECLARED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm

/** Each tool's words go by the same names. */
const WORDS_OF_A_TOOL = new Set(['TEXTS', 'NAMES', 'DESCRIPTION', 'PARAMETERS', 'EXPECTED'])

/** What leaves the product under a name: the Worker's classes, the library's types. */
const WAYS_OUT = ['src/index.ts', 'src/library.ts']

const files = globSync('src/**/*.{ts,tsx}').filter((file) => !WAYS_OUT.includes(file))

describe('exported names', () => {
  test('have one meaning each', ({ expect }) => {
    const filesOf = new Map<string, string[]>()
    for (const file of files)
      for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(DECLARED))
        if (!WORDS_OF_A_TOOL.has(name)) filesOf.set(name, [...(filesOf.get(name) ?? []), file])
    expect(filesOf.size).toBeGreaterThan(1000)
    expect([...filesOf].filter(([, found]) => new Set(found).size > 1)).toEqual([])
  })
})
