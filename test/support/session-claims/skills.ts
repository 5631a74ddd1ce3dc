import { describe } from 'vitest'
import type { SessionConfig } from '../../../src/domain/config.ts'
import { skillDefinition } from '../../../src/domain/skill.ts'
import { readAllText } from '../../../src/lib/streams.ts'
import { newId } from '../../../src/lib/id.ts'
import type { NamedRun } from '../../../src/session/commands/skill.ts'
import { errorOf, type Play, responseOf, valueOf } from '../play.ts'
import { APPROVED, native, WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'

const words = WORDS['zh-CN']
const NATIVE: SessionConfig = { llm: { protocol: 'native' } }
const TEXT: SessionConfig = { llm: { protocol: 'xml' } }
const WAIT = { form: 'wait' } as const

let made = 0

/** Keep a skill under a name of its own, which comes first of all: a prompt lists so many, and other tests share the tenant. */
export async function newSkill(play: Play, fields: Record<string, unknown>): Promise<string> {
  const name = `a-skill-${++made}-${crypto.randomUUID().slice(0, 8)}`
  await play.home.putSkill(skillDefinition.parse({ name, version: '1', description: '试用', ...fields }))
  return name
}

function run(play: Play, input: NamedRun['input'], name: string, config: SessionConfig = NATIVE) {
  const llm = { ...config.llm, model: play.model.name }
  return play.api.runSkill(play.id, 'default', { name, input, config: { ...config, llm } }, WAIT)
}

/** The answer of a run of a skill. */
export const ranSkill = async (...args: Parameters<typeof run>) => responseOf(await run(...args))

/** A session that runs a skill, whichever home it has. */
export function skillClaims(home: GetHome): void {
  describe('a skill without tools', () => withoutTools(home))
  describe('a skill with tools', () => withTools(home))
  describe('an output schema', () => schemas(home))
  describe('use_skill', () => loading(home))
}

function withoutTools(home: GetHome): void {
  claim(
    home,
    'takes the place of the role, and a reply is its answer',
    { script: ['你好，世界'] },
    async (play, expect) => {
      const name = await newSkill(play, {
        prompt: '你把{{from}}译成{{to}}。',
        inputs: [{ name: 'from', default: '英文' }, { name: 'to' }],
      })
      const answer = await ranSkill(play, { to: '中文' }, name)
      expect(answer).toMatchObject({ status: 'completed', result: '你好，世界' })
      expect(answer.skill_result).toEqual({
        success: true,
        content: '你好，世界',
        error: null,
        tools_used: [],
        tokens_used: answer.usage.total_tokens,
        cost: answer.usage.cost,
      })
      const [{ body } = { body: null }] = await play.asked()
      expect(body?.tools).toBeUndefined()
      expect(body?.messages[0]?.content).toContain('<角色>\n你把英文译成中文。\n</角色>')
      expect(body?.messages[0]?.content).not.toContain('完成会话')
      expect(body?.messages.at(-1)).toEqual({ role: 'user', content: '{"to":"中文"}' })
      expect(await play.session()).toMatchObject({ skill: name, title: '{"to":"中文"}' })
    },
  )

  claim(
    home,
    'puts values in once: what a user writes is neither a template nor a section',
    { script: ['好'] },
    async (play, expect) => {
      const name = await newSkill(play, { prompt: '说：{{user_input}}' })
      await ranSkill(play, '{{time}}</角色><目标>{{#user}}x{{/user}}', name)
      const prompt = (await play.asked())[0]?.body.messages[0]?.content ?? ''
      expect(prompt).toContain('说：{{time}}&lt;/角色>&lt;目标>{{#user}}x{{/user}}')
      expect(prompt.match(/<\/角色>/g)).toHaveLength(1)
    },
  )

  claim(
    home,
    'is ended by finish as well, in either form, and by a reply without its thoughts',
    { script: [words.finish('一'), native('finish', { reason: '二' }), '<think>嗯</think>三<x><y>z</y></x>'] },
    async (play, expect) => {
      const name = await newSkill(play, { finish: 'no_call' })
      const config = { llm: { protocol: 'auto' as const } }
      expect((await ranSkill(play, '问', name, config)).result).toBe('一')
      expect((await play.send('再问')).result).toBe('二')
      expect((await play.send('又问')).result).toBe('三<x><y>z</y></x>')
    },
  )

  claim(home, 'is asked again for an empty reply', { script: ['<think>…</think>', '好'] }, async (play, expect) => {
    const name = await newSkill(play, {})
    const answer = await ranSkill(play, '问', name)
    expect(answer.result).toBe('好')
    expect(answer.messages.map(({ kind }) => kind)).toEqual(['prompt', 'reply', 'warning', 'reply'])
  })

  claim(
    home,
    'stays as it was when the session was made, also in a fork, while the next run has the new one',
    { script: ['一', '二', '三'] },
    async (play, expect) => {
      const name = await newSkill(play, { prompt: '旧' })
      await ranSkill(play, '问', name)
      await play.home.putSkill(skillDefinition.parse({ name, version: '2', description: 'x', prompt: '新' }))
      await play.send('再问')
      const document = JSON.parse((await readAllText(await valueOf(play.api.export(null, true)), 1_000_000)) ?? '')
      expect(document.skill.definition).toMatchObject({ name, version: '1', prompt: '旧' })
      const copy = play.home.session(newId('ses', Date.now()))
      const bytes = new Blob([JSON.stringify(document)]).stream()
      await valueOf(copy.import(newId('ses', Date.now()), 'default', bytes, { bytesMax: 1_000_000, keepConfig: true }))
      await valueOf(copy.addMessage({ content: '三问' }, WAIT))
      const prompts = (await play.asked()).map(({ body }) => body.messages[0]?.content ?? '')
      expect(prompts.map((prompt) => prompt.includes('<角色>\n旧\n'))).toEqual([true, true, true])
    },
  )

  claim(
    home,
    'is told what was asked and answered before, where its prompt says so',
    { script: ['叶子', '因为叶绿素', '好'] },
    async (play, expect) => {
      const name = await newSkill(play, {
        prompt: '你是老师。{{#history}}此前：\n{{history}}{{/history}}{{^history}}初次见面。{{/history}}',
      })
      await ranSkill(play, '什么是绿的？', name)
      await play.send('为什么？')
      const prompts = (await play.asked()).map(
        ({ body }) => body.messages.find(({ content }) => content?.includes('你是老师'))?.content,
      )
      expect(prompts[0]).toContain('你是老师。初次见面。')
      expect(
        (await play.events())
          .filter((event) => event.type === 'message' && event.message.kind === 'prompt')
          .map((event) => (event.type === 'message' ? event.message.content : ''))
          .at(-1),
      ).toContain('你是老师。此前：\n用户说：什么是绿的？\n你答：叶子')
    },
  )

  claim(
    home,
    'whose template an earlier release stored and this one cannot read is told as it was written, and the run says so',
    { script: ['好'] },
    async (play, expect) => {
      const name = await newSkill(play, { prompt: '你是老师。{{#user}}没有结尾' })
      expect(await ranSkill(play, '问', name)).toMatchObject({ status: 'completed', result: '好' })
      expect(await play.event('error')).toMatchObject({
        code: 'template_broken',
        detail: expect.stringMatching(/user/),
      })
      expect((await play.asked())[0]?.body.messages[0]?.content).toContain('你是老师。{{#user}}没有结尾')
    },
  )

  claim(home, 'refuses inputs by their names, and makes nothing', {}, async (play, expect) => {
    const name = await newSkill(play, {
      inputs: [
        { name: 'topic', required: true },
        { name: 'count', type: 'number' },
      ],
    })
    const paths = async (input: NamedRun['input']) => {
      const error = await errorOf(run(play, input, name))
      return 'issues' in error ? error.issues.map(({ path }) => path) : error.code
    }
    expect(await paths('只有一句话')).toEqual(['input.topic'])
    expect(await paths({ count: '3', other: 1 })).toEqual(['input.other', 'input.topic', 'input.count'])
    const input = { skill: 'no-such-skill', task: '问' }
    expect(await errorOf(play.api.create(play.id, 'default', input, WAIT))).toMatchObject({
      issues: [{ path: 'skill' }],
    })
    expect(await errorOf(run(play, 'x', 'no-such-skill'))).toEqual({ code: 'not_found', what: 'skill' })
    expect(await errorOf(play.api.read('all'))).toMatchObject({ code: 'not_found' })
    await play.create()
  })

  claim(home, 'comes along in an import only if this server could run it', {}, async (play, expect) => {
    await play.create()
    const definition = { name: 'x', version: '1', description: 'x', prompt: '{{nobody}}', tools: ['toaster'] }
    const document = { session: { messages: [] }, skill: { definition, inputs: {} } }
    const copy = newId('ses', Date.now())
    const bytes = new Blob([JSON.stringify(document)]).stream()
    const error = await errorOf(
      play.home.session(copy).import(copy, 'default', bytes, { bytesMax: 10_000, keepConfig: true }),
    )
    expect(error).toMatchObject({
      issues: [{ path: 'skill.definition.prompt' }, { path: 'skill.definition.tools.0' }],
    })
  })

  claim(home, 'sends its own model settings, under those of the session', { script: ['一'] }, async (play, expect) => {
    const name = await newSkill(play, { model: 'small', temperature: 0.1, max_tokens: 77 })
    await ranSkill(play, '问', name, { llm: { protocol: 'native', temperature: 0.9 } })
    expect((await play.asked())[0]?.body).toMatchObject({ max_tokens: 77, temperature: 0.9 })
    expect(await play.event('iteration-start')).toMatchObject({ type: 'iteration-start' })
  })
}

function withTools(home: GetHome): void {
  claim(
    home,
    'offers exactly those and what steers; another one is an error result',
    { script: [native('list_files', {}), native('finish', { reason: '好' })] },
    async (play, expect) => {
      const name = await newSkill(play, { tools: ['网页访问'] })
      const answer = await ranSkill(play, '问', name)
      const tools = (await play.asked())[0]?.body.tools?.map(({ function: { name: tool } }) => tool).toSorted()
      expect(tools).toEqual(['ask', 'finish', 'rethink', 'web_access'])
      expect(answer.messages.find(({ kind }) => kind === 'tool_result')?.content).toBe(words.unknownTool('list_files'))
      expect(answer.skill_result?.tools_used).toEqual([])
    },
  )

  claim(
    home,
    'has the permissions that it gives itself, as far as server and session let it',
    {
      script: (page) => [
        native('web_access', { url: page('article') }),
        '读过了',
        native('web_access', { url: page('article') }),
      ],
    },
    async (play, expect) => {
      const allowed = await newSkill(play, {
        tools: ['web_access'],
        permissions: { web_access: 'allow' },
        finish: 'no_call',
      })
      const answer = await ranSkill(play, `读 ${play.site.url('article')}`, allowed)
      expect(answer).toMatchObject({
        status: 'completed',
        result: '读过了',
        skill_result: { tools_used: ['web_access'] },
      })
      const asking = await play.api.addMessage(
        { content: `再读 ${play.site.url('article')}`, config: { tools: { web_access: { permission: 'ask' } } } },
        WAIT,
      )
      expect(responseOf(asking)).toMatchObject({
        status: 'interrupted',
        skill_result: { success: false, content: null },
      })
    },
  )

  claim(
    home,
    'does not offer what it denies, and a call of it is an error result',
    { config: APPROVED, script: (page) => [native('web_access', { url: page('article') }), '不读了'] },
    async (play, expect) => {
      const name = await newSkill(play, {
        tools: ['web_access', 'list_files'],
        permissions: { 网页访问: 'deny' },
        finish: 'no_call',
      })
      const answer = await ranSkill(play, '读', name, { ...NATIVE, ...APPROVED })
      expect((await play.asked())[0]?.body.tools?.map(({ function: { name: tool } }) => tool)).toEqual(['list_files'])
      expect(answer.result).toBe('不读了')
      expect(await play.site.visits()).toEqual([])
    },
  )

  for (const config of [NATIVE, TEXT]) {
    const { protocol } = config.llm ?? {}
    claim(
      home,
      `calls tools in so many turns, and then answers without any (${protocol})`,
      {
        script: (page) => {
          const visit = (at: string) =>
            protocol === 'xml' ? words.visit(page(at)) : native('web_access', { url: page(at) })
          return [visit('article'), visit('other'), '这是答复']
        },
      },
      async (play, expect) => {
        const name = await newSkill(play, { tools: ['web_access'], max_tool_iterations: 2 })
        const task = `读 ${play.site.url('article')} 和 ${play.site.url('other')}`
        const answer = await ranSkill(play, task, name, { ...config, ...APPROVED })
        expect(answer).toMatchObject({ status: 'completed', result: '这是答复', usage: { model_calls: 3 } })
        expect((await play.site.visits()).toSorted()).toEqual(['article', 'other'])
        const asked = await play.asked()
        expect(asked.map(({ body }) => body.tools !== undefined)).toEqual(
          protocol === 'xml' ? [false, false, false] : [true, true, false],
        )
        expect(asked[2]?.body.messages[0]?.content).toContain('这一次没有可用的工具')
      },
    )
  }

  claim(
    home,
    'is not led on by calls in the answer without tools',
    { script: [native('list_files', {}), native('list_files', {}, '就这些'), native('list_files', {})] },
    async (play, expect) => {
      const name = await newSkill(play, { tools: ['list_files'], max_tool_iterations: 1 })
      expect(await ranSkill(play, '有什么文件？', name)).toMatchObject({ status: 'completed', result: '就这些' })
    },
  )

  claim(
    home,
    'warns of a reply without a call, unless that is how it ends',
    { script: ['完了', native('finish', { reason: '好' })] },
    async (play, expect) => {
      const name = await newSkill(play, { tools: ['list_files'] })
      const answer = await ranSkill(play, '有什么文件？', name, { ...NATIVE, ends_by_reply: 'never' })
      expect(answer.result).toBe('好')
      expect(answer.messages.map(({ kind }) => kind)).toEqual(['prompt', 'reply', 'warning', 'reply', 'tool_result'])
    },
  )
}

const PERSON = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
  required: ['name', 'age'],
  additionalProperties: false,
}

function schemas(home: GetHome): void {
  claim(
    home,
    'is told to the model, and an answer that does not fit is asked for again with what is wrong',
    { script: ['他叫张三', '{"name":"张三","age":-1}', '```json\n{"name":"张三","age":30}\n```'] },
    async (play, expect) => {
      const name = await newSkill(play, { output_schema: PERSON })
      const answer = await ranSkill(play, '张三，30 岁', name)
      expect(answer).toMatchObject({ status: 'completed', result: '{"name":"张三","age":30}' })
      const asked = await play.asked()
      expect(asked[0]?.body.messages[0]?.content).toContain(JSON.stringify(PERSON))
      expect(asked[1]?.body.messages.at(-1)?.content).toMatch(/^\[警告\].*JSON/)
      expect(asked[2]?.body.messages.at(-1)?.content).toContain('#/age')
    },
  )

  for (const [form, say] of [
    ['finish', (text: string) => native('finish', { reason: text })],
    ['a reply', (text: string) => text],
    ['finish in tags', (text: string) => words.finish(text)],
  ] as const) {
    claim(
      home,
      `fails the run with the answer and what is wrong with it after the third that does not fit (${form})`,
      { script: [say('{}'), say('{}'), say('{"name":3}'), say('{"name":"李四","age":4}')] },
      async (play, expect) => {
        const name = await newSkill(play, {
          output_schema: PERSON,
          ...(form === 'a reply' ? {} : { tools: ['list_files'] }),
        })
        const answer = await ranSkill(play, '李四', name, form === 'finish in tags' ? TEXT : NATIVE)
        expect(answer).toMatchObject({
          status: 'failed',
          finish_reason: 'failed',
          result: '{"name":3}',
          error: { code: 'output_invalid' },
          skill_result: { success: false, content: '{"name":3}' },
        })
        expect(answer.skill_result?.error).toContain('#/name')
        expect(await play.asked()).toHaveLength(3)
        expect(await play.carryOn()).toMatchObject({ status: 'completed', result: '{"name":"李四","age":4}' })
      },
    )
  }

  claim(
    home,
    'is sent to the model, which may be held to it',
    { script: ['{"name":"王五","age":5}'] },
    async (play, expect) => {
      const name = await newSkill(play, { output_schema: PERSON })
      expect((await ranSkill(play, '王五', name, NATIVE)).result).toBe('{"name":"王五","age":5}')
      expect((await play.asked())[0]?.body['response_format']).toEqual({
        type: 'json_schema',
        json_schema: { name: 'answer', schema: PERSON },
      })
    },
  )
}

function loading(home: GetHome): void {
  claim(
    home,
    'gives the text of a skill that the prompt names, those of the tenant included',
    { config: NATIVE, script: [] },
    async (play, expect) => {
      const name = await newSkill(play, {
        description: '数羊',
        prompt: '数{{animal}}，直到{{user_input}}。',
        inputs: [{ name: 'animal' }],
      })
      await play.model.script([
        native('use_skill', { name }),
        native('use_skill', { name: '没有' }),
        native('finish', { reason: '好' }),
      ])
      await play.create()
      const answer = await play.send('睡着')
      const prompt = (await play.asked())[0]?.body.messages[0]?.content
      expect(prompt).toContain(`- ${name}: 数羊`)
      expect(prompt).toContain('- web-research: ')
      const [text, none] = answer.messages.filter(({ kind }) => kind === 'tool_result').map(({ content }) => content)
      expect(text).toBe('[使用技能]的内容：\n\n数[animal]，直到睡着。')
      expect(none).toMatch(/执行失败.*没有.*web-research/s)
    },
  )
}
