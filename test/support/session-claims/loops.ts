import { describe } from 'vitest'
import type { SessionConfig } from '../../../src/domain/config.ts'
import { contentText } from '../../../src/domain/content.ts'
import { native, WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'

const words = WORDS.en
const config = (protocol: 'xml' | 'native', more: SessionConfig = {}): SessionConfig => ({
  language: 'en',
  llm: { protocol },
  ...more,
  limits: { max_iterations: 40, ...more.limits },
})
const SAID = 'The capital of France is Paris.'
const ENDED = { status: 'completed', finish_reason: 'completed', error: null, ended_by: 'reply', loop: true }
const LOOP = { status: 'failed', finish_reason: 'stuck', result: null, ended_by: null, error: { code: 'loop' } }
const BAD_CALL = '<fly>\n<to>Paris</to>\n</fly>'

/** Api-details, "Loops": the same reply that cannot be followed, again and again. */
export function loopClaims(home: GetHome): void {
  describe('a loop', () => {
    wordClaims(home)
    callClaims(home)
    lessonClaims(home)
  })
}

function wordClaims(home: GetHome): void {
  for (const protocol of ['xml', 'native'] as const)
    claim(
      home,
      `of words ends with them as the answer, after the model was told once (${protocol})`,
      {
        config: config(protocol, { ends_by_reply: 'never' }),
        script: [{ content: SAID, repeat: true }],
      },
      async (play, expect) => {
        await play.create()
        const answer = await play.send(words.task)
        expect(answer).toMatchObject({ ...ENDED, result: SAID })
        expect(await play.session()).toMatchObject({ ...ENDED, result: SAID })
        expect((await play.events()).at(-1)).toMatchObject({ type: 'run-end', loop: true })
        expect(await play.asked()).toHaveLength(4)
        const told = answer.messages.filter(({ content }) => contentText(content, null).includes('the same reply'))
        expect(told).toHaveLength(1)
      },
    )

  claim(
    home,
    'is one of what is said, whatever is thought before it',
    {
      config: config('xml', { ends_by_reply: 'never' }),
      script: Array.from({ length: 5 }, (_, index) => `<think>Again? ${index}</think>\n${SAID}`),
    },
    async (play, expect) => {
      await play.create()
      expect(await play.send(words.task)).toMatchObject({ ...ENDED, result: SAID })
      expect(await play.asked()).toHaveLength(4)
    },
  )

  claim(
    home,
    'of bad calls ends with the words that came before it',
    {
      config: config('xml'),
      script: [SAID, { content: BAD_CALL, repeat: true }],
    },
    async (play, expect) => {
      await play.create()
      expect(await play.send(words.task)).toMatchObject({ ...ENDED, result: SAID })
      expect(await play.asked()).toHaveLength(5)
    },
  )

  claim(
    home,
    'of bad calls ends with the words beside them where there are no others',
    { config: config('xml'), script: [{ content: `I go to Paris.\n${BAD_CALL}`, repeat: true }] },
    async (play, expect) => {
      await play.create()
      expect(await play.send(words.task)).toMatchObject({ ...ENDED, result: 'I go to Paris.' })
    },
  )

  claim(
    home,
    'is over when the model does something else, and begins anew',
    {
      config: config('xml', { ends_by_reply: 'never' }),
      script: [SAID, SAID, SAID, 'Paris!', SAID, words.finish('good')],
    },
    async (play, expect) => {
      await play.create()
      const answer = await play.send(words.task)
      expect(answer).toMatchObject({ status: 'completed', ended_by: 'finish', result: 'good' })
      expect(answer).not.toHaveProperty('loop')
    },
  )

  claim(
    home,
    'is none with repeats_max 0: the errors in a row end the run',
    {
      config: config('xml', { ends_by_reply: 'never', limits: { repeats_max: 0 } }),
      script: [{ content: SAID, repeat: true }],
    },
    async (play, expect) => {
      await play.create()
      const answer = await play.send(words.task)
      expect(answer).toMatchObject({ status: 'failed', finish_reason: 'stuck', error: { code: 'stuck' } })
      expect(await play.asked()).toHaveLength(16)
      expect(answer.messages.at(-1)?.content).toBe('[Warning] Too many replies in a row without a tool call!')
    },
  )
}

function callClaims(home: GetHome): void {
  for (const [name, step, protocol] of [
    ['an unknown tool', { content: BAD_CALL }, 'xml'],
    ['bad parameters', { content: '<web_access>\n<url>none</url>\n</web_access>' }, 'xml'],
    ['an unknown function', native('fly', { to: 'Paris' }), 'native'],
    ['bad arguments', native('web_access', '{"url":'), 'native'],
  ] as const)
    claim(
      home,
      `of calls fails where no reply has words for the user: ${name}`,
      { config: config(protocol), script: [{ ...step, repeat: true }] },
      async (play, expect) => {
        await play.create()
        const answer = await play.send(words.task)
        expect(answer).toMatchObject(LOOP)
        expect(await play.asked()).toHaveLength(4)
        await play.model.script([native('finish', { reason: 'good' })])
        expect(await play.carryOn()).toMatchObject({ status: 'completed', result: 'good' })
      },
    )

  claim(
    home,
    'of calls of finish that are wrong ends with what they say, and that is taught',
    { config: config('native'), script: [{ ...native('finish', { reason: SAID, status: 'done' }), repeat: true }] },
    async (play, expect) => {
      await play.create()
      expect(await play.send(words.task)).toMatchObject({ ...ENDED, result: SAID })
      const asked = await play.asked()
      expect(asked).toHaveLength(4)
      expect(asked[3]?.body.messages.at(-1)?.content).toContain(JSON.stringify({ reason: SAID }))
    },
  )

  for (const [form, content] of [
    ['JSON', `{"name": "finish", "arguments": {"reason": "${SAID}"}}`],
    ['tags', words.finish(SAID)],
  ] as const)
    claim(
      home,
      `of answers that are written where functions are called ends with what they say, and that is taught (${form})`,
      { config: config('native'), script: [{ content, repeat: true }] },
      async (play, expect) => {
        await play.create()
        expect(await play.send(words.task)).toMatchObject({ ...ENDED, result: SAID })
        const asked = await play.asked()
        expect(asked).toHaveLength(4)
        expect(asked[1]?.body.messages.at(-1)?.content).toContain(JSON.stringify({ reason: SAID }))
      },
    )

  claim(
    home,
    'of other calls that are written where functions are called has no words for the user',
    {
      config: config('native'),
      script: [{ content: '{"name": "rethink", "arguments": {"reason": "why"}}', repeat: true }],
    },
    async (play, expect) => {
      await play.create()
      expect(await play.send(words.task)).toMatchObject(LOOP)
    },
  )

  claim(
    home,
    'is none while the bad calls differ: the 16th ends the run',
    {
      config: config('xml'),
      script: Array.from({ length: 16 }, (_, index) => BAD_CALL.replace('Paris', `city ${index}`)),
    },
    async (play, expect) => {
      await play.create()
      const answer = await play.send(words.task)
      expect(answer).toMatchObject({ status: 'failed', finish_reason: 'stuck', error: { code: 'stuck' } })
      expect(answer.messages.at(-1)?.content).toBe(words.stuck)
    },
  )
}

function lessonClaims(home: GetHome): void {
  for (const [protocol, call] of [
    ['xml', words.finish(SAID)],
    ['native', `call the function finish with these arguments:\n\n${JSON.stringify({ reason: SAID })}`],
  ] as const)
    claim(
      home,
      `is told of with the call that gives the model's own words as the answer, as the warning before is (${protocol})`,
      { config: config(protocol, { ends_by_reply: 'never' }), script: [SAID, SAID, SAID, words.finish('good')] },
      async (play, expect) => {
        await play.create()
        await play.send(words.task)
        const asked = await play.asked()
        const [, second = [], , fourth = []] = asked.map(({ body }) => body.messages)
        expect(second.at(-2)).toEqual({ role: 'user', content: words.noCall })
        for (const lesson of [second.at(-1), fourth.at(-1)]) {
          expect(lesson?.role).toBe('user')
          expect(lesson?.content).toContain(call)
        }
        const warnings = (await play.messages()).filter(({ kind }) => kind === 'warning')
        expect(warnings[0]?.content).toBe(words.noCall)
      },
    )
}
