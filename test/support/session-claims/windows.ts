import { describe } from 'vitest'
import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import { estimateTokens } from '../../../src/lib/text.ts'
import { skillDefinition } from '../../../src/domain/skill.ts'
import type { Asked } from '../peers.ts'
import { NOTHING_LEFT, plan, planned, task, tasksOf } from '../planned.ts'
import type { Play } from '../play.ts'
import { calls } from '../scripted-model.ts'
import { APPROVED } from '../words.ts'
import { claim, type GetHome } from './claim.ts'

const TURNS = 30
const PLANS = 8
const SUMMARY: StepInput = { when: { contains: '压缩对话记录' }, content: '用户一直在问灯塔。', repeat: true }
const WINDOWS = { 'window-2k': 2_000, 'window-4k': 4_000, 'window-8k': 8_000 }

/** Models with small windows. */
export function windowClaims(home: GetHome): void {
  describe('a small window', () => {
    for (const [model, tokens] of Object.entries(WINDOWS)) {
      claim(
        home,
        `of ${tokens} tokens holds a conversation of ${TURNS} turns with pages`,
        {
          config: { ...APPROVED, model, tools_preset: 'small', llm: { protocol: 'native' } },
          script: (page) => [
            SUMMARY,
            ...Array.from({ length: TURNS }, (_, turn) => [
              calls('web_access', { url: page('article') }),
              calls('finish', { reason: `${turn}：${'灯塔在海边。'.repeat(10)}` }),
            ]).flat(),
          ],
        },
        async (play, expect) => {
          await play.create()
          for (let turn = 0; turn < TURNS; turn++) {
            const { status, error } = await play.send(`第${turn}问：灯塔在哪里？${'请仔细看。'.repeat(10)}`)
            expect({ status, error, turn }).toMatchObject({ status: 'completed', error: null })
          }
          const asked = await play.asked()
          const over = asked.filter((one) => tokensIn(one) + Number(one.body['max_tokens']) > tokens)
          expect(over.map(tokensIn)).toEqual([])
          expect(asked.every(({ body }) => Number(body['max_tokens']) <= tokens / 4)).toBe(true)
        },
      )
    }

    claim(
      home,
      'of 2000 tokens holds long answers and long English pages, by the estimate that budgets use',
      {
        config: { ...APPROVED, model: 'window-2k', llm: { protocol: 'native' } },
        script: (page) => [
          SUMMARY,
          ...Array.from({ length: PLANS }, () => [
            calls('web_access', { url: page('long') }),
            calls('finish', { reason: '灯塔在海边。'.repeat(50) }),
          ]).flat(),
        ],
      },
      async (play, expect) => {
        await play.create()
        for (let turn = 0; turn < PLANS; turn++) {
          const { status, error } = await play.send(`第${turn}问：灯塔在哪里？${'请仔细看。'.repeat(10)}`)
          expect({ status, error, turn }).toMatchObject({ status: 'completed', error: null })
        }
        const events = await play.events()
        const reserved = events.flatMap((one) => (one.type === 'model-start' ? [one.reserved_tokens ?? 0] : []))
        expect(reserved.filter((tokens) => tokens > 2_000)).toEqual([])
      },
    )

    for (const [model, tokens] of Object.entries(WINDOWS))
      claim(
        home,
        `of ${tokens} tokens holds the plans of ${PLANS} tasks, and what came of those before`,
        {
          config: { model },
          script: Array.from({ length: PLANS }, (_, turn) => [
            plan(`查第${turn}座灯塔，${'请仔细看。'.repeat(10)}`),
            '灯塔在海边。'.repeat(200),
            NOTHING_LEFT,
            `${turn}：${'灯塔在海边。'.repeat(200)}`,
          ]).flat(),
        },
        async (play, expect) => {
          await play.create({ orchestrator: 'plan' })
          for (let turn = 0; turn < PLANS; turn++)
            expect(await play.send(`第${turn}问：灯塔在哪里？`)).toMatchObject({ status: 'completed', error: null })
          const asked = await play.asked()
          const over = asked.filter((one) => tokensIn(one) + Number(one.body['max_tokens']) > tokens)
          expect(over.map(tokensIn)).toEqual([])
          expect(JSON.stringify(asked.at(-1))).toContain('灯塔在海边')
        },
      )

    claim(
      home,
      `of 2000 tokens holds ${TURNS} turns beside skills, which the small set does not list`,
      {
        config: { model: 'window-2k', tools_preset: 'small', llm: { protocol: 'native' } },
        script: [
          SUMMARY,
          ...Array.from({ length: TURNS }, () => calls('finish', { reason: '灯塔在海边。'.repeat(10) })),
        ],
      },
      async (play, expect) => {
        await sixSkills(play)
        await play.create()
        for (let turn = 0; turn < TURNS; turn++) {
          const { status, error } = await play.send(`第${turn}问：灯塔在哪里？${'请仔细看。'.repeat(10)}`)
          expect({ status, error, turn }).toMatchObject({ status: 'completed', error: null })
        }
        const asked = await play.asked()
        expect(asked.filter((one) => tokensIn(one) + Number(one.body['max_tokens']) > 2_000)).toEqual([])
        expect(JSON.stringify(asked)).not.toContain('可用的技能')
      },
    )

    for (const [model, isSmall] of [
      ['window-2k', true],
      ['window-4k', false],
    ] as const)
      claim(
        home,
        `of ${WINDOWS[model]} tokens has ${isSmall ? 'the small set' : 'all tools'} where nobody says which`,
        { config: { model, llm: { protocol: 'native' } }, script: ['灯塔在海边。'] },
        async (play, expect) => {
          await play.create()
          expect(await play.send('灯塔在哪里？')).toMatchObject({ status: 'completed', result: '灯塔在海边。' })
          const [asked] = await play.asked()
          const offered = asked?.body.tools?.map((tool) => tool.function.name) ?? []
          expect(offered).toContain('web_access')
          expect(offered.includes('http_request')).toBe(!isSmall)
        },
      )

    claim(
      home,
      'into which the prompt of a role does not fit is said with what takes the room',
      {
        config: { model: 'window-2k', instructions: '务必准确。'.repeat(400), llm: { protocol: 'native' } },
        script: [],
      },
      async (play, expect) => {
        const actions = [{ name: 'Draft', instruction: '写' }]
        const role = { name: 'A', profile: 'Writer', actions, react_mode: 'by_order' } as const
        await play.create({ team: { roles: [{ ...role, watch: ['UserRequirement'] }] } })
        const { status, error } = await play.send('问')
        expect({ status, error }).toMatchObject({ status: 'failed', error: { code: 'prompt_too_long' } })
        expect(error?.detail).toMatch(/2000.*\(\d+\)/)
      },
    )

    claim(
      home,
      'into which the prompt of a worker does not fit fails its sub-task alone',
      {
        config: { model: 'window-8k', llm: { protocol: 'native' } },
        script: [
          plan({ name: 'llm_tool', description: '写海' }, { name: 'window-long', description: '写塔' }),
          task('写海', '海'),
          NOTHING_LEFT,
          '完',
        ],
      },
      async (play, expect) => {
        const about = { version: '1', description: '很长', worker: true }
        await play.home.putSkill(
          skillDefinition.parse({ ...about, name: 'window-long', prompt: '务必准确。'.repeat(1_400) }),
        )
        await planned(play)
        expect(await play.send('介绍海边')).toMatchObject({ status: 'completed', result: '完' })
        expect(await tasksOf(play)).toMatchObject([
          { status: 'completed', result: '海' },
          { status: 'failed', error: expect.stringContaining('8000') },
        ])
      },
    )

    claim(
      home,
      'into which prompt and tools do not fit is said before the call, with what takes the room; a smaller set goes on',
      {
        config: {
          model: 'window-2k',
          tools_preset: 'all',
          instructions: '务必准确。'.repeat(30),
          llm: { protocol: 'native' },
        },
        script: ['好'],
      },
      async (play, expect) => {
        await sixSkills(play)
        await play.create()
        const { status, error } = await play.send('问')
        expect({ status, error }).toMatchObject({ status: 'failed', error: { code: 'prompt_too_long' } })
        expect(error?.detail).toMatch(/http_request \(\d+\)/)
        expect(error?.hint).toContain('tools_preset')
        expect(await play.asked(0)).toEqual([])
        const next = await play.carryOn({ tools_preset: 'small' })
        expect({ error: next.error, result: next.result }).toEqual({ error: null, result: '好' })
        const [system] = (await play.asked())[0]?.body.messages ?? []
        expect(system?.content).toContain('务必准确。')
        expect(system?.content).not.toContain('可用的技能')
      },
    )

    claim(
      home,
      'into which a task does not fit is said with the task as what takes the room',
      { config: { model: 'window-2k', llm: { protocol: 'native' } }, script: ['好'] },
      async (play, expect) => {
        await play.create()
        const { error } = await play.send('灯塔在哪里？'.repeat(400))
        expect(error).toMatchObject({ code: 'prompt_too_long' })
        expect(error?.detail).toMatch(/占用最多的是：“<用户任务>” \(\d{4}\)/)
        expect(await play.asked(0)).toEqual([])
      },
    )
  })
}

/** Skills of the tenant, each with a description that takes what one may take. */
async function sixSkills(play: Play): Promise<void> {
  for (let one = 0; one < 6; one++)
    await play.home.putSkill(
      skillDefinition.parse({
        name: `window-skill-${one}`,
        version: '1',
        description: '整理灯塔的各种记录，'.repeat(5),
      }),
    )
}

/** About how many tokens the service reads. */
function tokensIn({ body: { messages, tools } }: Asked): number {
  const text = messages.map(({ content, tool_calls: made }) => `${content ?? ''}${made ? JSON.stringify(made) : ''}`)
  const tokens = estimateTokens(text.join('')) + (tools ? estimateTokens(JSON.stringify(tools)) : 0)
  return tokens
}
