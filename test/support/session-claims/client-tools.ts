import { describe } from 'vitest'
import { contentText } from '../../../src/domain/content.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { canonicalJson, sha256Hex } from '../../../src/lib/hash.ts'
import { newId } from '../../../src/lib/id.ts'
import { errorOf, type Play, responseOf, valueOf } from '../play.ts'
import { APPROVED, BOTH, native, type Words, WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'

const WAIT = { form: 'wait' } as const
const english = WORDS.en
const END = native('finish', { reason: 'done' })

/** A tool that the caller has. */
export const ORDERS = {
  name: 'find_order',
  description: 'Looks up an order of the shop.',
  parameters: {
    type: 'object',
    properties: { number: { type: 'integer', description: 'Number of the order' } },
    required: ['number'],
  },
}
const ask = (number: number, name = 'find_order') => native(name, { number })
const say = async (play: Play, client_tools = [ORDERS], content = 'Where is order 7?') =>
  responseOf(await play.api.addMessage({ content, client_tools }, WAIT))
const resultIn = (messages: readonly { role: string; content: unknown }[]) =>
  String(messages.find(({ role }) => role === 'tool')?.content)

/** Tools that the caller of a run has, and runs itself. */
export function clientToolClaims(home: GetHome): void {
  describe('a call of a tool that the caller runs', () => callClaims(home))
  describe('several of them', () => severalClaims(home))
  for (const words of BOTH) describe(`in tags, ${words.language}`, () => tagClaims(home, words))
  describe('a tool of the caller under a name of ours', () => nameClaims(home))
  describe('its end without a result', () => endClaims(home))
}

function callClaims(home: GetHome): void {
  claim(
    home,
    'waits as a pending item while the run rests, and its result goes to the model',
    { config: { language: 'en' }, script: [ask(7), END] },
    async (play, expect) => {
      await play.create()
      const asked = await say(play)
      expect(asked).toMatchObject({ status: 'interrupted', finish_reason: 'interrupted', result: null })
      const [item] = asked.pending
      expect(item).toEqual({
        id: expect.stringMatching(/^pnd_/),
        type: 'tool_call',
        call_id: asked.messages.at(-1)?.tool_calls?.[0]?.id,
        tool: 'find_order',
        arguments: { number: 7 },
        arguments_hash: await sha256Hex(canonicalJson({ number: 7 })),
        created_time: expect.stringMatching(/Z$/),
        expires_time: expect.stringMatching(/Z$/),
        scope: null,
      })
      expect(await play.session()).toMatchObject({ status: 'interrupted', pending: asked.pending })
      const answer = await play.decide({ result: { place: 'Köln', days: 2 } })
      expect(answer).toMatchObject({ status: 'completed', result: 'done', run_id: asked.run_id })
      const [first, second] = await play.asked()
      const offered = first?.body.tools?.find((one) => one.function.name === 'find_order')
      expect(offered?.function).toMatchObject({ description: ORDERS.description, parameters: ORDERS.parameters })
      const result = resultIn(second?.body.messages ?? [])
      expect(result).toContain('{"place":"Köln","days":2}')
      expect(result).toContain('untrusted')
      expect(await play.home.storedState(play.id)).toMatchObject({ taint: ['find_order'] })
      expect((await play.session()).usage).toMatchObject({ tool_calls: 2 })
      expect((await play.events()).map(({ type }) => type)).toContain('client-tools')
    },
  )

  claim(
    home,
    'is told to whoever follows the run: begun, waiting, answered, ended',
    { script: [ask(7), END] },
    async (play, expect) => {
      await play.create()
      const { pending } = await say(play)
      await play.decide({ result: 'on its way' })
      const [call, item] = [pending[0]?.call_id ?? '', pending[0]?.id ?? '']
      const told = (await play.events()).filter(
        (event) => event.type !== 'message' && [call, item].some((id) => JSON.stringify(event).includes(`"${id}"`)),
      )
      expect(told.map(({ type }) => type)).toEqual(['tool-start', 'pending', 'pending-end', 'tool-end'])
      const [start, , ended, end] = told
      expect(start).toMatchObject({ tool: 'find_order', client: true, arguments: { number: 7 } })
      expect(ended).toMatchObject({ decision: 'answer', result: 'on its way', by: { id: 'tester' } })
      expect(end).toMatchObject({ ok: true })
    },
  )

  claim(
    home,
    'is made for the run that brought the tools, and the next run has none',
    { script: [english.finish('a'), END] },
    async (play, expect) => {
      await play.create()
      await say(play)
      await play.send('and now?')
      const offered = (await play.asked()).map(({ body }) => body.tools?.map((one) => one.function.name) ?? [])
      expect(offered.map((names) => names.includes('find_order'))).toEqual([true, false])
    },
  )

  claim(home, 'may fail: the model is told why', { script: [ask(7), END] }, async (play, expect) => {
    await play.create()
    await say(play)
    expect(await play.decide({ error: 'the shop is closed' })).toMatchObject({ status: 'completed' })
    expect(resultIn((await play.asked())[1]?.body.messages ?? [])).toContain('the shop is closed')
    expect((await play.events()).find(({ type }) => type === 'tool-end')).toMatchObject({ ok: false })
  })

  claim(
    home,
    'with arguments that do not fit is no such item: the model is told',
    { script: [native('find_order', { number: 'seven' }), ask(7), END] },
    async (play, expect) => {
      await play.create()
      const asked = await say(play)
      expect(asked.pending.map(({ arguments: args }) => args)).toEqual([{ number: 7 }])
      expect(resultIn((await play.asked())[1]?.body.messages ?? [])).toContain('number')
      expect(await play.decide({ result: null })).toMatchObject({ status: 'completed' })
    },
  )

  claim(
    home,
    'takes a result or an error alone, and once; what is long is cut and kept',
    { script: [ask(7), END] },
    async (play, expect) => {
      await play.create()
      const { pending } = await say(play)
      const id = pending[0]?.id ?? ''
      for (const decision of ['approve', 'reject'] as const)
        expect(await errorOf(play.api.decide(id, { decision }, WAIT))).toMatchObject({ code: 'invalid_input' })
      const stale = { code: 'stale_decision' }
      expect(await errorOf(play.api.decide('pnd_other', { result: 1 }, WAIT))).toMatchObject(stale)
      expect(await errorOf(play.api.decide(id, { result: 1, arguments_hash: 'f' }, WAIT))).toMatchObject(stale)
      const long = 'x'.repeat(LIMITS.tool.outputCharsMax * 2)
      const answer = await play.decide({ result: long })
      const result = answer.messages.find(({ role }) => role === 'tool')
      expect(result?.truncated).toMatchObject({ rest: `/v1/sessions/${play.id}/results/${pending[0]?.call_id}` })
      expect(await valueOf(play.api.result(pending[0]?.call_id ?? ''))).toContain(long)
      expect(await errorOf(play.api.decide(id, { result: 2 }, WAIT))).toMatchObject(stale)
    },
  )

  claim(
    home,
    'comes again under its key: the answer is the same, and nothing runs twice',
    { script: [ask(7), END] },
    async (play, expect) => {
      await play.create()
      const { pending } = await say(play)
      const give = () => play.api.decide(pending[0]?.id ?? '', { result: 1 }, { ...WAIT, key: 'k1' })
      const first = responseOf(await give())
      expect(responseOf(await give())).toEqual(first)
      expect(await play.asked()).toHaveLength(2)
    },
  )

  claim(
    home,
    'is trusted where the config says so',
    { config: { tools: { find_order: { trusted: true } } }, script: [ask(7), END] },
    async (play, expect) => {
      await play.create()
      await say(play)
      await play.decide({ result: 'on its way' })
      expect(resultIn((await play.asked())[1]?.body.messages ?? [])).toMatch(/\n\non its way$/)
      expect(await play.home.storedState(play.id)).toMatchObject({ taint: [] })
    },
  )

  claim(
    home,
    'asks a human first where the config says so, and is then handed out with what they approved',
    { config: { tools: { find_order: { permission: 'ask' } } }, script: [ask(7), END] },
    async (play, expect) => {
      await play.create()
      expect(await say(play)).toMatchObject({ pending: [{ type: 'approval', tool: 'find_order' }] })
      const handed = await play.decide({ decision: 'approve', arguments: { number: 8 } })
      expect(handed).toMatchObject({ pending: [{ type: 'tool_call', arguments: { number: 8 } }] })
      expect(await play.decide({ result: 'ok' })).toMatchObject({ status: 'completed' })
    },
  )

  claim(
    home,
    'is not offered where the config forbids it',
    { config: { tools: { find_order: { permission: 'deny' } } }, script: [END] },
    async (play, expect) => {
      await play.create()
      await say(play)
      const names = (await play.asked())[0]?.body.tools?.map((one) => one.function.name)
      expect(names).not.toContain('find_order')
    },
  )
}

function severalClaims(home: GetHome): void {
  const both = {
    content: null,
    tool_calls: [
      { name: 'find_order', arguments: { number: 1 } },
      { name: 'find_order', arguments: { number: 2 } },
    ],
  }

  claim(home, 'are answered at once: all of them, or none', { script: [both, END] }, async (play, expect) => {
    await play.create()
    const { pending } = await say(play)
    const [one = '', two = ''] = pending.map(({ id }) => id)
    const said = (...ids: string[]) => ids.map((pendingId) => ({ pendingId, input: { result: pendingId } }))
    for (const wrong of [said(one, 'pnd_other'), said(one, one)])
      expect(await errorOf(play.api.decideAll(wrong, WAIT))).toMatchObject({ code: 'stale_decision' })
    expect((await play.session()).pending).toHaveLength(2)
    expect(responseOf(await play.api.decideAll(said(two, one), WAIT))).toMatchObject({ status: 'completed' })
    expect((await play.events()).filter(({ type }) => type === 'run-resume')).toHaveLength(1)
  })

  claim(
    home,
    'are answered with words behind them, in one: the model hears both, or nothing was said',
    { script: [both, END] },
    async (play, expect) => {
      await play.create()
      const { pending } = await say(play)
      const said = (...ids: (string | undefined)[]) =>
        ids.map((pendingId = '') => ({ pendingId, input: { result: `of ${pendingId}` } }))
      const [one, two] = pending
      const words = { content: 'In English, please' }
      const wrong = play.api.answerAndSay(said(one?.id, 'pnd_other'), words, WAIT)
      expect(await errorOf(wrong)).toMatchObject({ code: 'stale_decision' })
      expect((await play.session()).pending).toHaveLength(2)
      expect(await play.kinds()).not.toContain('steer')
      const give = () => play.api.answerAndSay(said(one?.id, two?.id), words, { ...WAIT, key: 'k1' })
      const first = responseOf(await give())
      expect(first).toMatchObject({ status: 'completed', result: 'done' })
      expect(responseOf(await give())).toEqual(first)
      const heard = (await play.asked())[1]?.body.messages.map(({ role, content }) => [
        role,
        contentText(content ?? '', null),
      ])
      expect(heard?.slice(-3).map(([role]) => role)).toEqual(['tool', 'tool', 'user'])
      expect(heard?.at(-1)?.[1]).toBe(words.content)
      expect((await play.events()).filter(({ type }) => type === 'run-resume')).toHaveLength(1)
    },
  )

  claim(
    home,
    'are answered in part: words behind that are about what still waits',
    {
      script: (page) => [
        {
          content: null,
          tool_calls: [
            { name: 'find_order', arguments: { number: 1 } },
            { name: 'web_access', arguments: { url: page('article') } },
          ],
        },
        END,
      ],
    },
    async (play, expect) => {
      await play.create()
      const { pending } = await say(play)
      const call = pending.find(({ type }) => type === 'tool_call')?.id ?? ''
      const answers = [{ pendingId: call, input: { result: 'sent' } }]
      expect(responseOf(await play.api.answerAndSay(answers, { content: 'not that page' }, WAIT))).toMatchObject({
        status: 'completed',
        pending: [],
      })
      const ends = (await play.events()).filter((event) => event.type === 'pending-end')
      expect(ends).toMatchObject([{ result: 'sent' }, { decision: 'reject', feedback: 'not that page' }])
    },
  )

  claim(home, 'wait together: the run goes on with the last answer', { script: [both, END] }, async (play, expect) => {
    await play.create()
    const { pending } = await say(play)
    expect(pending.map(({ arguments: args }) => args)).toEqual([{ number: 1 }, { number: 2 }])
    const [one, two] = pending
    const still = await play.decide({ result: 'second' }, two?.id)
    expect(still).toMatchObject({ status: 'interrupted', pending: [{ id: one?.id }] })
    expect(await play.asked()).toHaveLength(1)
    expect(await play.decide({ result: 'first' }, one?.id)).toMatchObject({ status: 'completed' })
    const results = (await play.asked())[1]?.body.messages.filter(({ role }) => role === 'tool') ?? []
    expect(results.map(({ content }) => /first|second/.exec(String(content))?.[0])).toEqual(['first', 'second'])
  })

  claim(
    home,
    'go their own way beside calls that are made here',
    {
      config: APPROVED,
      script: (page) => [
        {
          content: null,
          tool_calls: [
            { name: 'find_order', arguments: { number: 1 } },
            { name: 'web_access', arguments: { url: page('article') } },
          ],
        },
        END,
      ],
    },
    async (play, expect) => {
      await play.create()
      const asked = await say(play)
      expect(asked).toMatchObject({ status: 'interrupted', pending: [{ type: 'tool_call' }] })
      expect(await play.site.visits()).toEqual(['article'])
      expect(asked.messages.find(({ role }) => role === 'tool')).toMatchObject({ tool_name: 'web_access' })
      expect(await play.decide({ result: 'sent' })).toMatchObject({ status: 'completed' })
    },
  )
}

function tagClaims(home: GetHome, words: Words): void {
  const config = { language: words.language, llm: { protocol: 'xml' as const } }

  claim(
    home,
    'is offered by the guide and called by its tag',
    { config, script: ['<find_order>\n<number>7</number>\n</find_order>', words.finish('好')] },
    async (play, expect) => {
      await play.create()
      const asked = await say(play)
      expect(asked.pending).toMatchObject([{ type: 'tool_call', tool: 'find_order', arguments: { number: 7 } }])
      const [prompt] = (await play.asked())[0]?.body.messages ?? []
      expect(String(prompt?.content)).toContain(ORDERS.description)
      expect(await play.decide({ result: 'sent' })).toMatchObject({ status: 'completed', result: '好' })
      expect(JSON.stringify((await play.asked())[1]?.body.messages)).toContain('sent')
    },
  )
}

function nameClaims(home: GetHome): void {
  const own = { ...ORDERS, name: 'web_access' }

  claim(
    home,
    'is offered as NAME_2, and whoever looks at the run sees the name that the caller gave',
    { config: { language: 'en' }, script: [ask(7, 'web_access_2'), END] },
    async (play, expect) => {
      await play.create()
      const asked = await say(play, [own])
      const names = (await play.asked())[0]?.body.tools?.map((one) => one.function.name) ?? []
      expect(names).toEqual(expect.arrayContaining(['web_access', 'web_access_2']))
      expect(asked.pending).toMatchObject([{ type: 'tool_call', tool: 'web_access', arguments: { number: 7 } }])
      expect(asked.messages.at(-1)?.tool_calls).toMatchObject([
        { name: 'web_access', client: true, offered_as: 'web_access_2' },
      ])
      const answer = await play.decide({ result: 'sent' })
      expect(answer.messages.find(({ role }) => role === 'tool')).toMatchObject({ tool_name: 'web_access' })
      const again = (await play.asked())[1]?.body.messages.flatMap((message) => message.tool_calls ?? []) ?? []
      expect(again.map((call) => call.function.name)).toEqual(['web_access_2'])
      expect(await play.site.visits()).toEqual([])
    },
  )

  claim(
    home,
    'leaves ours to be called as it is, with its own permission',
    { script: (page) => [native('web_access', { url: page('article') }), END] },
    async (play, expect) => {
      await play.create()
      expect(await say(play, [own])).toMatchObject({ pending: [{ type: 'approval', tool: 'web_access' }] })
    },
  )
}

function endClaims(home: GetHome): void {
  claim(
    home,
    'comes when the user says something else: the model hears of both',
    { script: [ask(7), END] },
    async (play, expect) => {
      await play.create()
      const { run_id: run } = await say(play)
      expect(await play.send('never mind, tell me a joke')).toMatchObject({ status: 'completed', run_id: run })
      const result = resultIn((await play.asked())[1]?.body.messages ?? [])
      expect(result).toContain('never mind, tell me a joke')
    },
  )

  claim(
    home,
    'comes with cancel: nobody knows whether the call was made',
    { config: { language: 'en' }, script: [ask(7)] },
    async (play, expect) => {
      await play.create()
      await say(play)
      expect(await play.cancel()).toMatchObject({ status: 'cancelled', pending: [] })
      const result = (await play.messages()).findLast(({ role }) => role === 'tool')
      expect(contentText(result?.content ?? '', null)).toContain('unknown')
    },
  )

  claim(home, 'comes with a copy, in which nothing waits', { script: [ask(7)] }, async (play, expect) => {
    await play.create()
    await say(play)
    const id = newId('ses', Date.now())
    const copy = play.home.session(id)
    const document = await valueOf(play.api.export(null, true))
    await valueOf(copy.import(id, 'default', document, { bytesMax: LIMITS.http.importBytesMax }))
    const { body } = await valueOf(copy.read('all'))
    const session: unknown = JSON.parse(await new Response(body).text())
    expect(session).toMatchObject({ status: 'cancelled', pending: [] })
    const told = await valueOf(copy.events(0, 100))
    expect(told.find(({ type }) => type === 'client-tools')).toMatchObject({ tools: [ORDERS] })
    expect((await play.session()).pending).toHaveLength(1)
  })
}
