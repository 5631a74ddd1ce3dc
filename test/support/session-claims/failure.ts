import { describe } from 'vitest'
import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import { WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'

const words = WORDS['zh-CN']

interface Case {
  step: StepInput
  stream?: boolean
  error: { code: string; status?: number }
  /** Kinds of the messages that it leaves. */
  heard?: string[]
}

const HTML = '<!doctype html><html><head><title>Bad gateway</title></head><body>502</body></html>'
const CUT = '{"id":"1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assi'

/** What a service may answer that is no completion, and the class that it is told as. */
const CASES: Record<string, Case> = {
  'an HTML page with status 200': { step: { body: HTML }, error: { code: 'model_bad_answer', status: 200 } },
  'an HTML page with status 502': {
    step: { status: 502, body: HTML },
    error: { code: 'model_unavailable', status: 502 },
  },
  'an error as JSON': {
    step: { status: 400, body: { error: { message: 'Messages with role tool must follow tool_calls' } } },
    error: { code: 'model_rejected', status: 400 },
  },
  'an error with status 200': {
    step: { body: { error: { message: 'overloaded' } } },
    error: { code: 'model_bad_answer', status: 200 },
  },
  'cut JSON': { step: { body: CUT }, stream: false, error: { code: 'model_bad_answer', status: 200 } },
  'an empty body': { step: { body: '' }, error: { code: 'model_bad_answer', status: 200 } },
  'an empty body, not streamed': {
    step: { body: '' },
    stream: false,
    error: { code: 'model_bad_answer', status: 200 },
  },
  'an empty completion that was cut': {
    step: { content: '', finish_reason: 'length' },
    error: { code: 'model_bad_answer', status: 200 },
  },
  'a stream that is cut': {
    step: { content: '我先想想，然后', chunks: 6, stream_cut_after: 3 },
    heard: ['reply'],
    error: { code: 'model_bad_answer' },
  },
  'a wrong key': { step: { status: 401 }, error: { code: 'model_unauthorized', status: 401 } },
  'too many requests': { step: { status: 429 }, error: { code: 'model_rate_limited', status: 429 } },
  'a redirect': {
    step: { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' },
    error: { code: 'model_rejected', status: 302 },
  },
}

/** Formats 4: whatever a model answers, the session is whole and the next request works. */
export function failureClaims(home: GetHome): void {
  describe('a model that answers', () => {
    for (const [what, { step, stream = true, error, heard = [] }] of Object.entries(CASES)) {
      claim(
        home,
        `${what} fails the run with its class, and the next message works`,
        { config: { llm: { stream, protocol: 'xml' } }, script: [step, words.finish('好')] },
        async (play, expect) => {
          await play.create()
          const failed = await play.send(words.task)
          expect(failed).toMatchObject({ status: 'failed', finish_reason: 'failed', result: null })
          expect(failed.error?.code, JSON.stringify(failed.error)).toBe(error.code)
          if (error.status !== undefined) expect(failed.error?.status).toBe(error.status)
          expect(failed.error?.detail.length).toBeLessThan(600)
          expect(failed.error?.detail).not.toMatch(/127\.0\.0\.1|\/work\/|\.ts:/)
          expect((await play.events()).filter(({ type }) => type === 'error')).toHaveLength(1)
          expect((await play.session()).messages.map(({ kind }) => kind)).toEqual(['task', 'prompt', ...heard])
          expect(await play.send('再来')).toMatchObject({ status: 'completed', result: '好', error: null })
        },
      )
    }

    claim(
      home,
      'an error is carried on by continue, as the same run',
      { config: { llm: { protocol: 'xml' } }, script: [{ status: 503 }, words.finish('好')] },
      async (play, expect) => {
        await play.create()
        const failed = await play.send(words.task)
        expect(await play.carryOn()).toMatchObject({
          status: 'completed',
          run_id: failed.run_id,
          error: null,
          result: '好',
        })
      },
    )

    claim(
      home,
      'a thousand tags is read and warned of',
      {
        config: { llm: { protocol: 'xml' }, ends_by_reply: 'never' },
        script: [
          '<网页访问>'.repeat(1_000),
          '<a><b>'.repeat(2_000),
          '<完成会话><理由>'.repeat(500),
          words.finish('好'),
        ],
      },
      async (play, expect) => {
        await play.create()
        expect(await play.send(words.task)).toMatchObject({ status: 'completed', result: '好' })
      },
    )

    claim(
      home,
      'nothing, white space, or reasoning only is warned that nothing was called',
      {
        config: { llm: { protocol: 'xml' }, ends_by_reply: 'always' },
        script: [{ content: '' }, { content: ' \n ' }, { content: '', reasoning: '嗯' }, words.finish('好')],
      },
      async (play, expect) => {
        await play.create()
        expect(await play.send(words.task)).toMatchObject({ status: 'completed', result: '好', ended_by: 'finish' })
        const { messages } = await play.session()
        const warnings = messages.filter(({ kind }) => kind === 'warning').map(({ content }) => content)
        expect(warnings.slice(0, 3)).toEqual(Array(3).fill('[警告]每次回复至少调用一个工具！'))
      },
    )
  })
}
