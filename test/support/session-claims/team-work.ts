import { describe } from 'vitest'
import { skillDefinition, type SkillDefinition } from '../../../src/domain/skill.ts'
import type { Asked } from '../peers.ts'
import { errorOf, type Play, responseOf, valueOf } from '../play.ts'
import { hear } from '../sse.ts'
import { claim, type GetHome } from './claim.ts'
import { role, team, does, setting, lastTextOf, historyOf, TEN, WAIT } from './team-stage.ts'

/** What roles work with, who they are, and what comes from outside. */
export function teamWorkClaims(home: GetHome): void {
  describe('a team', () => {
    toolClaims(home)
    busClaims(home)
    fileClaims(home)
    specClaims(home)
    copyClaims(home)
    memberClaims(home)
  })
}

function toolClaims(home: GetHome): void {
  const reader = (tools: string[]) =>
    team(role('R', ['UserRequirement'], [{ name: 'Read', instruction: '做Read', tools }]))

  claim(
    home,
    'offers an action its tools and those that steer, and no others',
    {
      script: (page) => [
        { tool_calls: [{ name: 'web_access', arguments: { url: page('article') } }] },
        { content: '读完了' },
      ],
      config: { tools: { web_access: { auto_approve: true } }, llm: { protocol: 'native' } },
    },
    async (play, expect) => {
      await play.create(reader(['web_access']))
      expect(await play.send('开始')).toMatchObject({ status: 'completed', result: '读完了' })
      const [first] = await play.asked()
      expect(first?.body.tools?.map(({ function: { name } }) => name)).toEqual([
        'web_access',
        'rethink',
        'ask',
        'finish',
      ])
      expect(await play.site.visits()).toHaveLength(1)
    },
  )

  claim(
    home,
    'waits for the approval of a call within an action, and goes on with it',
    {
      script: (page) => [
        { tool_calls: [{ name: 'web_access', arguments: { url: page('article') } }] },
        { content: '读完了' },
      ],
      config: { llm: { protocol: 'native' } },
    },
    async (play, expect) => {
      await play.create(reader(['web_access']))
      expect(await play.send('开始')).toMatchObject({ status: 'interrupted', finish_reason: 'interrupted' })
      expect(await play.pending()).toMatchObject({ tool: 'web_access', scope: 'R' })
      expect(await play.decide({ decision: 'approve' })).toMatchObject({ status: 'completed', result: '读完了' })
    },
  )

  claim(
    home,
    'ends an action by finish too',
    {
      script: [{ tool_calls: [{ name: 'finish', arguments: { reason: '成果' } }] }],
      config: { llm: { protocol: 'native' } },
    },
    async (play, expect) => {
      await play.create(reader(['web_access']))
      expect(await play.send('开始')).toMatchObject({ status: 'completed', result: '成果' })
    },
  )
}

function busClaims(home: GetHome): void {
  claim(
    home,
    'takes a message for one role, also while it rests',
    setting(does('Left', '左'), does('Right', '右'), does('Right', '右二')),
    async (play, expect) => {
      await play.create(team(role('L', ['UserRequirement'], ['Left']), role('R', ['Left'], ['Right'])))
      await play.send('开始')
      const input = { content: '只给你', cause_by: 'Hint', send_to: ['R'] }
      const told = responseOf(await play.api.sendTeamMessage(input, WAIT))
      expect(told).toMatchObject({ status: 'completed' })
      expect((await historyOf(play)).at(-2)).toMatchObject({ sent_from: 'user', cause_by: 'Hint', send_to: ['R'] })
      expect(lastTextOf((await play.asked())[2] as Asked)).toContain('只给你')
    },
  )

  claim(
    home,
    'takes a message into a run that rests, which goes on with it',
    setting(does('Write', '草稿'), does('Note', '知道了')),
    async (play, expect) => {
      await play.create(
        team(
          role('W', ['UserRequirement'], ['Write']),
          role('P', ['Write'], ['Check'], { human: true }),
          role('N', ['Hint'], ['Note']),
          role('H', [], ['Hint']),
        ),
      )
      const first = await play.send('开始')
      const told = responseOf(await play.api.sendTeamMessage({ content: '别忘了', cause_by: 'Hint' }, WAIT))
      expect(told).toMatchObject({ run_id: first.run_id, status: 'interrupted' })
      expect(await play.decide({ decision: 'answer', answer: '可以' })).toMatchObject({ result: '可以\n\n知道了' })
    },
  )

  claim(home, 'that there is not takes no message', setting(), async (play, expect) => {
    await play.create()
    expect(await errorOf(play.api.sendTeamMessage({ content: '你好' }, WAIT))).toMatchObject({ code: 'not_found' })
    expect(await errorOf(play.api.teamMessages(0, 10))).toMatchObject({ code: 'not_found' })
  })
}

function fileClaims(home: GetHome): void {
  const CODE = ['好的：', 'FILE: src/main.js', '```js', 'run()', '```', '', '**FILE: `../x`**', '```', 'x', '```'].join(
    '\n',
  )

  claim(home, 'writes the files of an output into the workspace', setting(does('Code', CODE)), async (play, expect) => {
    await play.create(team(role('E', ['UserRequirement'], [{ name: 'Code', instruction: '做Code', output: 'files' }])))
    expect(await play.send('开始')).toMatchObject({ status: 'completed', result: CODE })
    const files = await play.api.files({ limit: 10 })
    expect(files).toMatchObject({ ok: true, value: [{ path: 'src/main.js', size: 6 }] })
    expect(await play.event('file')).toMatchObject({ scope: 'E', action: 'write', path: 'src/main.js' })
    expect(await play.event('error')).toMatchObject({ code: 'file_refused' })
  })
}

function specClaims(home: GetHome): void {
  claim(home, 'that does not fit together is refused with paths', setting(), async (play, expect) => {
    const roles = [
      role('A', ['UserRequirement'], [{ name: 'One', instruction: 'x', tools: ['nothing_such'] }]),
      role('B', ['Two'], ['Three'], { model: 'no-model', skill: 'no-skill' }),
    ]
    const refused = await errorOf(play.api.create(play.id, 'default', { team: { roles } }, { form: 'wait' }))
    expect(refused.code === 'invalid_input' ? refused.issues.map(({ path }) => path) : refused).toEqual([
      'team.roles.0.actions.0.tools.0',
      'team.roles.1.watch.0',
      'team.roles.1.model',
      'team.roles.1.skill',
    ])
    await play.create()
  })

  claim(home, 'of which a role is a skill with a team of its own is refused', setting(), async (play, expect) => {
    await play.home.putSkill(skill({ name: 'nested', team: 'debate' }))
    const roles = [role('A', ['UserRequirement'], ['One'], { skill: 'nested' })]
    const refused = await errorOf(play.api.create(play.id, 'default', { team: { roles } }, { form: 'wait' }))
    expect(refused).toMatchObject({ code: 'invalid_input', issues: [{ path: 'team.roles.0.skill' }] })
    await play.create()
  })

  claim(home, 'of no known name is refused', setting(), async (play, expect) => {
    const refused = await errorOf(play.api.create(play.id, 'default', { team: { name: 'nobody' } }, { form: 'wait' }))
    expect(refused).toMatchObject({ code: 'invalid_input', issues: [{ path: 'team' }] })
    await play.create()
  })
}

function copyClaims(home: GetHome): void {
  claim(home, 'survives an export and an import whole', setting('一', '二', '三'), async (play, expect) => {
    await play.create({ orchestrator: 'team' })
    await play.send('开始')
    const exported = await play.api.export(null, false)
    if (!exported.ok) throw new Error('no export')
    const copy = play.home.session(`${play.id}x`)
    const body = new Response(await new Response(exported.value).text()).body
    if (!body) throw new Error('no body')
    const made = await copy.import(`${play.id}x`, 'default', body, { bytesMax: 1_000_000, keepConfig: true })
    expect(made).toMatchObject({ ok: true })
    const read = await copy.read('none')
    const { team: copied } = read.ok ? await new Response(read.value.body).json<{ team: unknown }>() : { team: null }
    expect(copied).toEqual((await play.session()).team)
  })
}

function memberClaims(home: GetHome): void {
  claim(home, 'streams what a role writes, in its scope', setting('PRD内容', '设计', '代码'), async (play, expect) => {
    await play.create({ orchestrator: 'team' })
    await valueOf(play.api.addMessage({ content: '开始' }, { form: 'stream' }))
    const delta = await play.event('message-delta' as 'message')
    expect(delta).toMatchObject({ type: 'message-delta', scope: 'Alice' })
    await play.event('run-end')
  })

  claim(
    home,
    'streams the output that a role gives to finish, in its scope',
    {
      script: [{ tool_calls: [{ name: 'finish', arguments: { reason: '读完了' }, chunks: 8 }] }],
      config: { llm: { protocol: 'native' } },
    },
    async (play, expect) => {
      await play.create(team(role('R', ['UserRequirement'], [{ name: 'Read', instruction: '做Read' }])))
      const answer = await valueOf(play.api.addMessage({ content: '开始' }, { form: 'stream' }))
      const heard = await hear(answer.form === 'stream' ? answer.body : null)
      const told = heard.filter(({ event }) => event === 'answer-delta')
      expect(told.map(({ data }) => data['delta']).join('')).toBe('读完了')
      for (const { data } of told) expect(data['scope']).toBe('R')
      expect(heard.at(-1)).toMatchObject({ event: 'run-end', data: { status: 'completed', result: '读完了' } })
    },
  )

  claim(
    home,
    'may give a role a model and limits of its own',
    setting(does('Left', '左'), does('Right', '右')),
    async (play, expect) => {
      await play.create(
        team(
          role('L', ['UserRequirement'], ['Left'], { model: 'priced', limits: { max_tokens: 77 } }),
          role('R', ['UserRequirement'], ['Right']),
        ),
      )
      const { usage } = await play.send('开始')
      expect(usage.cost?.currency).toBe('CNY')
      expect(usage.unpriced_models).toEqual(['scripted'])
      const shown = (await play.session()).team
      expect(shown?.roles.map(({ cost }) => cost?.currency ?? null)).toEqual(['CNY', null])
      expect(shown?.spent).toMatchObject({ ...usage.cost })
      const bodies = (await play.asked()).map(({ body }) => body['max_tokens'])
      expect(new Set(bodies)).toEqual(new Set([1_000, 77]))
    },
  )

  claim(
    home,
    'may have a skill for a role: its prompt, and its tools where the action names none',
    { script: ['你好。'], config: { llm: { protocol: 'native' } } },
    async (play, expect) => {
      await play.home.putSkill(skill({ name: 'polite', prompt: '您说话很客气。', tools: ['web_access'] }))
      await play.create(team(role('P', ['UserRequirement'], ['Greet'], { skill: 'polite' })))
      expect(await play.send('开始')).toMatchObject({ status: 'completed', result: '你好。' })
      const [asked] = await play.asked()
      expect(asked?.body.messages[0]?.content).toContain('您说话很客气。')
      expect(asked?.body.tools?.map(({ function: { name } }) => name)).toContain('web_access')
    },
  )

  for (const [permission, name] of [
    ['ask', 'web_access'],
    ['deny', '网页访问'],
  ] as const) {
    const settings = {
      script: (page: (name: string) => string) => [
        { tool_calls: [{ name: 'web_access', arguments: { url: page('article') } }] },
        { content: '读完了' },
      ],
      config: { tools: { web_access: { auto_approve: true } }, llm: { protocol: 'native' as const } },
    }
    claim(
      home,
      `holds a role that is a skill to what the skill says of tools: ${permission}`,
      settings,
      async (play, expect) => {
        await play.home.putSkill(
          skill({ name: `careful-${permission}`, tools: ['web_access'], permissions: { [name]: permission } }),
        )
        await play.create(team(role('P', ['UserRequirement'], ['Read'], { skill: `careful-${permission}` })))
        const answer = await play.send('开始')
        const offered = (await play.asked())[0]?.body.tools?.map(({ function: { name: id } }) => id) ?? []
        expect([answer.status, offered.includes('web_access')]).toEqual(
          permission === 'ask' ? ['interrupted', true] : ['completed', false],
        )
        expect(await play.site.visits()).toHaveLength(0)
      },
    )
  }

  claim(home, 'may be that of a skill', setting('正方', '反方', '裁断'), async (play, expect) => {
    await play.home.putSkill(skill({ name: 'weigh', team: 'debate' }))
    const ran = await play.api.runSkill(
      play.id,
      'default',
      { name: 'weigh', input: '该不该下雨', ...modelOf(play) },
      WAIT,
    )
    expect(responseOf(ran)).toMatchObject({
      status: 'completed',
      result: '裁断',
      skill_result: { success: true, content: '裁断' },
    })
    expect(await play.session()).toMatchObject({ orchestrator: 'team', skill: 'weigh', team: { name: 'debate' } })
  })

  claim(
    home,
    'of fifty roles has all of them act in one round, and joins what they say',
    {
      script: [{ when: { contains: '做Say' }, content: '话', repeat: true }, does('Join', '合')],
      config: { limits: { max_iterations: 100 } },
    },
    async (play, expect) => {
      const many = Array.from({ length: 50 }, (_, index) => role(`R${index}`, ['UserRequirement'], [`Say${index}`]))
      const heard = many.map((_, index) => `Say${index}`)
      await play.create(team(...many, role('J', heard, ['Join'])))
      expect(await play.send('开始')).toMatchObject({ status: 'completed', result: '合' })
      expect(await play.asked()).toHaveLength(51)
      expect((await play.session()).team).toMatchObject({ round: 2, message_count: 52 })
    },
  )

  claim(
    home,
    'counts its money over all of its runs, calls that were cut included',
    {
      script: [
        { hang: true },
        { content: '一', usage: TEN },
        { content: '二', usage: TEN },
        { content: '三', usage: TEN },
      ],
      config: { model: 'priced', llm: { max_tokens: 500 } },
    },
    async (play, expect) => {
      await play.create({ team: { name: 'software', investment: { amount: 1, currency: 'CNY' } } })
      const sent = play.send('开始')
      await play.asked(1)
      await play.cancel()
      await sent
      const { usage } = await play.send('再来')
      const { spent } = (await play.session()).team ?? {}
      expect(spent?.amount).toBeGreaterThan((usage.cost?.amount ?? 0) + 0.006)
      expect(spent?.amount).toBeLessThan((usage.cost?.amount ?? 0) + 0.01)
    },
  )

  claim(
    home,
    'hears in the next round what is put on the bus while it works',
    setting(does('Left', '左', { hold_after: 0 }), does('Right', '右')),
    async (play, expect) => {
      await play.create(team(role('L', ['UserRequirement'], ['Left']), role('R', ['Left'], ['Right'])))
      const sent = play.send('开始')
      await play.asked(1)
      const { seq } = await play.event('team-message')
      const told = play.api.sendTeamMessage({ content: '还有这个', cause_by: 'Hint', send_to: ['R'] }, WAIT)
      await play.event('team-message', seq)
      await play.model.release()
      expect(responseOf(await told)).toMatchObject({ status: 'completed', result: '右' })
      expect(await sent).toMatchObject({ status: 'completed' })
      expect(lastTextOf((await play.asked())[1] as Asked)).toContain('还有这个\n左')
    },
  )
}

const modelOf = ({ model }: Play) => ({ config: { llm: { extra_body: { script: model.name } } } })

function skill(fields: Partial<SkillDefinition> & { name: string }): SkillDefinition {
  return skillDefinition.parse({ version: '1', description: '说明', ...fields })
}
