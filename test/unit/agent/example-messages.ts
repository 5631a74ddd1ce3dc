import type { Message, MessageKind, Role } from '../../../src/domain/message.ts'

let seq = 0

/** A stored message with what a test does not care about filled in. */
export function message(role: Role, kind: MessageKind, content: string, more: Partial<Message> = {}): Message {
  seq++
  return {
    id: `msg_${seq}`,
    seq,
    run_id: 'run_1',
    role,
    kind,
    content,
    created_time: '2025-03-29T05:35:04Z',
    scope: null,
    ...more,
  }
}
