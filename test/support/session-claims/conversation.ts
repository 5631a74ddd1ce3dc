import { describe } from 'vitest'
import { contentText } from '../../../src/domain/content.ts'
import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import { APPROVED, BOTH, native, type Words, WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'

/** Formats 1: what a reply is, in tags and in native calls, and what follows it. */
export function conversationClaims(home: GetHome): void {
  for (const words of BOTH) {
    describe(`the text protocol, ${words.language}`, () => textClaims(home, words))
    describe(`the native protocol, ${words.language}`, () => nativeClaims(home, words))
    describe(`protocol auto, ${words.language}`, () => autoClaims(home, words))
  }
}

const settings = ({ language }: Words, protocol: 'xml' | 'native' | 'auto') => ({
  language,
  llm: { protocol },
  ...APPROVED,
})

function textClaims(home: GetHome, words: Words): void {
  const config = settings(words, 'xml')
  const { names } = words
  const failing = ['missing', 'broken', 'huge', 'loop', 'to-metadata', 'to-port-1']

  claim(
    home,
    'reads a page, thinks again and finishes; the reason is the answer',
    {
      config,
      script: (page) => [
        `先看看。\n${words.visit(page('article'))}`,
        words.rethink('…'),
        words.finish('# Result\n\n```mermaid\ngraph TD; A-->B\n```'),
      ],
    },
    async (play, expect) => {
      await play.create()
      const answer = await play.send(words.task)
      expect(answer).toMatchObject({ status: 'completed', finish_reason: 'completed', error: null, pending: [] })
      expect(answer.result).toBe('# Result\n\n```mermaid\ngraph TD; A-->B\n```')
      expect(await play.site.visits()).toEqual(['article'])
      expect(answer.messages.map(({ kind }) => kind)).toEqual([
        'prompt',
        'reply',
        'tool_result',
        'reply',
        'tool_result',
        'reply',
        'tool_result',
      ])
      const [, reply, page, , rethought, , finished] = answer.messages
      expect(reply).toMatchObject({
        role: 'assistant',
        content: `先看看。\n${words.visit(play.site.url('article'))}`,
        tool_calls: [{ name: 'web_access', arguments: { url: play.site.url('article') } }],
      })
      expect(page).toMatchObject({ role: 'tool', tool_name: 'web_access', tool_call_id: reply?.tool_calls?.[0]?.id })
      expect(contentText(page?.content ?? '', null).startsWith(words.content)).toBe(true)
      expect(page?.content).toContain('A lighthouse keeps ships away')
      expect(rethought?.content).toBe(words.rethought)
      expect(finished?.content).toBe(words.finished)
      const asked = await play.asked()
      expect(asked).toHaveLength(3)
      expect(asked.every(({ body }) => body.tools === undefined)).toBe(true)
      const roles = new Set(asked.flatMap(({ body }) => body.messages.map(({ role }) => role)))
      expect([...roles].toSorted()).toEqual(['assistant', 'system', 'user'])
    },
  )

  claim(
    home,
    'takes a call by the id, by the other language, and by mixed parameter names',
    {
      config,
      script: (page) => [
        `<web_access><地址>${page('article')}</地址></web_access>`,
        `<网页访问><url>${page('zh')}</url></网页访问>`,
        '<finish><理由>ok</理由></finish>',
      ],
    },
    async (play, expect) => {
      await play.create()
      expect((await play.send(words.task)).result).toBe('ok')
      expect(await play.site.visits()).toEqual(['article', 'zh'])
    },
  )

  claim(
    home,
    'warns of a reply without a call, in exactly the words of the format, and goes round again',
    { config, script: ['我想想。', words.finish('好')] },
    async (play, expect) => {
      await play.create()
      const { messages } = await play.send(words.task)
      expect(messages.map(({ kind }) => kind)).toEqual(['prompt', 'reply', 'warning', 'reply', 'tool_result'])
      expect(messages[2]).toMatchObject({ role: 'system', content: words.noCall })
      expect((await play.asked())[1]?.body.messages).toContainEqual({ role: 'user', content: words.noCall })
    },
  )

  claim(
    home,
    'warns of an unknown tool by its name',
    { config, script: ['<烤面包><时间>3</时间></烤面包>', words.finish('好')] },
    async (play, expect) => {
      await play.create()
      const { messages } = await play.send(words.task)
      expect(messages[2]).toMatchObject({ role: 'system', kind: 'warning', content: words.unknownTool('烤面包') })
      expect(messages[1]?.tool_calls).toBeUndefined()
    },
  )

  claim(
    home,
    'warns of bad parameters by the name of the parameter',
    { config, script: [words.visit('not an address'), words.finish('好')] },
    async (play, expect) => {
      await play.create()
      const { messages } = await play.send(words.task)
      expect(messages[2]).toMatchObject({ role: 'system', kind: 'warning' })
      expect(messages[2]?.content).toContain(words.language === 'en' ? 'url' : '地址')
      expect(await play.site.visits()).toEqual([])
    },
  )

  claim(
    home,
    'runs the first of several calls and tells the model that the others were not run',
    {
      config,
      script: (page) => [`${words.visit(page('article'))}\n${words.visit(page('other'))}`, words.finish('好')],
    },
    async (play, expect) => {
      await play.create()
      const { messages } = await play.send(words.task)
      expect(await play.site.visits()).toEqual(['article'])
      expect(messages.map(({ kind }) => kind)).toEqual([
        'prompt',
        'reply',
        'tool_result',
        'warning',
        'reply',
        'tool_result',
      ])
      expect(messages[3]?.content).toContain(names.web_access)
    },
  )

  claim(
    home,
    'sees no call in thoughts, fences, inline code and unclosed tags',
    {
      config: { ...config, ends_by_reply: 'never' },
      script: (page) => [
        `<思考>${words.visit(page('article'))}</思考>`,
        `例如：\n\`\`\`\n${words.visit(page('article'))}\n\`\`\``,
        `用 \`${words.visit(page('article')).replaceAll('\n', '')}\` 来读`,
        `${words.visit(page('article')).slice(0, -4)}\n然后呢？`,
        words.finish('好'),
      ],
    },
    async (play, expect) => {
      await play.create()
      const { messages, result } = await play.send(words.task)
      expect(result).toBe('好')
      expect(await play.site.visits()).toEqual([])
      expect(messages.filter(({ content }) => content === words.noCall)).toHaveLength(4)
    },
  )

  claim(
    home,
    'tells the status of a page that failed, the end of a page that does not end, and goes on',
    {
      config: { ...config, limits: { max_iterations: 20, errors_in_a_row_max: 1 } },
      script: (page) => [
        ...failing.map((name) => words.visit(page(name))),
        words.visit('http://10.0.0.1/'),
        words.visit('http://169.254.169.254/latest/meta-data/'),
        words.visit('file:///etc/passwd'),
        words.finish('好'),
      ],
    },
    async (play, expect) => {
      await play.create()
      const { messages, status, finish_reason: reason } = await play.send(words.task)
      const results = messages
        .filter(({ kind }) => kind === 'tool_result')
        .map(({ content }) => contentText(content, null))
      expect(results[0]).toMatch(/404/)
      expect(results[1]).toMatch(/503/)
      const whole = results.filter((text) => !text.startsWith(words.failed))
      expect(whole, 'of a page that is too long there is its start, and word of the rest').toHaveLength(1)
      expect(whole[0]?.length).toBeLessThan(9_000)
      expect(results).toHaveLength(failing.length + 2)
      expect(results.filter((text) => text.includes('meta-data') || text.includes('127.0.0.1:1'))).toEqual([])
      expect(await play.site.visits()).not.toContain('latest')
      // An address that no page can have is a bad parameter, and with a limit of 1 that is one too many.
      expect({ status, reason }).toEqual({ status: 'failed', reason: 'stuck' })
    },
  )

  claim(
    home,
    'ends as stuck after the 16th reply in a row that could not be followed, and calls the model no more',
    {
      config: { ...config, ends_by_reply: 'never', limits: { max_iterations: 40 } },
      script: ['嗯。', words.rethink('…'), ...Array.from({ length: 16 }, (_, index) => '嗯'.repeat(index + 1))],
    },
    async (play, expect) => {
      await play.create()
      const answer = await play.send(words.task)
      expect(answer).toMatchObject({ status: 'failed', finish_reason: 'stuck', result: null, error: { code: 'stuck' } })
      expect(await play.asked()).toHaveLength(18)
      const tooMany = {
        'zh-CN': '[警告]连续多次回复都没有调用工具！',
        en: '[Warning] Too many replies in a row without a tool call!',
      }[words.language]
      const warnings = answer.messages.filter(({ kind }) => kind === 'warning')
      expect(warnings.map(({ content }) => content)).toEqual([...Array<string>(17).fill(words.noCall), tooMany])
      expect(answer.messages.at(-1)?.content).toBe(tooMany)
      await play.model.script([words.finish('好')])
      expect(await play.carryOn()).toMatchObject({ status: 'completed', result: '好', run_id: answer.run_id })
    },
  )

  claim(
    home,
    'offers the rest of a result that was cut, and tells its lengths',
    {
      config: { ...config, tools: { web_access: { auto_approve: true, output: { chars_max: 2_000 } } } },
      script: (page) => [words.visit(page('long')), words.finish('好')],
    },
    async (play, expect) => {
      await play.create()
      const { messages } = await play.send(words.task)
      const cut = messages.find(({ truncated }) => truncated)
      const { original_length: original, kept_length: kept, rest } = cut?.truncated ?? { rest: '' }
      expect(kept).toBeLessThanOrEqual(2_000)
      expect(cut?.content.length).toBeLessThanOrEqual(2_400)
      expect(rest).toMatch(new RegExp(`^/v1/sessions/${play.id}/results/`))
      const whole = await play.api.result(rest?.split('/').at(-1) ?? '')
      expect(whole.ok && whole.value.length).toBe(original)
    },
  )
}

function nativeClaims(home: GetHome, words: Words): void {
  const config = settings(words, 'native')
  const finish = native('finish', { reason: '好' })

  claim(
    home,
    'offers the tools by their ids and answers every call with its own id',
    {
      config,
      script: (page) => [
        {
          content: null,
          tool_calls: [
            { name: 'web_access', arguments: { url: page('article') }, id: 'call_0' },
            { name: 'web_access', arguments: { url: page('other') }, id: 'call_1' },
          ],
        },
        { content: 'So.', tool_calls: [{ name: 'finish', arguments: { reason: '好' }, id: 'call_0' }] },
      ],
    },
    async (play, expect) => {
      await play.create()
      const answer = await play.send(words.task)
      expect(answer).toMatchObject({ status: 'completed', result: '好' })
      expect((await play.site.visits()).toSorted()).toEqual(['article', 'other'])
      const [first, second] = await play.asked()
      expect(first?.body.tools?.map(({ function: { name } }) => name)).toEqual(
        expect.arrayContaining(['ask', 'finish', 'rethink', 'web_access', 'http_request', 'write_file']),
      )
      const [calls, ...results] = second?.body.messages.slice(-3) ?? []
      expect(results.map(({ tool_call_id: id }) => id)).toEqual(calls?.tool_calls?.map(({ id }) => id))
      expect(results.every(({ content }) => content?.startsWith(words.content))).toBe(true)
      expect(answer.usage.tool_calls).toBe(3)
    },
  )

  claim(
    home,
    'answers unknown tools, bad parameters and broken JSON with error results, and sends {} for what was broken',
    {
      config,
      script: [
        {
          content: null,
          tool_calls: [
            { name: 'toast', arguments: { minutes: 3 } },
            { name: 'web_access', arguments: { url: 7 } },
            { name: 'web_access', arguments: '{"url": "http://' },
            { name: 'web_access', arguments: '[1]' },
          ],
        },
        finish,
      ],
    },
    async (play, expect) => {
      await play.create()
      const { messages, result } = await play.send(words.task)
      expect(result).toBe('好')
      const results = messages.filter(({ kind }) => kind === 'tool_result')
      expect(results[0]?.content).toBe(words.unknownTool('toast'))
      expect(results[1]?.content).toContain(words.language === 'en' ? 'url' : '地址')
      expect(results).toHaveLength(5)
      expect(messages.filter(({ kind }) => kind === 'warning')).toEqual([])
      const wire = (await play.asked())[1]?.body.messages.find(({ role }) => role === 'assistant')
      expect(wire?.tool_calls?.map(({ function: { arguments: text } }) => text).slice(2)).toEqual(['{}', '{}'])
    },
  )

  claim(
    home,
    'warns of a reply without a call, as in text, where that is no answer',
    { config: { ...config, ends_by_reply: 'never' }, script: ['I am done.', finish] },
    async (play, expect) => {
      await play.create()
      const { messages } = await play.send(words.task)
      expect(messages[2]).toMatchObject({ role: 'system', kind: 'warning', content: words.noCall })
    },
  )

  claim(
    home,
    'counts error results as failures in a row, and none of a tool that ran and failed',
    {
      config: { ...config, limits: { errors_in_a_row_max: 2, max_iterations: 20 } },
      script: (page) => [
        native('web_access', { url: page('missing') }),
        native('web_access', { url: page('broken') }),
        native('web_access', { url: page('missing') }),
        native('toast', {}),
        native('toast', {}),
      ],
    },
    async (play, expect) => {
      await play.create()
      const answer = await play.send(words.task)
      expect(answer).toMatchObject({ status: 'failed', finish_reason: 'stuck' })
      expect(await play.asked()).toHaveLength(5)
      expect(answer.messages.at(-1)?.content).toBe(words.stuck)
    },
  )
}

function autoClaims(home: GetHome, words: Words): void {
  const config = settings(words, 'auto')
  const refusal: StepInput = {
    status: 400,
    body: { error: { message: 'this model does not support tools', type: 'invalid_request_error' } },
  }

  claim(
    home,
    'sends tools and takes a native call and a call in text alike',
    {
      config,
      script: (page) => [native('web_access', { url: page('article') }), words.finish('好')],
    },
    async (play, expect) => {
      await play.create()
      expect((await play.send(words.task)).result).toBe('好')
      expect((await play.asked()).map(({ body }) => body.tools !== undefined)).toEqual([true, true])
    },
  )

  claim(
    home,
    'falls back to text when the model refuses tools with a 400, and stays there',
    { config, script: (page) => [refusal, words.visit(page('article')), words.finish('好')] },
    async (play, expect) => {
      await play.create()
      const answer = await play.send(words.task)
      expect(answer).toMatchObject({ status: 'completed', result: '好', usage: { model_calls: 2, iterations: 2 } })
      expect((await play.asked()).map(({ body }) => body.tools !== undefined)).toEqual([true, false, false])
    },
  )

  claim(
    home,
    'takes <tool_call>{…}</tool_call> for a call, and speaks in text from there on',
    {
      config,
      script: (page) => [
        `<tool_call>{"name": "web_access", "arguments": {"url": "${page('article')}"}}</tool_call>`,
        words.finish('好'),
      ],
    },
    async (play, expect) => {
      await play.create()
      expect((await play.send(words.task)).result).toBe('好')
      expect(await play.site.visits()).toEqual(['article'])
      expect((await play.asked()).map(({ body }) => body.tools !== undefined)).toEqual([true, false])
    },
  )

  claim(
    home,
    'works without a stream as well',
    {
      config: { ...config, llm: { protocol: 'auto', stream: false } },
      script: (page) => [native('web_access', { url: page('article') }), native('finish', { reason: '好' })],
    },
    async (play, expect) => {
      await play.create()
      expect((await play.send(WORDS[words.unlike].task)).result).toBe('好')
      expect((await play.asked()).every(({ body }) => !body.stream)).toBe(true)
    },
  )
}
