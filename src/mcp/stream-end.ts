import { ProtocolError, type StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'

/** Marks what answers a request whose stream ended; known by itself, so that no server can write it. */
const ENDED = {}
const INTERNAL_ERROR = -32_603
/** Nobody is shown it: the failure is told as a server that cannot be reached. */
const UNSEEN = 'the stream ended without an answer'

/** Have a request end with the stream that its answer was to come in, once nothing opens that anew. By the SDK alone it would wait for
 *  all of its time when a server dies over it. */
export function endWithStream(transport: StreamableHTTPClientTransport): void {
  const sent: Transport['send'] = transport.send.bind(transport)
  const send: Transport['send'] = (message, options) => {
    if (!('method' in message && 'id' in message)) return sent(message, options)
    const error = { code: INTERNAL_ERROR, message: UNSEEN, data: ENDED }
    // An answer that came first has ended the request; then nobody waits for this one.
    const onRequestStreamEnd = () => transport.onmessage?.({ jsonrpc: '2.0', id: message.id, error })
    return sent(message, { onRequestStreamEnd, ...options })
  }
  Object.assign(transport, { send })
}

/** Whether a request ended with its stream. */
export function isStreamEnd(error: unknown): boolean {
  return ProtocolError.isInstance(error) && error.data === ENDED
}
