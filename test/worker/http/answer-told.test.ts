import { describe, expect, test } from 'vitest'
import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import { hear } from '../../support/sse.ts'
import { call, newSession, type Stage, stage } from './http.ts'

type Told = Record<string, unknown>

const NUMBER = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
const finish = (reason: string): StepInput => ({
  tool_calls: [{ name: 'finish', arguments: JSON.stringify({ reason }), chunks: 6 }],
})

/** What is told of a task, in the words of one way to follow it: the same for all. */
interface Heard {
  answer: string
  text: string
  rejected: string[]
  end: Told
}

const native = ({ config }: Stage) => ({ ...config, llm: { ...config.llm, protocol: 'native' } })

function ofEvents(events: readonly Told[]): Heard {
  const deltas = (type: string) => events.filter((event) => event['type'] === type).map((event) => event['delta'])
  const messages = events.flatMap((event) => (event['type'] === 'message' ? [event['message'] as Told] : []))
  return {
    answer: deltas('answer-delta').join(''),
    text: deltas('message-delta').join(''),
    rejected: messages.filter((message) => message['rejected']).map(({ id }) => String(id)),
    end: events.findLast((event) => event['type'] === 'run-end') ?? {},
  }
}

const WAYS: Record<string, (playing: Stage, body: object) => Promise<Heard>> = {
  'server-sent events': async (playing, body) => {
    const { id } = await newSession(playing, { config: native(playing) })
    const headers = { accept: 'text/event-stream' }
    const answer = await call('POST', `/v1/sessions/${id}/messages`, { body: { content: '?', ...body }, headers })
    return ofEvents((await hear(answer.body)).map(({ data }) => data))
  },
  'a WebSocket': async (playing, body) => {
    const { id } = await newSession(playing, { config: native(playing) })
    const { webSocket: socket } = await call('GET', `/v1/sessions/${id}/ws`, { headers: { upgrade: 'websocket' } })
    if (!socket) throw new Error('a socket was expected')
    const frames: Told[] = []
    const ended = new Promise<void>((done) =>
      socket.addEventListener('message', ({ data }: MessageEvent) => {
        const frame = JSON.parse(String(data)) as Told
        frames.push(frame)
        if (frame['type'] === 'run-end') done()
      }),
    )
    socket.accept()
    socket.send(JSON.stringify({ type: 'message', content: '?', ...body }))
    await ended
    socket.close(1000, 'enough')
    return ofEvents(frames)
  },
  'the stream of a session that its caller keeps': async (playing, body) => {
    const headers = { accept: 'text/event-stream' }
    const kept = { messages: [{ role: 'user', content: '?' }], config: native(playing), ...body }
    const chunks = (await hear((await call('POST', '/v1/agent', { body: kept, headers })).body)).map(({ data }) => data)
    const joined = (name: string) =>
      chunks.flatMap((chunk) => (typeof chunk[name] === 'string' ? [chunk[name]] : [])).join('')
    const messages = chunks.flatMap((chunk) => (chunk['message'] ? [chunk['message'] as Told] : []))
    return {
      answer: joined('answer_delta'),
      text: joined('delta'),
      rejected: messages.filter((message) => message['rejected']).map(({ id }) => String(id)),
      end: chunks.at(-1) ?? {},
    }
  },
}

describe.each(Object.entries(WAYS))('an answer, told by %s,', (_name, told) => {
  test('is told as it is written where finish is given it, and as the end', async () => {
    const heard = await told(await stage([finish('Paris, of course')]), {})
    expect(heard).toMatchObject({ answer: 'Paris, of course', rejected: [] })
    expect(heard.end).toMatchObject({ status: 'completed', result: 'Paris, of course', ended_by: 'finish' })
  })

  test('may be a reply that calls nothing', async () => {
    const heard = await told(await stage(['Paris, of course']), {})
    expect(heard).toMatchObject({ answer: '', text: 'Paris, of course', rejected: [] })
    expect(heard.end).toMatchObject({ status: 'completed', result: 'Paris, of course', ended_by: 'reply' })
  })

  test('is not what was rejected, though it was told: its message says so', async () => {
    const steps = [finish('four'), 'it is four', finish('{"n":4}')]
    const heard = await told(await stage(steps), { output_schema: NUMBER })
    expect(heard).toMatchObject({ answer: 'four{"n":4}', text: 'it is four' })
    expect(heard.rejected).toHaveLength(2)
    expect(heard.end).toMatchObject({ status: 'completed', result: '{"n":4}', ended_by: 'finish' })
  })
})
