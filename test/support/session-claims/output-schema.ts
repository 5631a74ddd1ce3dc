import { describe } from 'vitest'
import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import type { SessionConfig } from '../../../src/domain/config.ts'
import { contentText } from '../../../src/domain/content.ts'
import { errorOf, type Play, responseOf } from '../play.ts'
import { APPROVED, native, WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'

const words = WORDS['zh-CN']
const NATIVE: SessionConfig = { llm: { protocol: 'native' } }
const TEXT: SessionConfig = { llm: { protocol: 'xml' } }
const WAIT = { form: 'wait' } as const

const CITY = {
  type: 'object',
  properties: { city: { type: 'string' }, people: { type: 'integer', minimum: 1 } },
  required: ['city', 'people'],
}
const LIST = { type: 'array', items: { type: 'string' } }
const PARIS = '{"city":"巴黎","people":2000000}'
const FORMAT = { type: 'json_schema', json_schema: { name: 'answer', schema: CITY } }

/** Answers that have to fit a schema, which a session or a message brings along. */
export function outputSchemaClaims(home: GetHome): void {
  describe('an output schema of a session', () => ofSession(home))
  describe('an output schema of a message', () => ofMessage(home))
  describe('a service that is sent a schema', () => ofService(home))
  describe('the schema itself as an answer', () => echoed(home))
}

/** A model of its own: what is learnt of it says nothing of those of other tests. */
const alone = (play: Play, config: SessionConfig): SessionConfig => ({
  ...config,
  llm: { ...config.llm, model: play.model.name, extra_body: { script: play.model.name } },
})

const sent = (play: Play, content: string, schema: Record<string, unknown> | null) =>
  play.api.addMessage({ content, output_schema: schema }, WAIT).then(responseOf)

const formats = async (play: Play) => (await play.asked()).map(({ body }) => body['response_format'] ?? null)

function ofSession(home: GetHome): void {
  for (const [form, say, config] of [
    ['a reply', (text: string): StepInput => text, NATIVE],
    ['finish', (text: string): StepInput => native('finish', { reason: text }), NATIVE],
    ['finish in tags', (text: string): StepInput => words.finish(text), TEXT],
  ] as const)
    claim(
      home,
      `holds for each of its runs, is told to the model and shown (${form})`,
      { config, script: [say('巴黎'), say(PARIS), say('{"city":"里昂","people":500000}')] },
      async (play, expect) => {
        await play.create({ output_schema: CITY })
        expect(await play.session()).toMatchObject({ output_schema: CITY })
        expect(await play.send('法国最大的城市？')).toMatchObject({ status: 'completed', result: PARIS })
        expect(await play.send('还有呢？')).toMatchObject({ result: '{"city":"里昂","people":500000}' })
        const asked = await play.asked()
        expect(asked).toHaveLength(3)
        expect(asked[0]?.body.messages[0]?.content).toContain(JSON.stringify(CITY))
        expect(contentText(asked[1]?.body.messages.at(-1)?.content ?? '', null)).toMatch(/JSON/)
      },
    )

  for (const [form, args] of [
    ['as an object', { reason: JSON.parse(PARIS) }],
    ['in the place of the arguments', JSON.parse(PARIS)],
  ] as const)
    claim(
      home,
      `is met by an answer that finish is given ${form}`,
      { config: NATIVE, script: [native('finish', args)] },
      async (play, expect) => {
        await play.create({ output_schema: CITY })
        expect(await play.send('法国最大的城市？')).toMatchObject({ status: 'completed', result: PARIS })
        expect(await play.asked()).toHaveLength(1)
      },
    )

  for (const [form, args] of [
    ['empty', {}],
    ['no JSON', 'not json at all'],
  ] as const)
    claim(
      home,
      `is met by what is said beside a finish without an answer (${form}), and never by nothing`,
      { config: NATIVE, script: [native('finish', args), native('finish', args, '{"price": 5}')] },
      async (play, expect) => {
        await play.create({ output_schema: { type: 'object', properties: { price: { type: 'number' } } } })
        expect(await play.send('多少钱？')).toMatchObject({ status: 'completed', result: '{"price": 5}' })
        expect(await play.asked()).toHaveLength(2)
      },
    )

  for (const [form, args] of [
    ['beside others', { approve: true, reason: '迟到' }],
    ['alone', { reason: '迟到' }],
  ] as const)
    claim(
      home,
      `is met by all arguments of finish where it has a reason of its own (${form})`,
      { config: NATIVE, script: [native('finish', args)] },
      async (play, expect) => {
        const properties = { approve: { type: 'boolean' }, reason: { type: 'string' } }
        await play.create({ output_schema: { type: 'object', properties, required: Object.keys(args) } })
        expect(await play.send('批吗？')).toMatchObject({ status: 'completed', result: JSON.stringify(args) })
        expect(await play.asked()).toHaveLength(1)
      },
    )

  claim(
    home,
    'is not met by words where it would take any object',
    { config: NATIVE, script: [native('finish', { reason: '五块' }), native('finish', { price: 5 })] },
    async (play, expect) => {
      await play.create({ output_schema: { type: 'object', properties: { price: { type: 'number' } } } })
      expect(await play.send('多少钱？')).toMatchObject({ status: 'completed', result: '{"price":5}' })
    },
  )

  claim(
    home,
    'is asked for again whatever is said in its place, also in text, and held to by the service in the end',
    { config: TEXT, script: [{ content: '巴黎', repeat: 3 }, PARIS] },
    async (play, expect) => {
      await play.create({ output_schema: CITY })
      expect(await play.send('法国最大的城市？')).toMatchObject({ status: 'completed', result: PARIS })
      expect(await formats(play)).toEqual([null, null, null, FORMAT])
    },
  )

  claim(
    home,
    'ends a run whose answer does not fit the third time; the last time it is asked for without tools, held to the schema',
    { config: { ...NATIVE, ...APPROVED }, script: ['一', '二', '三'] },
    async (play, expect) => {
      await play.create({ output_schema: CITY })
      expect(await play.send('问')).toMatchObject({ status: 'failed', result: '三', error: { code: 'output_invalid' } })
      const asked = await play.asked()
      expect(asked.map(({ body }) => body.tools?.length ?? 0)).toEqual([
        expect.any(Number),
        asked[0]?.body.tools?.length,
        0,
      ])
      expect(asked[0]?.body.tools?.length).toBeGreaterThan(0)
      expect(await formats(play)).toEqual([FORMAT, FORMAT, FORMAT])
    },
  )

  claim(home, 'is refused with its path where no answer could be checked by it', {}, async (play, expect) => {
    for (const schema of [{ type: 'nope' }, { $ref: '#/nowhere' }, { type: 'string', pattern: '(' }]) {
      const made = play.api.create(play.id, 'default', { output_schema: schema }, WAIT)
      expect(await errorOf(made)).toMatchObject({ code: 'invalid_input', issues: [{ path: 'output_schema' }] })
    }
    for (const orchestrator of ['plan', 'team']) {
      const team = orchestrator === 'team' ? { team: { name: 'software' } } : {}
      const made = play.api.create(play.id, 'default', { orchestrator, ...team, output_schema: CITY }, WAIT)
      expect(await errorOf(made)).toMatchObject({
        issues: [{ path: 'output_schema', message: expect.stringContaining('agent') }],
      })
    }
    await play.create()
  })
}

function ofMessage(home: GetHome): void {
  claim(
    home,
    'holds for its run alone, over that of the session; null lifts it',
    { config: NATIVE, script: ['["巴黎"]', '就是巴黎', PARIS, '{}', PARIS] },
    async (play, expect) => {
      await play.create({ output_schema: CITY })
      expect(await sent(play, '列出来', LIST)).toMatchObject({ status: 'completed', result: '["巴黎"]' })
      expect(await sent(play, '随便说说', null)).toMatchObject({ status: 'completed', result: '就是巴黎' })
      expect(await play.send('再来')).toMatchObject({ status: 'completed', result: PARIS })
      expect(await play.send('再来')).toMatchObject({ status: 'completed', result: PARIS })
      expect((await play.asked())[0]?.body.messages[0]?.content).toContain(JSON.stringify(LIST))
    },
  )

  claim(
    home,
    'holds when its run goes on after a failure',
    { config: NATIVE, script: [{ status: 401 }, '一', '["一"]'] },
    async (play, expect) => {
      await play.create()
      expect(await sent(play, '列', LIST)).toMatchObject({ status: 'failed' })
      expect(await play.carryOn()).toMatchObject({ status: 'completed', result: '["一"]' })
    },
  )

  claim(
    home,
    'holds for a message that waits in line',
    { config: NATIVE, script: [{ content: '好', hold_after: 0 }, '一', '["一"]'] },
    async (play, expect) => {
      await play.create()
      const first = play.send('甲')
      await play.asked(1)
      const queue = { form: 'wait', whenBusy: 'queue' } as const
      const second = play.api.addMessage({ content: '列', output_schema: LIST }, queue).then(responseOf)
      await play.event('message-queued')
      await play.model.release()
      expect(await first).toMatchObject({ result: '好' })
      expect(await second).toMatchObject({ status: 'completed', result: '["一"]' })
    },
  )

  claim(home, 'is refused with its path, and nothing runs', { config: NATIVE }, async (play, expect) => {
    await play.create()
    const asked = play.api.addMessage({ content: '问', output_schema: { type: 'nope' } }, WAIT)
    expect(await errorOf(asked)).toMatchObject({ code: 'invalid_input', issues: [{ path: 'output_schema' }] })
    expect(await play.messages()).toEqual([])
  })
}

function ofService(home: GetHome): void {
  const refusal = {
    status: 400,
    body: { error: { message: "Invalid parameter: 'response_format' is not supported." } },
  }

  const besideTools = {
    status: 400,
    body: { error: { message: 'response_format cannot be used together with tools' } },
  }

  const wrong = { status: 400, body: { error: { message: 'temperature: at most 1' } } }

  claim(
    home,
    'and refuses it is asked again without, and sent none from then on',
    { script: [refusal, '一', '二', PARIS, '三', PARIS] },
    async (play, expect) => {
      await play.create({ output_schema: CITY, config: alone(play, NATIVE) })
      expect(await play.send('甲')).toMatchObject({ status: 'completed', result: PARIS })
      expect(await play.send('乙')).toMatchObject({ status: 'completed', result: PARIS })
      expect(await formats(play)).toEqual([FORMAT, null, null, null, null, null])
    },
  )

  claim(
    home,
    'and takes none beside tools is sent it where none are offered',
    { script: [besideTools, '一', '二', PARIS, '三', PARIS] },
    async (play, expect) => {
      await play.create({ output_schema: CITY, config: alone(play, NATIVE) })
      expect(await play.send('甲')).toMatchObject({ status: 'completed', result: PARIS })
      expect(await play.send('乙')).toMatchObject({ status: 'completed', result: PARIS })
      expect(await formats(play)).toEqual([FORMAT, null, null, FORMAT, null, null])
    },
  )

  claim(
    home,
    'and would hold its calls of tools to it is asked again without, and sent it where none are offered',
    { script: [{ content: PARIS, headers: { server: 'uvicorn' } }, '一', '二', PARIS] },
    async (play, expect) => {
      await play.create({ output_schema: CITY, config: alone(play, NATIVE) })
      expect(await play.send('甲')).toMatchObject({ status: 'completed', result: PARIS })
      expect(await formats(play)).toEqual([FORMAT, null, null, FORMAT])
    },
  )

  claim(
    home,
    'and calls this one wrong is sent others',
    {
      script: [
        { status: 400, body: { error: { message: "Invalid schema for response_format 'answer'" } } },
        PARIS,
        '[]',
      ],
    },
    async (play, expect) => {
      await play.create({ config: alone(play, NATIVE) })
      expect(await sent(play, '甲', CITY)).toMatchObject({ status: 'completed', result: PARIS })
      expect(await sent(play, '乙', LIST)).toMatchObject({ status: 'completed', result: '[]' })
      expect((await formats(play)).map((one) => one !== null)).toEqual([true, false, true])
    },
  )

  claim(
    home,
    'and refuses something else is asked once more, without, and sent the next one',
    { script: [wrong, wrong, PARIS] },
    async (play, expect) => {
      await play.create({ output_schema: CITY, config: alone(play, NATIVE) })
      expect(await play.send('甲')).toMatchObject({ status: 'failed', error: { code: 'model_rejected' } })
      expect(await formats(play)).toEqual([FORMAT, null])
      expect(await play.send('乙')).toMatchObject({ status: 'completed', result: PARIS })
      expect((await formats(play)).slice(2)).toEqual([FORMAT])
    },
  )

  claim(
    home,
    'and can call tools beside it is sent it with them',
    { config: { ...NATIVE, model: 'structured' }, script: [{ content: PARIS, headers: { server: 'uvicorn' } }] },
    async (play, expect) => {
      await play.create({ output_schema: CITY })
      expect(await play.send('甲')).toMatchObject({ status: 'completed', result: PARIS })
      expect(await formats(play)).toEqual([FORMAT])
      expect((await play.asked())[0]?.body.tools?.length).toBeGreaterThan(0)
    },
  )
}

function echoed(home: GetHome): void {
  for (const [form, text] of [
    ['to the letter', JSON.stringify(CITY, null, 2)],
    ['in a fence', `\`\`\`json\n${JSON.stringify(CITY)}\n\`\`\``],
    ['with the answer in it', '{"type":"object","properties":{"city":"巴黎","people":2000000}}'],
  ] as const)
    claim(
      home,
      `is answered with an example (${form})`,
      { config: NATIVE, script: [text, PARIS] },
      async (play, expect) => {
        await play.create({ output_schema: CITY })
        expect(await play.send('法国最大的城市？')).toMatchObject({ status: 'completed', result: PARIS })
        const [, again] = await play.asked()
        const told = contentText(again?.body.messages.at(-1)?.content ?? '', null)
        expect(told).toMatch(/^\[警告\]/)
        expect(JSON.parse(told.slice(told.indexOf('{')))).toEqual({ city: '…', people: 1 })
      },
    )

  claim(
    home,
    'is no answer where the schema would take it',
    { config: NATIVE, script: ['{"type":"object","properties":{"a":{"type":"string"}}}', '{"a":"好"}'] },
    async (play, expect) => {
      await play.create({ output_schema: { type: 'object', properties: { a: { type: 'string' } } } })
      expect(await play.send('问')).toMatchObject({ status: 'completed', result: '{"a":"好"}' })
    },
  )
}
