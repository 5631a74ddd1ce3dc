import type { DoorWords } from '../../http/openapi/document.ts'

const MESSAGE = {
  jsonrpc: 'Version of JSON-RPC: always `2.0`.',
  id: 'Id of the request, or of the request that is answered; absent: a notification.',
  method: 'What is asked, such as `tools/call`.',
  params: 'What it is asked with.',
  result: 'What a request is answered.',
  error: 'Why a request is not answered.',
} as const

/** What the OpenAPI document says of the door for MCP clients. */
export const MCP_WORDS: DoorWords = {
  texts: {
    McpError: [
      'Why a message was refused, as JSON-RPC says it.',
      {
        jsonrpc: 'Version of JSON-RPC: always `2.0`.',
        id: 'Id of the request; null: it is not known.',
        error: 'What went wrong.',
        'error.code': 'Code of JSON-RPC; `-32000`: refused by this server, for the reason in `data`.',
        'error.message': 'What went wrong and what to do next.',
        'error.data': 'The same for programs.',
        'error.data.code': 'Stable code of the error.',
        'error.data.status': 'Its HTTP status.',
        'error.data.request_id': 'Id of the HTTP request.',
      },
    ],
    PostMcpMessageBody: [
      'A message of JSON-RPC: a request, a notification, or the answer to a request of the server.',
      MESSAGE,
    ],
  },
  examples: {
    PostMcpMessageBody: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'run_task', arguments: { task: 'Read https://example.com and list its key points' } },
    },
  },
}
