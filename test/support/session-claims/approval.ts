import { describe } from 'vitest'
import { contentText } from '../../../src/domain/content.ts'
import { canonicalJson, sha256Hex } from '../../../src/lib/hash.ts'
import { errorOf } from '../play.ts'
import { BOTH, native, type Words, WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'
import { BY_ANY_NAME } from './prompt.ts'

/** Formats 3: what waits for a human, and what a human's word does. */
export function approvalClaims(home: GetHome): void {
  for (const words of BOTH) describe(`approval by a message, ${words.language}`, () => messageClaims(home, words))
  describe('approval by a decision', () => decisionClaims(home, WORDS['zh-CN']))
  describe('several calls that wait', () => severalClaims(home, WORDS.en))
  for (const words of BOTH) describe(`questions, ${words.language}`, () => questionClaims(home, words))
}

const visiting = (words: Words) => ({
  config: { language: words.language, llm: { protocol: 'xml' as const } },
  script: (page: (name: string) => string) => [words.visit(page('article')), words.finish('好')],
})

function messageClaims(home: GetHome, words: Words): void {
  const { web_access: name } = words.names

  claim(home, 'a call that needs one stops the run and fetches nothing', visiting(words), async (play, expect) => {
    await play.create()
    const answer = await play.send(words.task)
    const args = { url: play.site.url('article') }
    expect(answer).toMatchObject({ status: 'interrupted', finish_reason: 'interrupted', result: null, error: null })
    expect(answer.pending).toEqual([
      {
        id: expect.stringMatching(/^pnd_/),
        type: 'approval',
        call_id: answer.messages.at(-1)?.tool_calls?.[0]?.id,
        tool: 'web_access',
        arguments: args,
        arguments_hash: await sha256Hex(canonicalJson(args)),
        risk: 'network',
        created_time: expect.stringMatching(/Z$/),
        expires_time: expect.stringMatching(/Z$/),
        scope: null,
      },
    ])
    const [item] = answer.pending
    expect(Date.parse(item?.expires_time ?? '') - Date.parse(item?.created_time ?? '')).toBe(604_800_000)
    expect(await play.session()).toMatchObject({ status: 'interrupted', pending: answer.pending })
    expect(await play.site.visits()).toEqual([])
    expect((await play.events()).at(-1)).toMatchObject({ type: 'run-pause', finish_reason: 'interrupted' })
  })

  for (const [index, approve] of words.approvals.entries()) {
    claim(
      home,
      `form ${index + 1} runs the call at once, without prompt and without model`,
      visiting(words),
      async (play, expect) => {
        await play.create()
        const { run_id: run } = await play.send(words.task)
        const answer = await play.send(approve(name))
        expect(answer).toMatchObject({ status: 'completed', result: '好', run_id: run })
        expect(await play.site.visits()).toEqual(['article'])
        expect(await play.asked()).toHaveLength(2)
        expect(await play.kinds()).toEqual([
          'task',
          'prompt',
          'reply',
          'approval',
          'tool_result',
          'reply',
          'tool_result',
        ])
        expect(answer.messages[0]).toMatchObject({ role: 'tool', tool_name: 'web_access' })
      },
    )
  }

  for (const [other, approve] of Object.entries(WORDS).map(([key, { approvals }]) => [key, approvals[0]] as const)) {
    claim(
      home,
      `the ${other} form by the tool's id counts too, and its feedback reaches the model`,
      visiting(words),
      async (play, expect) => {
        await play.create()
        await play.send(words.task)
        const answer = await play.send(approve?.('web_access', '只看第一段') ?? '')
        expect(answer.status).toBe('completed')
        expect(answer.messages[0]?.content).toMatch(/A lighthouse keeps[^]*只看第一段/)
        expect((await play.asked())[1]?.body.messages.at(-1)?.content).toContain('只看第一段')
      },
    )
  }

  claim(
    home,
    'a refusal reaches the model instead of the result, with its words',
    visiting(words),
    async (play, expect) => {
      await play.create()
      await play.send(words.task)
      const answer = await play.send(words.refuse(name, '不要上网'))
      expect(answer).toMatchObject({ status: 'completed', result: '好' })
      expect(answer.messages[0]).toMatchObject({ role: 'tool', kind: 'tool_result' })
      expect(contentText(answer.messages[0]?.content ?? '', null).startsWith(words.failed)).toBe(true)
      expect(answer.messages[0]?.content).toContain('不要上网')
      expect(await play.site.visits()).toEqual([])
    },
  )

  const approval = words.approvals[0]?.(name) ?? ''
  const others: Record<string, string> = {
    'the name of another tool': words.approvals[0]?.(words.names.finish) ?? '',
    'text before the tag': `好的 ${approval}`,
    'text after the tag': `${approval} 谢谢`,
    'two tags': `${approval}${approval}`,
    'anything else': '等等，先告诉我为什么',
    'an empty name': words.approvals[0]?.('') ?? '',
  }
  for (const [what, message] of Object.entries(others)) {
    claim(home, `${what} is a refusal with that message as feedback`, visiting(words), async (play, expect) => {
      await play.create()
      await play.send(words.task)
      const answer = await play.send(message)
      expect(answer.status).toBe('completed')
      expect(await play.site.visits()).toEqual([])
      expect(answer.messages[0]?.content).toContain(message.trim())
      expect(await play.kinds()).toEqual(['task', 'prompt', 'reply', 'approval', 'tool_result', 'reply', 'tool_result'])
    })
  }

  claim(home, 'an approval when nothing waits is a task like any other', visiting(words), async (play, expect) => {
    await play.create()
    await play.send(approval)
    expect(await play.kinds()).toEqual(['task', 'prompt', 'reply'])
    expect(await play.site.visits()).toEqual([])
  })
}

function decisionClaims(home: GetHome, words: Words): void {
  claim(home, 'approve runs exactly the call, and writes no message', visiting(words), async (play, expect) => {
    await play.create()
    await play.send(words.task)
    const { arguments_hash: hash = '' } = await play.pending()
    const answer = await play.decide({ decision: 'approve', arguments_hash: hash, feedback: '快一点' })
    expect(answer).toMatchObject({ status: 'completed', result: '好', pending: [] })
    expect(await play.kinds()).toEqual(['task', 'prompt', 'reply', 'tool_result', 'reply', 'tool_result'])
    expect((await play.messages())[3]?.content).toContain('快一点')
    const ended = (await play.events()).find(({ type }) => type === 'pending-end')
    expect(ended).toMatchObject({ decision: 'approve' })
  })

  claim(home, 'reject runs nothing, and its words reach the model', visiting(words), async (play, expect) => {
    await play.create()
    await play.send(words.task)
    const answer = await play.decide({ decision: 'reject', feedback: '不要' })
    expect(answer.status).toBe('completed')
    expect((await play.messages())[3]?.content).toContain('不要')
    expect(await play.site.visits()).toEqual([])
  })

  claim(
    home,
    'edited arguments replace those of the model whole, after they were checked',
    visiting(words),
    async (play, expect) => {
      await play.create()
      await play.send(words.task)
      const { id } = await play.pending()
      for (const [args, path] of [
        [{ url: 7 }, 'arguments.url'],
        [{}, 'arguments.url'],
        [{ url: play.site.url('other'), speed: 1 }, 'arguments.speed'],
      ] as const) {
        const refused = await errorOf(play.api.decide(id, { decision: 'approve', arguments: args }, { form: 'wait' }))
        expect(refused).toMatchObject({ code: 'invalid_input', issues: [{ path }] })
      }
      expect(await play.site.visits()).toEqual([])
      await play.decide({ decision: 'approve', arguments: { url: play.site.url('other') } })
      expect(await play.site.visits()).toEqual(['other'])
      const started = (await play.events()).find(({ type }) => type === 'tool-start')
      expect(started).toMatchObject({ arguments: { url: play.site.url('other') } })
      const told = (await play.asked()).at(-1)?.body.messages.at(-1)?.content
      expect(told).toContain(`用户在执行前修改了参数，实际使用的参数是：{"url":"${play.site.url('other')}"}`)
    },
  )

  claim(home, 'a stale id, a foreign id and another hash run nothing', visiting(words), async (play, expect) => {
    await play.create()
    await play.send(words.task)
    const { id } = await play.pending()
    const decide = (pendingId: string, hash?: string) =>
      play.api.decide(pendingId, { decision: 'approve', ...(hash ? { arguments_hash: hash } : {}) }, { form: 'wait' })
    expect(await errorOf(decide('pnd_01arz3ndektsv4rrffq69g5fav'))).toMatchObject({ code: 'stale_decision' })
    expect(await errorOf(decide(id, 'f'.repeat(64)))).toMatchObject({ code: 'stale_decision' })
    expect(await play.session()).toMatchObject({ status: 'interrupted', pending: [{ id }] })
    expect(await play.site.visits()).toEqual([])
    expect((await play.decide({ decision: 'reject' })).status).toBe('completed')
    expect(await errorOf(decide(id))).toMatchObject({ code: 'stale_decision' })
    expect(await play.site.visits()).toEqual([])
  })

  claim(home, 'an approval takes no answer', visiting(words), async (play, expect) => {
    await play.create()
    await play.send(words.task)
    const { id } = await play.pending()
    const wrong = play.api.decide(id, { decision: 'answer', answer: 'x' }, { form: 'wait' })
    expect(await errorOf(wrong)).toMatchObject({ code: 'invalid_input', issues: [{ path: 'decision' }] })
    expect(await play.session()).toMatchObject({ status: 'interrupted' })
  })

  claim(
    home,
    'remember approves the tool from here on, in later runs too',
    {
      ...visiting(words),
      script: (page) => [
        words.visit(page('article')),
        words.visit(page('other')),
        words.finish('一'),
        words.visit(page('zh')),
        words.finish('二'),
      ],
    },
    async (play, expect) => {
      await play.create()
      await play.send(words.task)
      expect(await play.decide({ decision: 'approve', remember: 'session' })).toMatchObject({ result: '一' })
      expect(await play.send('再来')).toMatchObject({ result: '二' })
      expect(await play.site.visits()).toEqual(['article', 'other', 'zh'])
    },
  )

  for (const config of BY_ANY_NAME) {
    const [name] = Object.keys(config.tools)
    claim(
      home,
      `config may approve the tool under the name ${name}`,
      { ...visiting(words), config },
      async (play, expect) => {
        await play.create()
        expect(await play.send(words.task)).toMatchObject({ status: 'completed' })
        expect(await play.site.visits()).toEqual(['article'])
      },
    )
  }

  claim(
    home,
    'what nobody decided in time is a refusal that says so, and the run goes on by itself',
    { ...visiting(words), config: { limits: { approval_ttl_ms: 30 } } },
    async (play, expect) => {
      await play.create()
      const { run_id: run } = await play.send(words.task)
      const { pending } = await play.event('pending')
      const end = await play.event('run-end')
      expect(end).toMatchObject({ status: 'completed', run_id: run, result: '好' })
      const events = await play.events()
      expect(events.find(({ type }) => type === 'pending-end')).toMatchObject({ decision: 'expired' })
      expect(await play.site.visits()).toEqual([])
      const late = play.api.decide(pending.id, { decision: 'approve' }, { form: 'wait' })
      expect(await errorOf(late)).toMatchObject({ code: 'stale_decision' })
      expect((await play.messages())[3]?.content).toMatch(/超时/)
    },
  )
}

function severalClaims(home: GetHome, words: Words): void {
  const two = (page: (name: string) => string) => [
    {
      content: null,
      tool_calls: [
        { name: 'web_access', arguments: { url: page('article') } },
        { name: 'rethink', arguments: { reason: '…' } },
        { name: 'web_access', arguments: { url: page('other') } },
      ],
    },
    native('finish', { reason: '好' }),
  ]
  const setting = { config: { language: 'en', llm: { protocol: 'native' as const } }, script: two }

  claim(home, 'are decided one by one; the model is asked when the last is', setting, async (play, expect) => {
    await play.create()
    const { pending } = await play.send(words.task)
    expect(pending.map(({ arguments: args }) => args?.['url'])).toEqual([
      play.site.url('article'),
      play.site.url('other'),
    ])
    const half = await play.decide({ decision: 'approve' }, pending[1]?.id)
    expect(half).toMatchObject({ status: 'interrupted', pending: [{ id: pending[0]?.id }] })
    expect(await play.site.visits()).toEqual(['other'])
    expect(await play.asked()).toHaveLength(1)
    expect(await play.decide({ decision: 'reject' })).toMatchObject({ status: 'completed', result: '好' })
    expect(await play.site.visits()).toEqual(['other'])
  })

  claim(home, 'are all refused by a message that approves none', setting, async (play, expect) => {
    await play.create()
    await play.send(words.task)
    const answer = await play.send('No, wait.')
    expect(answer.status).toBe('completed')
    const results = answer.messages.filter(({ tool_name: tool }) => tool === 'web_access')
    expect(results.map(({ content }) => contentText(content, null).includes('No, wait.'))).toEqual([true, true])
    expect(await play.site.visits()).toEqual([])
  })

  claim(home, 'continue while one waits answers with what it waits for', setting, async (play, expect) => {
    await play.create()
    const { pending } = await play.send(words.task)
    expect(await play.carryOn()).toMatchObject({ status: 'interrupted', finish_reason: 'interrupted', pending })
    expect(await play.asked()).toHaveLength(1)
  })
}

function questionClaims(home: GetHome, words: Words): void {
  const setting = {
    config: { language: words.language, llm: { protocol: 'xml' as const } },
    script: [words.ask('红还是蓝？'), words.finish('好')],
  }
  const answered = words.language === 'en' ? '[ask] content:\n\n蓝' : '[提问]的内容：\n\n蓝'

  claim(home, 'any message is the answer, without a new prompt', setting, async (play, expect) => {
    await play.create()
    const asked = await play.send(words.task)
    expect(asked).toMatchObject({ status: 'interrupted', finish_reason: 'waiting_feedback' })
    expect(asked.pending).toMatchObject([{ type: 'question', question: '红还是蓝？' }])
    expect(await play.send('蓝')).toMatchObject({ status: 'completed', result: '好' })
    expect(await play.kinds()).toEqual(['task', 'prompt', 'reply', 'answer', 'tool_result', 'reply', 'tool_result'])
    expect((await play.messages())[4]?.content).toBe(answered)
    expect((await play.asked()).at(-1)?.body.messages.at(-1)).toEqual({ role: 'user', content: answered })
  })

  claim(home, 'a decision answers it too, and writes no message', setting, async (play, expect) => {
    await play.create()
    await play.send(words.task)
    const { id } = await play.pending()
    const wrong = play.api.decide(id, { decision: 'approve' }, { form: 'wait' })
    expect(await errorOf(wrong)).toMatchObject({ code: 'invalid_input', issues: [{ path: 'decision' }] })
    expect(await play.decide({ decision: 'answer', answer: '蓝' })).toMatchObject({ status: 'completed' })
    expect(await play.kinds()).toEqual(['task', 'prompt', 'reply', 'tool_result', 'reply', 'tool_result'])
    expect((await play.messages())[3]?.content).toBe(answered)
  })

  claim(home, 'it may be refused', setting, async (play, expect) => {
    await play.create()
    await play.send(words.task)
    expect(await play.decide({ decision: 'reject', feedback: '不说' })).toMatchObject({ status: 'completed' })
    expect((await play.messages())[3]?.content).toContain('不说')
  })

  claim(
    home,
    'it has options, as a JSON array, as repeated tags, or one a line',
    {
      ...setting,
      script: [
        '<提问><问题>?</问题><选项>["红", "蓝"]</选项></提问>',
        '<ask><question>?</question><options>红</options><options>蓝</options></ask>',
        '<提问><问题>?</问题><选项>红\n蓝</选项></提问>',
        words.finish('好'),
      ],
    },
    async (play, expect) => {
      await play.create()
      await play.send(words.task)
      for (const _ of [1, 2, 3]) {
        expect((await play.pending()).options).toEqual(['红', '蓝'])
        await play.send('蓝')
      }
      expect((await play.session()).status).toBe('completed')
    },
  )
}
