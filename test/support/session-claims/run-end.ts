import { describe } from 'vitest'
import type { SessionConfig } from '../../../src/domain/config.ts'
import type { SessionData } from '../../../src/domain/session.ts'
import { newId } from '../../../src/lib/id.ts'
import type { MessagesPart } from '../../../src/session/call.ts'
import { NOTHING_LEFT, plan, setting, task } from '../planned.ts'
import { type Play, valueOf } from '../play.ts'
import { native, WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'

const words = WORDS['zh-CN']
const TEXT: SessionConfig = { llm: { protocol: 'xml' } }
const NATIVE: SessionConfig = { llm: { protocol: 'native' } }
const END = { result: '好', error: null, finish_reason: 'completed', ended_by: 'finish' }
const NO_END = { result: null, error: null, finish_reason: null, ended_by: null }

/** Api-details, "SessionData has the run's end": wherever a session is given. */
export function runEndClaims(home: GetHome): void {
  describe('the end of the newest run', () => {
    shownClaims(home)
    errorClaims(home)
  })
}

async function read({ api }: Play, part: MessagesPart): Promise<SessionData> {
  return new Response((await valueOf(api.read(part))).body).json<SessionData>()
}

function shownClaims(home: GetHome): void {
  claim(
    home,
    'is in the session that a task was given with, and in all that is read of it',
    { config: TEXT, script: [words.finish('好')] },
    async (play, expect) => {
      const input = { task: '甲', config: { ...TEXT, llm: { ...TEXT.llm, model: play.model.name } } }
      const made = await valueOf(play.api.create(play.id, 'default', input, { form: 'wait' }))
      if (!('etag' in made)) throw new Error('a session was expected')
      const created = await new Response(made.body).json<SessionData>()
      expect(created).toMatchObject(END)
      expect(await read(play, 'all')).toEqual(created)
      for (const part of ['last_run', 'none'] as const) expect(await read(play, part)).toMatchObject(END)
      const patched = await valueOf(play.api.patch({ title: '乙' }, null))
      expect(await new Response(patched.body).json()).toMatchObject({ ...END, title: '乙' })
    },
  )

  claim(
    home,
    'is there after a run in the background, and not before it',
    { config: TEXT, script: [words.rethink('…'), { hang: true }, words.finish('好')] },
    async (play, expect) => {
      expect(await play.create()).toMatchObject(NO_END)
      await play.api.addMessage({ content: '甲' }, { form: 'background' })
      await play.asked(2)
      expect(await play.session()).toMatchObject({ ...NO_END, status: 'in_progress' })
      await play.cancel()
      expect(await play.session()).toMatchObject({ ...NO_END, finish_reason: 'cancelled' })
      await play.api.addMessage({ content: '乙' }, { form: 'background' })
      await play.event('run-end', (await play.session()).last_seq - 1)
      expect(await play.session()).toMatchObject(END)
    },
  )

  claim(
    home,
    'goes with an export and its import; a history without a log has none',
    { config: NATIVE, script: ['好'] },
    async (play, expect) => {
      await play.create()
      await play.send('甲')
      const document = await new Response(await valueOf(play.api.export(null, false))).json<{ session: SessionData }>()
      expect(document.session).toMatchObject({ ...END, ended_by: 'reply' })
      const copied = async (whole: unknown) => {
        const id = newId('ses', Date.now())
        const body = new Blob([JSON.stringify(whole)]).stream()
        const made = await valueOf(
          home().session(id).import(id, 'default', body, { bytesMax: 1_000_000, keepConfig: true }),
        )
        return new Response(made.body).json()
      }
      expect(await copied(document)).toMatchObject({ ...END, ended_by: 'reply' })
      expect(await copied({ session: { messages: document.session.messages } })).toMatchObject(NO_END)
    },
  )

  claim(
    home,
    'of a plan is by no single word of the model',
    setting(plan('查人口'), task('查人口', '八百万'), NOTHING_LEFT, '总结'),
    async (play, expect) => {
      await play.create({ orchestrator: 'plan' })
      expect(await play.send('介绍这座城市')).toMatchObject({ status: 'completed', result: '总结', ended_by: null })
    },
  )

  claim(
    home,
    'of a task that was given to one worker is by its reply',
    { config: NATIVE, script: ['{"worker":"llm_tool"}', '答复'] },
    async (play, expect) => {
      await play.create({ orchestrator: 'route' })
      expect(await play.send('问')).toMatchObject({ status: 'completed', result: '答复', ended_by: 'reply' })
    },
  )
}

function errorClaims(home: GetHome): void {
  for (const { language, hint, message } of [
    { language: 'zh-CN', message: '模型服务不接受密钥。', hint: /api_key/ },
    { language: 'en', message: 'The model service refuses the key.', hint: /continue/ },
  ])
    claim(
      home,
      `says what happened and what to do in the language of the session: ${language}`,
      { config: { ...TEXT, language }, script: [{ status: 401 }, words.finish('好')] },
      async (play, expect) => {
        await play.create()
        const { error, ended_by: by } = await play.send('甲')
        expect(error).toMatchObject({ code: 'model_unauthorized', status: 401, message, detail: expect.any(String) })
        expect(error?.hint).toMatch(hint)
        expect(by).toBeNull()
        const session = await play.session()
        expect(session).toMatchObject({ status: 'failed', finish_reason: 'failed', result: null, error })
        expect((await play.events()).at(-1)).toMatchObject({ type: 'run-end', error })
        expect(await play.carryOn()).toMatchObject({ ...END, result: '好' })
        expect(await play.session()).toMatchObject(END)
      },
    )

  claim(
    home,
    'says of a bound which it was, and how to go on',
    { config: { ...TEXT, language: 'en', limits: { max_iterations_total: 1 } }, script: [words.rethink('…')] },
    async (play, expect) => {
      await play.create()
      const { error } = await play.send('甲')
      expect(error).toEqual({
        code: 'iteration_limit',
        detail: 'max_iterations_total, the rounds of one run, is used up. Continue with a larger limit to go on.',
        message: 'max_iterations_total, the rounds of one run, is used up.',
        hint: 'Continue with a larger limit to go on.',
      })
    },
  )

  claim(
    home,
    'is that of the newest run: a new task clears it',
    {
      config: NATIVE,
      script: [{ status: 401 }, native('ask', { question: '哪个？' }), native('finish', { reason: '好' })],
    },
    async (play, expect) => {
      await play.create()
      expect(await play.send('甲')).toMatchObject({ status: 'failed', error: { code: 'model_unauthorized' } })
      expect(await play.send('乙')).toMatchObject({ ...NO_END, finish_reason: 'waiting_feedback' })
      expect(await play.session()).toMatchObject({ ...NO_END, finish_reason: 'waiting_feedback' })
      expect(await play.decide({ decision: 'answer', answer: '这个' })).toMatchObject(END)
    },
  )
}
