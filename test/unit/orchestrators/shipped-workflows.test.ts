import { afterAll, beforeAll, describe, test } from 'vitest'
import * as z from 'zod'
import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import { shippedIn } from '../../../src/skills/shipped-workflows.ts'
import { type NodeHome, nodeHome } from '../../support/node-home.ts'
import { errorOf, startPlay } from '../../support/play.ts'
import { expectSound } from '../../support/sound.ts'

interface Told {
  inputs: (page: (name: string) => string) => Record<string, unknown>
  script: readonly StepInput[]
  result: unknown
}

const good = (value: object): string => JSON.stringify(value)

/** A run of each: what its model says, and what comes of it. */
const RUNS: Record<string, Told> = {
  'research-with-review': {
    inputs: () => ({ question: 'Why?' }),
    script: ['It is so.', good({ good: false, gaps: ['the year'] }), 'In 1999.', 'It is so, since 1999.'],
    result: 'It is so, since 1999.',
  },
  'page-digest': {
    inputs: (page) => ({ urls: [page('article'), page('gone')] }),
    script: ['One page.', 'A digest.'],
    result: 'A digest.',
  },
  'issue-triage': {
    inputs: () => ({ title: 'It crashes', body: 'Always.' }),
    script: [good({ label: 'bug', priority: 'high', reason: 'It crashes.' }), 'Which version?'],
    result: { label: 'bug', priority: 'high', reason: 'It crashes.', answer: 'Which version?' },
  },
  'translate-and-check': {
    inputs: () => ({ text: 'Good day', target_language: 'German' }),
    script: ['Gute Nacht', good({ faithful: false, problems: ['Nacht'] }), 'Guten Tag'],
    result: 'Guten Tag',
  },
  'extract-records': {
    inputs: (page) => ({ urls: [page('article')], fields: ['name'] }),
    script: [good({ records: [{ name: 'a' }] }), 'name\r\na'],
    result: 'name\r\na',
  },
}

const inputsOf = ({ inputs }: { inputs?: unknown }) =>
  z.object({ properties: z.record(z.string(), z.object({ title: z.string() })) }).parse(inputs).properties

let home: NodeHome
beforeAll(async () => {
  home = await nodeHome('sqlite')
})
afterAll(() => home.close())

describe.for(['en', 'zh-CN'] as const)('workflows that come with the product, in %s', (language) => {
  test('are those that are tried here', ({ expect }) => {
    expect(shippedIn(language).map(({ definition }) => definition.name)).toEqual(Object.keys(RUNS).toSorted())
  })

  test('say what each input is in words', ({ expect }) => {
    const names = shippedIn(language).flatMap(({ definition }) =>
      Object.entries(inputsOf(definition)).map(([key, { title }]) => [key, title]),
    )
    expect(names.length).toBeGreaterThan(6)
    for (const [, title] of names) expect(title).toMatch(language === 'en' ? /^[A-Z]/ : /\p{Script=Han}/u)
  })

  test.for(Object.entries(RUNS))('%s comes to its end', async ([name, { inputs, script, result }], { expect }) => {
    const auto = { auto_approve: true, trusted: true }
    const config = {
      language,
      llm: { protocol: 'native' as const },
      tools: { web_access: auto, write_file: auto },
    }
    const play = await startPlay(home, { script, config })
    const session = await play.create({
      workflow: name,
      inputs: inputs(play.site.url),
      task: 'go',
    })
    let rest = session
    while (rest.status === 'interrupted' && rest.pending.length === 0) {
      home.advance(10_000)
      await play.event('run-end')
      rest = await play.session()
    }
    while (rest.pending.length > 0) {
      await play.decide({ decision: 'approve' })
      rest = await play.session()
    }
    expect(rest.error).toBeNull()
    expect(typeof result === 'string' ? rest.result : JSON.parse(rest.result ?? '')).toEqual(result)
    await expectSound(play, expect)
  })

  test.for(Object.keys(RUNS))('%s refuses a run without its inputs', async (name, { expect }) => {
    const play = await startPlay(home, {})
    const made = play.api.create(
      play.id,
      'default',
      { workflow: name, inputs: {}, task: 'go', config: { language } },
      { form: 'wait' },
    )
    expect(await errorOf(made)).toMatchObject({
      code: 'invalid_input',
      issues: expect.arrayContaining([expect.objectContaining({ path: expect.stringMatching(/^inputs\./) })]),
    })
  })
})
