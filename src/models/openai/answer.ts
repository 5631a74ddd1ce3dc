import { createParser, type EventSourceParser } from 'eventsource-parser'
import type { ModelCall, ModelOutcome } from '../../domain/model.ts'
import { LIMITS } from '../../domain/limits.ts'
import { parseRetryAfter } from '../../lib/wait.ts'
import { type AnswerContext, AnswerReader, parseJson } from './answer-reader.ts'
import { readBody, readStart } from '../body.ts'
import { failureOf, refusalFailure } from '../failure.ts'
import type { ReplyListener } from '../reply-assembly.ts'
import { messageOf } from './wire-shapes.ts'

/** Read an answer by its content type, whatever was asked for. Rejects only when the signal aborts. */
export async function readAnswer(response: Response, context: AnswerContext): Promise<ModelOutcome> {
  const { status } = response
  if (status === 0 || (status >= 300 && status < 400)) return redirected(response)
  if (!response.ok) return refused(response, context)
  const type = response.headers.get('content-type') ?? ''
  return /event-stream/i.test(type) ? readEvents(response, context) : readJson(response, context)
}

function redirected(response: Response): ModelOutcome {
  void response.body?.cancel().catch(() => undefined)
  const detail = 'The model service answered with a redirect, which is not followed.'
  return { ok: false, failure: failureOf('model_rejected', detail, { status: response.status || null }) }
}

async function refused(response: Response, { signal, asked, now }: AnswerContext): Promise<ModelOutcome> {
  const { text } = await readStart(response.body, signal, LIMITS.model.errorBodyCharsMax)
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), now)
  const refusal = { status: response.status, text, message: messageOf(parseJson(text)), retryAfterMs }
  return { ok: false, failure: refusalFailure(refusal, asked) }
}

/** A body that is read whole before anything of it is told. */
async function readJson(response: Response, context: AnswerContext): Promise<ModelOutcome> {
  const { text, whole } = await readStart(response.body, context.signal, LIMITS.model.replyCharsMax)
  const heard: (() => void)[] = []
  const listener = listenerOf(context.call)
  const reader = new AnswerReader(response.status, context, {
    onDelta: (kind, delta) => heard.push(() => listener.onDelta(kind, delta)),
    onArguments: (piece) => heard.push(() => listener.onArguments(piece)),
  })
  const outcome = outcomeOfText(reader, text, whole)
  if (outcome.ok) for (const tell of heard) tell()
  return outcome
}

function listenerOf(call: ModelCall): ReplyListener {
  return {
    onDelta: (kind, text) => call.onDelta(kind, text),
    onArguments: (piece) => void call.onArguments?.(piece),
  }
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

async function readEvents(response: Response, context: AnswerContext): Promise<ModelOutcome> {
  const reader = new AnswerReader(response.status, context, listenerOf(context.call))
  const parser = eventParser(reader)
  let start = ''
  try {
    await readBody(response.body, context.signal, (text) => {
      if (start.length < LIMITS.model.errorBodyCharsMax) start += text
      parser.feed(text)
      return reader.next
    })
    if (reader.next === 'more' && !reader.finished) parser.feed('\n\n')
  } catch {
    if (!reader.finished || context.call.signal.aborted) context.signal.throwIfAborted()
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
