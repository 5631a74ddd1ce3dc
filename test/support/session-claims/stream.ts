import { describe } from 'vitest'
import { type Play, valueOf } from '../play.ts'
import { calls } from '../scripted-model.ts'
import { hear, hearUntil } from '../sse.ts'
import { APPROVED, WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'

const words = WORDS['zh-CN']
const xml = { llm: { protocol: 'xml' as const } }
const PIECES = ['我来', '想想', '。\n', words.finish('好')]
const WRITING = { content: null, chunks: PIECES }
const ANSWER = '# 好\n“引号”和 \\ 与 🌍'
/** A reply that gives its answer to `finish`, natively, in pieces of so many characters that escapes are parted. */
const ANSWERING = { content: '好了。', tool_calls: [{ name: 'finish', arguments: { reason: ANSWER }, chunks: 9 }] }
/** A reply in three pieces, of which two are heard. */
const CUT = { content: null, chunks: ['一。', '二。', '三。'] }
const native = { llm: { protocol: 'native' as const } }

/** The events of a run as they are told. */
export function streamClaims(home: GetHome): void {
  describe('an event stream', () => {
    claim(
      home,
      'begins with retry, has an id for every event, and ends with the run',
      { config: xml, script: [WRITING] },
      async (play, expect) => {
        await play.create()
        const stream = await streamOf(play, words.task)
        const text = await new Response(stream).text()
        expect(text).toMatch(/^retry: 1000\nid: 1\n/)
        const heard = await hear(new Response(text).body)
        expect(heard.at(-1)).toMatchObject({ event: 'run-end', data: { status: 'completed', result: '好' } })
        expect(heard.every(({ id, event, data }) => id !== undefined && event === data['type'])).toBe(true)
        const told = heard.filter(({ id }) => !id?.includes('.')).map(({ data }) => data)
        expect(told).toEqual(await play.events())
      },
    )

    claim(
      home,
      'tells text before it is written, whole, in order and under ids of its own',
      { config: xml, script: [{ ...WRITING, reasoning: '嗯，好的' }] },
      async (play, expect) => {
        await play.create()
        const heard = await hear(await streamOf(play, words.task))
        const deltas = heard.filter(({ event }) => event === 'message-delta')
        expect(deltas.map(({ data }) => data['delta']).join('')).toBe(PIECES.join(''))
        const thoughts = heard.filter(({ event }) => event === 'reasoning-delta')
        expect(thoughts.map(({ data }) => data['delta']).join('')).toBe('嗯，好的')
        const start = heard.find(({ event }) => event === 'model-start')
        const ids = [...thoughts, ...deltas].map(({ id }) => id)
        expect(ids).toEqual(ids.map((_, index) => `${start?.id}.${index + 1}`))
        const [, , reply] = await play.messages()
        expect(reply).toMatchObject({ content: PIECES.join(''), reasoning: '嗯，好的' })
        expect(new Set(deltas.map(({ data }) => data['message_id']))).toEqual(new Set([reply?.id]))
        const written = heard.findIndex(({ id }) => id === String(reply?.seq))
        expect(heard.findLastIndex(({ event }) => event === 'message-delta')).toBeLessThan(written)
      },
    )

    claim(
      home,
      'is taken up behind any id with nothing lost and nothing twice, deltas included',
      { config: xml, script: [WRITING] },
      async (play, expect) => {
        await play.create()
        const all = await hear(await streamOf(play, words.task))
        expect(all.filter(({ event }) => event === 'message-delta')).toHaveLength(PIECES.length)
        expect(all.filter(({ event }) => event === 'answer-delta')).toHaveLength(1)
        for (const [index, { id = '' }] of all.entries()) {
          const [seq, n] = id.split('.')
          const stream = await valueOf(play.api.observe({ seq: Number(seq), n: Number(n ?? 0) }))
          const rest = index === all.length - 1 ? [] : await hearUntil(stream, ({ event }) => event === 'run-end')
          if (index === all.length - 1) await stream.cancel()
          expect(rest.map((one) => one.id)).toEqual(all.slice(index + 1).map((one) => one.id))
        }
      },
    )

    answerClaims(home)
    cutClaims(home)

    claim(
      home,
      'ends with the pause of a run that waits, and the next one goes on from there',
      { config: xml, script: (page) => [words.visit(page('article')), words.finish('好')] },
      async (play, expect) => {
        await play.create()
        const first = await hear(await streamOf(play, words.task))
        expect(first.at(-1)).toMatchObject({
          event: 'run-pause',
          data: { status: 'interrupted', finish_reason: 'interrupted' },
        })
        const { id } = await play.pending()
        const decided = await valueOf(play.api.decide(id, { decision: 'approve' }, { form: 'stream' }))
        const second = await hear(decided.form === 'stream' ? decided.body : null)
        expect(second[0]).toMatchObject({ event: 'pending-end', data: { id, decision: 'approve' } })
        expect(Number(second[0]?.id)).toBe(Number(first.at(-1)?.id) + 1)
        expect(second.at(-1)).toMatchObject({ event: 'run-end', data: { result: '好' } })
      },
    )

    claim(
      home,
      'whose reader leaves stops nothing: the batch ends, and the run rests as any batch does',
      {
        config: { ...xml, ...APPROVED, limits: { max_iterations: 2 } },
        script: (page) => [words.visit(page('article')), words.rethink('…'), words.finish('好')],
      },
      async (play, expect) => {
        await play.create()
        await hear(await streamOf(play, words.task), 1)
        expect(await play.event('run-pause')).toMatchObject({ status: 'in_progress' })
        expect(await play.carryOn()).toMatchObject({ status: 'completed', result: '好' })
      },
    )
  })
}

/** The answer as it is written, as an argument of `finish`. */
function answerClaims(home: GetHome): void {
  claim(
    home,
    'tells the answer while the model gives it to finish natively, whole and before it is written',
    { config: native, script: [ANSWERING] },
    async (play, expect) => {
      await play.create()
      const heard = await hear(await streamOf(play, words.task))
      const told = heard.filter(({ event }) => event === 'answer-delta')
      expect(told.length).toBeGreaterThan(3)
      expect(told.map(({ data }) => data['delta']).join('')).toBe(ANSWER)
      expect(heard.at(-1)).toMatchObject({ event: 'run-end', data: { result: ANSWER } })
      const reply = (await play.messages()).find(({ role }) => role === 'assistant')
      const id = { message_id: reply?.id, call_id: reply?.tool_calls?.[0]?.id, scope: null, run_id: reply?.run_id }
      for (const { data } of told) expect(data).toMatchObject({ type: 'answer-delta', ...id })
      const written = heard.findIndex((one) => one.id === String(reply?.seq))
      expect(heard.findLastIndex(({ event }) => event === 'answer-delta')).toBeLessThan(written)
      const ids = heard.flatMap((one) => (one.id?.includes('.') ? [one.id] : []))
      expect(ids).toEqual(ids.map((_, index) => `${ids[0]?.split('.')[0]}.${index + 1}`))
    },
  )

  claim(
    home,
    'tells the answer while the model writes it in tags, without the tags',
    { config: xml, script: [{ content: `想好了。\n${words.finish(ANSWER)}`, chunks: 20 }] },
    async (play, expect) => {
      await play.create()
      const heard = await hear(await streamOf(play, words.task))
      const told = heard.filter(({ event }) => event === 'answer-delta')
      expect(told.length).toBeGreaterThan(3)
      expect(told.map(({ data }) => data['delta']).join('')).toBe(ANSWER)
    },
  )

  claim(
    home,
    'tells an answer that came in one piece once, and no word of other calls',
    {
      config: { ...native, ...APPROVED, llm: { ...native.llm, stream: false } },
      script: (page) => [
        { tool_calls: [{ name: 'web_access', arguments: { url: page('article') } }] },
        { tool_calls: [{ name: 'rethink', arguments: { reason: '再想' } }] },
        ANSWERING,
      ],
    },
    async (play, expect) => {
      await play.create()
      const heard = await hear(await streamOf(play, words.task))
      const told = heard.filter(({ event }) => event === 'answer-delta')
      expect(told.map(({ data }) => data['delta'])).toEqual([ANSWER])
    },
  )

  claim(
    home,
    'is taken up behind any piece of an answer',
    { config: native, script: [ANSWERING] },
    async (play, expect) => {
      await play.create()
      const all = await hear(await streamOf(play, words.task))
      for (const [index, { id = '' }] of all.slice(0, -1).entries()) {
        const [seq, n] = id.split('.')
        const stream = await valueOf(play.api.observe({ seq: Number(seq), n: Number(n ?? 0) }))
        const rest = await hearUntil(stream, ({ event }) => event === 'run-end')
        expect(rest.map((one) => one.id)).toEqual(all.slice(index + 1).map((one) => one.id))
      }
    },
  )

  claim(
    home,
    'tells an answer again, as another message, when the model was cut while it gave it',
    {
      config: { llm: { protocol: 'native', retry: { times: 1 } } },
      script: [{ ...ANSWERING, stream_cut_after: 8 }, ANSWERING],
    },
    async (play, expect) => {
      await play.create()
      const heard = await hear(await streamOf(play, words.task))
      const told = heard.filter(({ event }) => event === 'answer-delta').map(({ data }) => data)
      const [cut, whole] = [...new Set(told.map((data) => data['message_id']))]
      const textOf = (id: unknown) =>
        told.flatMap((data) => (data['message_id'] === id ? [data['delta']] : [])).join('')
      expect(textOf(whole)).toBe(ANSWER)
      expect(ANSWER.startsWith(textOf(cut)) && textOf(cut) !== '').toBe(true)
      expect(heard.find(({ event }) => event === 'error')?.data['code']).toMatch(/^model_/)
      const starts = heard.filter(({ event }) => event === 'model-start').map(({ data }) => data['attempt'])
      expect(starts).toEqual([1, 2])
      expect(heard.at(-1)).toMatchObject({ event: 'run-end', data: { status: 'completed', result: ANSWER } })
      expect((await play.session()).usage).toMatchObject({ iterations: 1, model_calls: 1 })
    },
  )
}

/** Calls of a model that break off. */
function cutClaims(home: GetHome): void {
  claim(
    home,
    'of two answers in one reply tells and gives the first',
    {
      config: native,
      script: [{ tool_calls: ['一', '二'].map((reason) => ({ name: 'finish', arguments: { reason } })) }],
    },
    async (play, expect) => {
      await play.create()
      const heard = await hear(await streamOf(play, words.task))
      const told = heard.flatMap(({ event, data }) => (event === 'answer-delta' ? [data['delta']] : []))
      expect(told.join('')).toBe('一')
      expect(heard.at(-1)).toMatchObject({ event: 'run-end', data: { result: '一' } })
    },
  )

  claim(
    home,
    'asks again for a choice that broke off, of which nobody heard',
    {
      config: { llm: { protocol: 'native', retry: { times: 1, delay_ms: 1 } } },
      script: [
        { content: '{"worker": "llm_tool"}', chunks: 6, stream_cut_after: 4 },
        '{"worker": "llm_tool"}',
        '就是这样',
      ],
    },
    async (play, expect) => {
      await play.create({ orchestrator: 'route' })
      expect(await play.send(words.task)).toMatchObject({ status: 'completed', result: '就是这样' })
      expect((await play.events()).some(({ type }) => type === 'error')).toBe(false)
    },
  )

  describe('a reply that is cut', () => {
    claim(
      home,
      'by a cancel is kept as its message, and the model is told so later',
      { config: native, script: [{ ...CUT, hold_after: 3 }, calls('finish', { reason: '好' })] },
      async (play, expect) => {
        await play.create()
        const stream = await streamOf(play, words.task)
        const reader = stream.getReader()
        await readUntil(reader, '二。')
        expect(await play.cancel()).toMatchObject({ status: 'cancelled', result: null })
        await reader.cancel()
        const kept = (await play.messages()).at(-1)
        expect(kept).toMatchObject({ role: 'assistant', kind: 'reply', content: '一。二。', cut: true })
        expect(await play.send('继续')).toMatchObject({ status: 'completed', result: '好' })
        const [, asked] = await play.asked(2)
        const said = asked?.body.messages.map(({ content }) => content) ?? []
        const at = said.indexOf('一。二。')
        expect(said[at + 1]).toContain('中断')
        expect(said.at(-1)).toBe('继续')
      },
    )

    claim(
      home,
      'by a cancel is kept where it writes its finish as text, though calls are native',
      {
        config: native,
        script: [{ chunks: ['<finish>\n<reason>一。', '二。', '三。</reason>', '</finish>'], hold_after: 3 }],
      },
      async (play, expect) => {
        await play.create()
        const reader = (await streamOf(play, words.task)).getReader()
        await readUntil(reader, '二。')
        await play.cancel()
        await reader.cancel()
        expect((await play.messages()).at(-1)).toMatchObject({ kind: 'reply', content: '一。二。', cut: true })
      },
    )

    claim(
      home,
      'by its service is kept too, until the call is made again',
      {
        config: { llm: { protocol: 'native', retry: { times: 0, delay_ms: 1 } } },
        script: [
          { ...CUT, stream_cut_after: 3 },
          calls('finish', { reason: '好' }),
          calls('finish', { reason: '再好' }),
        ],
      },
      async (play, expect) => {
        await play.create()
        expect(await play.send(words.task)).toMatchObject({ status: 'failed' })
        expect((await play.messages()).at(-1)).toMatchObject({ content: '一。二。', cut: true })
        expect(await play.carryOn()).toMatchObject({ status: 'completed', result: '好' })
        await play.send('还有呢？')
        const [, again, later] = await play.asked(3)
        for (const request of [again, later]) expect(JSON.stringify(request?.body.messages)).not.toContain('一。二。')
      },
    )

    claim(
      home,
      'and tried again in the run leaves no message of its own',
      {
        config: { llm: { protocol: 'native', retry: { times: 1, delay_ms: 1 } } },
        script: [{ ...CUT, stream_cut_after: 3 }, calls('finish', { reason: '好' })],
      },
      async (play, expect) => {
        await play.create()
        expect(await play.send(words.task)).toMatchObject({ status: 'completed', result: '好' })
        expect((await play.messages()).filter(({ cut }) => cut)).toEqual([])
      },
    )
  })

  describe('a reply that was told and is rejected', () => {
    claim(
      home,
      'says so in its message',
      { config: { ...xml, ends_by_reply: 'never' }, script: ['我想想。', words.finish('好')] },
      async (play, expect) => {
        await play.create()
        await play.send(words.task)
        const replies = (await play.messages()).filter(({ kind }) => kind === 'reply')
        expect(replies.map(({ rejected }) => rejected)).toEqual([true, undefined])
      },
    )
  })
}

async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, text: string): Promise<void> {
  const decoder = new TextDecoder()
  for (let heard = ''; !heard.includes(text);) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`the stream ended before ${text}`)
    heard += decoder.decode(value, { stream: true })
  }
}

async function streamOf(play: Play, content: string): Promise<ReadableStream<Uint8Array>> {
  const answer = await valueOf(play.api.addMessage({ content }, { form: 'stream' }))
  if (answer.form !== 'stream') throw new Error('a stream was expected')
  return answer.body
}
