import type { Asked } from './request.ts'

/** A task that is given to a session that is there, through a door or by our own API. */
export interface SentTask extends Asked {
  path: string
}

/** `streamed`: it is told as it happens, where the protocol leaves that open. */
export type TaskSender = (session: string, task: string, streamed: boolean) => SentTask

const EVENTS = 'text/event-stream'
const JSON_BODY = 'application/json'

let count = 0

export const OWN: TaskSender = (session, content, streamed) => ({
  path: `/v1/sessions/${session}/messages`,
  body: { content },
  accept: streamed ? EVENTS : JSON_BODY,
})

/** How each door is given one. No two requests are the same, where that would join the run of the first. */
export const DOORS = {
  chat: (session, content, stream) => ({
    path: '/v1/chat/completions',
    body: { model: 'yaa', messages: [{ role: 'user', content }], stream },
    headers: { 'x-yaa-session': session },
  }),
  responses: (session, input, stream) => ({
    path: '/v1/responses',
    body: { model: 'yaa', input, stream },
    headers: { 'x-yaa-session': session },
  }),
  aiSdk: (session, text) => ({
    path: '/v1/ai-sdk/chat',
    body: { messages: [{ id: String(++count), role: 'user', parts: [{ type: 'text', text }] }] },
    headers: { 'x-yaa-session': session },
  }),
  agUi: (session, content) => {
    const messages = [{ id: String(++count), role: 'user', content }]
    return {
      path: '/v1/ag-ui',
      body: { threadId: 'bench', runId: 'run', messages, tools: [], context: [], state: {} },
      headers: { 'x-yaa-session': session },
    }
  },
  /** A call of the stateless revision. */
  mcp: (session, task) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const params = { name: 'run_task', arguments: { task, session }, _meta }
    return {
      path: '/mcp',
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'run_task' },
      accept: `${JSON_BODY}, ${EVENTS}`,
    }
  },
  a2a: (session, text, streamed) => {
    const message = { messageId: String(++count), role: 'ROLE_USER', parts: [{ text }], contextId: session }
    const method = streamed ? 'SendStreamingMessage' : 'SendMessage'
    return {
      path: '/a2a',
      body: { jsonrpc: '2.0', id: 1, method, params: { message } },
      headers: { 'a2a-version': '1.0' },
    }
  },
} as const satisfies Record<string, TaskSender>
