import { globSync, readFileSync } from 'node:fs'
import { describe, test } from 'vitest'
import { EN } from '../../../../src/console/texts/en.ts'
import { VIEWS_EN } from '../../../../src/console/texts/views-en.ts'
import { VIEWS_ZH } from '../../../../src/console/texts/views-zh-cn.ts'
import { ZH } from '../../../../src/console/texts/zh-cn.ts'

const sources = globSync('src/console/**/*.{ts,tsx}').filter((file) => !file.includes('/texts/'))
const codes = sources.map((file) => readFileSync(file, 'utf8'))

/** Whether a file that speaks of the group of a text names the text. */
function isShown(path: string): boolean {
  const parts = path.split('.')
  const [group = '', key = group] = parts
  const speaks = new RegExp(
    parts.length === 1
      ? String.raw`\btexts\(\)`
      : String.raw`(\bt|[tT]exts\(\))\.${group}\b|\b${group}: t\b[^}]*\} = \w*[tT]exts\(\)|Texts\['${group}'\]`,
  )
  const names = new RegExp(String.raw`\.${key}\b|\{[^}\n]*\b${key}\b[^}\n]*\} = (texts|viewTexts)`)
  return codes.some((code) => speaks.test(code) && names.test(code))
}

/** What the code looks up by a name that it is given. */
const LOOKED_UP = new Set([
  'keys',
  'ages',
  'good',
  'bad',
  'states',
  'hints',
  'builtInHints',
  'steps',
  'given',
  'link',
  'titles',
  'advice',
  'fields',
  'values',
  'status',
  'finish',
  'risk',
  'decided',
  'stop',
  'columns',
  'orchestrators',
  'spendView',
  'probe',
  'deliveries',
  'try',
  'test',
  'runs',
  'nextRuns',
  'runNow',
  'newSecret',
  'grant',
  'workflow',
  'theme',
])

function keysOf(texts: object, path = ''): string[] {
  return Object.entries(texts).flatMap(([key, value]: [string, unknown]) => {
    const here = path === '' ? key : `${path}.${key}`
    return typeof value === 'object' && value !== null ? keysOf(value, here) : [here]
  })
}

describe('the texts of the console', () => {
  test('are the same in both languages', ({ expect }) => {
    expect(keysOf(ZH)).toEqual(keysOf(EN))
    expect(keysOf(VIEWS_ZH)).toEqual(keysOf(VIEWS_EN))
  })

  test('have one word for one thing', ({ expect }) => {
    const { values } = VIEWS_ZH.words
    expect(ZH.task.orchestrators).toEqual({
      agent: values['orchestrator.agent'],
      plan: values['orchestrator.plan'],
      route: values['orchestrator.route'],
    })
    for (const [scope, en, zh] of ['run', 'read', 'decide', 'admin'].map((one) => [
      one,
      VIEWS_EN.words.values[`scopes.${one}`],
      values[`scopes.${one}`],
    ])) {
      expect(EN.problem.permission(scope ?? '')).toContain(`“${en}”`)
      expect(ZH.problem.permission(scope ?? '')).toContain(`“${zh}”`)
    }
    // 修改, 服务商, and 吊销 of keys and links; 撤销 undoes.
    const chinese = globSync('src/console/**/{zh-cn,*-zh-cn,texts,audit-words,nav-texts}.ts').map((file) =>
      readFileSync(file, 'utf8'),
    )
    expect(chinese.flatMap((text) => text.match(/.*(?:编辑|服务方|被撤销).*/g) ?? [])).toEqual([])
  })

  test('are joined by full-width signs in Chinese', ({ expect }) => {
    const joins = /\.join\(['"](?:, |; )['"]\)|\}: \$\{/g
    const found = sources.flatMap((file, index) => (codes[index]?.match(joins) ? [file] : []))
    // Pure of the page's language: its caller says it.
    expect(found.filter((file) => !file.endsWith('workflow/refusals.ts') && !file.endsWith('texts.ts'))).toEqual([])
  })

  test('are all shown somewhere', ({ expect }) => {
    const unused = [...keysOf(EN), ...keysOf(VIEWS_EN)].filter(
      (path) => !path.split('.').some((part) => LOOKED_UP.has(part)) && !isShown(path),
    )
    expect(unused).toEqual([])
  })
})

test('what a validator says in the details of a failure is told in words', ({ expect }) => {
  const detail = '#/whole: Instance type "string" is invalid. Expected "integer".'
  expect(VIEWS_EN.failure.told(detail)).toBe('whole: it has to be a whole number, but is text')
  expect(VIEWS_ZH.failure.told(detail)).toBe('whole：应为整数，而不是文本')
})
