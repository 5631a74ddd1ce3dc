import { createParser, type EventSourceParser } from 'eventsource-parser'
import type { ModelOutcome } from '../../domain/model.ts'
import { LIMITS } from '../../domain/limits.ts'
import { parseRetryAfter } from '../../lib/wait.ts'
import { AnswerReader, type NewId, parseJson } from './answer-reader.ts'
import { newId as newCallId } from '../../lib/id.ts'
import { readBody, readStart } from '../body.ts'
import { failureOf, refusalFailure } from '../failure.ts'
import type { ProviderCall } from '../provider.ts'
import { messageOf } from './wire-shapes.ts'

/** Read an answer by its content type, whatever was asked for. `now`: Unix ms. Rejects only when the signal aborts. */
export async function readAnswer(response: Response, call: ProviderCall, now: number): Promise<ModelOutcome> {
  const { status } = response
  const isAnswer = response.ok || status === 0 || (status >= 300 && status < 400)
  if (!isAnswer) return refused(response, call, now)
  if (!response.ok) return redirected(response)
  const type = response.headers.get('content-type') ?? ''
  const newId = () => newCallId('call', now)
  return /event-stream/i.test(type) ? readEvents(response, call, newId) : readJson(response, call, newId)
}

function redirected(response: Response): ModelOutcome {
  void response.body?.cancel().catch(() => undefined)
  const detail = 'The model service answered with a redirect, which is not followed.'
  return { ok: false, failure: failureOf('model_rejected', detail, { status: response.status || null }) }
}

async function refused(response: Response, call: ProviderCall, now: number): Promise<ModelOutcome> {
  const { text } = await readStart(response.body, call.signal, LIMITS.model.errorBodyCharsMax)
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), now)
  const refusal = { status: response.status, text, message: messageOf(parseJson(text)), retryAfterMs }
  return { ok: false, failure: refusalFailure(refusal, call) }
}

/** A body that is read whole before anybody hears of it. */
async function readJson(response: Response, call: ProviderCall, newId: NewId): Promise<ModelOutcome> {
  const { text, whole } = await readStart(response.body, call.signal, LIMITS.model.replyCharsMax)
  const heard: (() => void)[] = []
  const { observer } = call
  const reader = new AnswerReader(response.status, call, newId, {
    onDelta: (kind, delta) => heard.push(() => observer.onDelta(kind, delta)) > 0,
    onArguments: (piece) => heard.push(() => observer.onArguments(piece)) > 0,
  })
  const outcome = outcomeOfText(reader, text, whole)
  if (outcome.ok) for (const notify of heard) notify()
  return outcome
}

function outcomeOfText(reader: AnswerReader, text: string, whole: boolean): ModelOutcome {
  if (text.length === LIMITS.model.replyCharsMax && !whole) return reader.tooLong()
  if (/^\s*(data|event|id|retry)?:/.test(text)) {
    eventParser(reader).feed(`${text}\n\n`)
    return reader.end()
  }
  reader.json(text)
  return reader.whole()
}

async function readEvents(response: Response, call: ProviderCall, newId: NewId): Promise<ModelOutcome> {
  const reader = new AnswerReader(response.status, call, newId, call.observer)
  const parser = eventParser(reader)
  let start = ''
  try {
    await readBody(response.body, call.signal, (text) => {
      if (start.length < LIMITS.model.errorBodyCharsMax) start += text
      parser.feed(text)
      return reader.next
    })
    if (reader.next === 'more' && !reader.finished) parser.feed('\n\n')
  } catch {
    if (!reader.finished) call.signal.throwIfAborted()
  }
  if (!reader.heard) reader.json(start)
  return reader.end()
}

function eventParser(reader: AnswerReader): EventSourceParser {
  return createParser({
    maxBufferSize: LIMITS.model.replyCharsMax,
    onEvent: ({ data }) => reader.event(data),
    onError: ({ type }) => void (type === 'max-buffer-size-exceeded' && reader.tooLong()),
  })
}
