import { BOTH, native, type Words, WORDS } from '../words.ts'
import { errorOf } from '../play.ts'
import { describe } from 'vitest'
import { claim, type GetHome } from './claim.ts'

const WISHED = { wait: { enabled: true }, ask_form: { enabled: true }, plan_notes: { enabled: true } }

const FORM = {
  type: 'object',
  properties: { city: { type: 'string' }, guests: { type: 'integer', minimum: 1 } },
  required: ['city', 'guests'],
}

/** What the model waits for by tools of its own. */
export function waitingClaims(home: GetHome): void {
  for (const words of BOTH) describe(`a wait, ${words.language}`, () => waitClaims(home, words))
  describe('a form', () => formClaims(home, WORDS.en))
  describe('a to-do list', () => noteClaims(home, WORDS.en))
}

const asking = (name: string, args: Record<string, unknown>, words: Words) => ({
  config: { language: words.language, tools: WISHED },
  script: [native(name, args), native('finish', { reason: 'done' })],
})

function waitClaims(home: GetHome, words: Words): void {
  claim(
    home,
    'ends by itself when its time has come, and the run goes on',
    asking('wait', { seconds: 1, reason: 'the kettle' }, words),
    async (play, expect) => {
      await play.create()
      const rested = await play.send(words.task)
      expect(rested).toMatchObject({
        status: 'interrupted',
        pending: [{ type: 'question', tool: 'wait', wait: { reason: 'the kettle' } }],
      })
      const [item] = rested.pending
      expect(item?.wait?.until).toBe(item?.expires_time)
      expect(await play.event('run-end')).toMatchObject({ status: 'completed', result: 'done' })
      const result = (await play.messages()).find(({ tool_name: tool }) => tool === 'wait')
      expect(result?.content).toMatch(words.language === 'en' ? /The time has come/ : /时间到了/)
      expect((await play.session()).pending).toEqual([])
    },
  )

  claim(
    home,
    'is ended by what the user says, who may call it off, too',
    asking('wait', { seconds: 3_600 }, words),
    async (play, expect) => {
      await play.create()
      await play.send(words.task)
      expect(await play.send('Never mind, go on')).toMatchObject({ status: 'completed', result: 'done' })
      const [told] = (await play.asked(2)).slice(-1)
      expect(JSON.stringify(told?.body)).toContain('Never mind, go on')
    },
  )

  claim(
    home,
    'for a delivery takes what came as untrusted text, and no error',
    asking('wait', { webhook_key: 'order-7' }, words),
    async (play, expect) => {
      await play.create()
      const { pending } = await play.send(words.task)
      expect(pending).toMatchObject([{ wait: { webhook_key: 'order-7' } }])
      const id = pending[0]?.id ?? ''
      expect(await errorOf(play.api.decide(id, { error: 'lost' }, { form: 'wait' }))).toMatchObject({
        code: 'invalid_input',
      })
      expect(await errorOf(play.api.decide(id, { decision: 'approve' }, { form: 'wait' }))).toMatchObject({
        code: 'invalid_input',
      })
      expect(await play.decide({ result: { paid: true, note: 'see https://elsewhere.example/' } })).toMatchObject({
        status: 'completed',
      })
      const result = (await play.messages()).find(({ tool_name: tool }) => tool === 'wait')
      expect(result?.content).toMatch(
        words.language === 'en' ? /untrusted[\s\S]*"paid":true/ : /不可信[\s\S]*"paid":true/,
      )
      const message = (await play.events()).find(
        (event) => event.type === 'message' && event.message.tool_name === 'wait',
      )
      expect(message).toMatchObject({ untrusted: true })
    },
  )

  claim(
    home,
    'without anything to wait for, or for too long, is a failed call',
    {
      config: { language: words.language, tools: WISHED },
      script: [
        native('wait', {}),
        native('wait', { until: '2999-01-01T00:00:00Z' }),
        native('wait', { until: '2020-01-01T00:00:00Z' }),
        native('finish', { reason: 'done' }),
      ],
    },
    async (play, expect) => {
      await play.create()
      expect(await play.send(words.task)).toMatchObject({ status: 'completed' })
      const ends = (await play.events()).flatMap((event) => (event.type === 'tool-end' ? [event.ok] : []))
      expect(ends).toEqual([false, false, true, true])
    },
  )
}

function formClaims(home: GetHome, words: Words): void {
  const ask = (more: Record<string, unknown> = {}) =>
    asking('ask_form', { question: 'Where to?', form: FORM, ...more }, words)

  claim(home, 'takes an answer that fits, and no other', ask(), async (play, expect) => {
    await play.create()
    const { pending } = await play.send(words.task)
    expect(pending).toMatchObject([{ type: 'question', question: 'Where to?', form: FORM }])
    const id = pending[0]?.id ?? ''
    const WRONG = [
      ['Köln', 'answer'],
      ['{"city":"Köln"}', 'answer.guests'],
      ['{"city":"Köln","guests":0}', 'answer.guests'],
    ] as const
    for (const [answer, path] of WRONG) {
      const refused = await errorOf(play.api.decide(id, { decision: 'answer', answer }, { form: 'wait' }))
      expect(refused).toMatchObject({ code: 'invalid_input', issues: [{ path }] })
    }
    const answered = await play.decide({ decision: 'answer', answer: '{"city":"Köln","guests":2}' })
    expect(answered).toMatchObject({ status: 'completed', result: 'done' })
    const result = (await play.messages()).find(({ tool_name: tool }) => tool === 'ask_form')
    expect(result?.content).toContain('"guests":2')
  })

  claim(
    home,
    'takes its default where nobody answers in time',
    ask({ seconds: 1, default: { city: 'Bonn', guests: 1 } }),
    async (play, expect) => {
      await play.create()
      expect((await play.send(words.task)).pending).toMatchObject([{ default: { city: 'Bonn', guests: 1 } }])
      expect(await play.event('run-end')).toMatchObject({ status: 'completed' })
      const result = (await play.messages()).find(({ tool_name: tool }) => tool === 'ask_form')
      expect(result?.content).toContain('{"city":"Bonn","guests":1}')
    },
  )

  claim(
    home,
    'that cannot be used, or whose default does not fit it, is a failed call',
    {
      config: { language: 'en', tools: WISHED },
      script: [
        native('ask_form', { question: '?', form: { type: 'string' } }),
        native('ask_form', { question: '?', form: { properties: 7 } }),
        native('ask_form', { question: '?', form: FORM, default: { city: 1 } }),
        native('finish', { reason: 'done' }),
      ],
    },
    async (play, expect) => {
      await play.create()
      expect(await play.send(words.task)).toMatchObject({ status: 'completed' })
      const ends = (await play.events()).flatMap((event) => (event.type === 'tool-end' ? [event.ok] : []))
      expect(ends).toEqual([false, false, false, true])
    },
  )
}

function noteClaims(home: GetHome, words: Words): void {
  const items = [
    { text: 'look it up', state: 'done' },
    { text: 'write it down', state: 'doing' },
  ]
  claim(home, 'is taken down as it is', asking('plan_notes', { items }, words), async (play, expect) => {
    await play.create()
    expect(await play.send(words.task)).toMatchObject({ status: 'completed' })
    const result = (await play.messages()).find(({ tool_name: tool }) => tool === 'plan_notes')
    expect(result?.content).toContain('1 of 2 done')
  })

  claim(
    home,
    'is offered only where it is wished for',
    { config: {}, script: [native('finish', { reason: 'done' })] },
    async (play, expect) => {
      await play.create()
      await play.send(words.task)
      const [asked] = await play.asked()
      const names = (asked?.body.tools ?? []).map(({ function: { name } }) => name)
      expect(names).toContain('ask')
      for (const name of Object.keys(WISHED)) expect(names).not.toContain(name)
    },
  )
}
