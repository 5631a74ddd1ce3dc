import { type Content, contentText } from '../../../domain/content.ts'
import { isDelta, type SessionEvent } from '../../../domain/event.ts'
import { fileAddress } from '../../../domain/file.ts'
import type { StreamProjection } from '../../../session/queries/projection.ts'
import { itemId, tokenOf, waitingId } from './ids.ts'
import type { ResponseView } from './project.ts'
import type { Echo } from './response.ts'
import type { GivenItem, GivenPart } from './shapes.ts'

/** The seq at which a response rested, or stands; and in whose name it may have been asked for, null: in nobody's. */
export interface ResponseEnd {
  seq: number
  users: (string | null)[]
}

export const responseEnd: StreamProjection = ({ head }) => {
  const rest: ResponseEnd = { seq: 0, users: [null, head().user] }
  return {
    of: ({ event }) => {
      rest.seq = event.seq
      const echo = 'door' in event ? (event.door?.['responses'] as Echo | undefined) : undefined
      if (echo) rest.users.push(echo.user ?? echo.safety_identifier ?? null)
      return []
    },
    beat: '',
    end: () => JSON.stringify(rest),
  }
}

/** Whether a response still waits for what it asked for. */
export const responseWaits: StreamProjection = ({ head }) => {
  const asked = new Set<string>()
  return {
    of: ({ event }) => {
      if (event.type === 'pending') asked.add(event.pending.id)
      return []
    },
    beat: '',
    end: () => JSON.stringify(head().pending.some(({ id }) => asked.has(id))),
  }
}

/** What a response was asked with, as the log has it. */
export const responseInputs: StreamProjection = ({ sessionId, runId, options }) => {
  const { owner } = options as Pick<ResponseView, 'owner'>
  const items: GivenItem[] = []
  let token: string | null = null
  return {
    of: ({ event }) => {
      if (isDelta(event)) return []
      token ??= tokenOf(owner, { run: runId ?? '', seq: event.seq })
      const item = itemOf(event)
      if (item) items.push({ ...item, id: itemId(item.type === 'message' ? 'msg' : 'in', `${token}.in`, items.length) })
      return []
    },
    beat: '',
    end: () => JSON.stringify(items),
  }

  function itemOf(event: SessionEvent): GivenItem | null {
    if (event.type === 'message' && event.message.role === 'user' && event.scope === null) {
      const content = partsOf(event.message.content, sessionId)
      return { id: '', type: 'message', role: 'user', status: 'completed', content }
    }
    if (event.type !== 'pending-end') return null
    const { id, decision, result, error, feedback } = event
    if (result !== undefined || error !== undefined) {
      const output = error ?? (typeof result === 'string' ? result : JSON.stringify(result))
      return {
        id: '',
        type: 'function_call_output',
        call_id: waitingId('call', owner, id),
        output,
        status: 'completed',
      }
    }
    if (decision !== 'approve' && decision !== 'reject') return null
    const request = waitingId('mcpr', owner, id)
    const approve = decision === 'approve'
    return { id: '', type: 'mcp_approval_response', approval_request_id: request, approve, reason: feedback ?? null }
  }
}

/** Bytes are in the workspace: an image or a file is told by its address on this server, which the same key may read. */
function partsOf(content: Content, session: string): GivenPart[] {
  if (typeof content === 'string') return [{ type: 'input_text', text: content }]
  return content.map((part): GivenPart => {
    if (part.type !== 'image' && part.type !== 'file') return { type: 'input_text', text: contentText([part], null) }
    const { type, path, name } = part
    const address = fileAddress(session, path)
    if (type === 'image') return { type: 'input_image', detail: 'auto', image_url: address }
    return { type: 'input_file', file_url: address, filename: name ?? path }
  })
}
