import { describe } from 'vitest'
import { type Play, valueOf } from '../play.ts'
import { hear, hearUntil } from '../sse.ts'
import { APPROVED, WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'

const words = WORDS['zh-CN']
const xml = { llm: { protocol: 'xml' as const } }
const PIECES = ['我来', '想想', '。\n', words.finish('好')]
const WRITING = { content: null, chunks: PIECES }

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
        expect(text.startsWith('retry: 1000\n\n')).toBe(true)
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
        expect(all.filter(({ id }) => id?.includes('.'))).toHaveLength(PIECES.length)
        for (const [index, { id = '' }] of all.entries()) {
          const [seq, n] = id.split('.')
          const stream = await valueOf(play.api.observe({ seq: Number(seq), n: Number(n ?? 0) }))
          const rest = index === all.length - 1 ? [] : await hearUntil(stream, ({ event }) => event === 'run-end')
          if (index === all.length - 1) await stream.cancel()
          expect(rest.map((one) => one.id)).toEqual(all.slice(index + 1).map((one) => one.id))
        }
      },
    )

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

async function streamOf(play: Play, content: string): Promise<ReadableStream<Uint8Array>> {
  const answer = await valueOf(play.api.addMessage({ content }, { form: 'stream' }))
  if (answer.form !== 'stream') throw new Error('a stream was expected')
  return answer.body
}
