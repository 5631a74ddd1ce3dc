import { DurableObject } from 'cloudflare:workers'
import type {
  ContinueInput,
  DecisionInput,
  NewMessageInput,
  NewSession,
  SessionPatch,
} from '../domain/session-input.ts'
import type { Cursor } from '../session/deltas.ts'
import type { AnswerForm } from '../session/ports.ts'
import { Session, type MessagesPart } from '../session/session.ts'
import type { Env } from './env.ts'
import { sessionPorts } from './session-ports.ts'

/** One session. Everything is forwarded; nothing is decided here. */
export class SessionObject extends DurableObject<Env> {
  readonly #session = new Session(sessionPorts(this.ctx, this.env))

  create(id: string, tenant: string, input: NewSession, form: AnswerForm) {
    return this.#session.create(id, tenant, input, form)
  }

  addMessage(input: NewMessageInput, form: AnswerForm) {
    return this.#session.addMessage(input, form)
  }

  continue(input: ContinueInput, form: AnswerForm) {
    return this.#session.continue(input, form)
  }

  decide(pendingId: string, input: DecisionInput, form: AnswerForm) {
    return this.#session.decide(pendingId, input, form)
  }

  cancel() {
    return this.#session.cancel()
  }

  read(part: MessagesPart) {
    return this.#session.read(part)
  }

  patch(input: SessionPatch, ifMatch: string | null) {
    return this.#session.patch(input, ifMatch)
  }

  remove() {
    return this.#session.remove()
  }

  messages(after: number, limit: number) {
    return this.#session.messages(after, limit)
  }

  events(after: number, limit: number) {
    return this.#session.events(after, limit)
  }

  observe(from: Cursor) {
    return this.#session.observe(from)
  }

  result(callId: string) {
    return this.#session.result(callId)
  }

  override alarm() {
    return this.#session.wake()
  }
}
