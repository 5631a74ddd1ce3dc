import type { DoorWords } from '../../http/openapi/document.ts'

const BODY = {
  threadId: 'The thread: any text of yours. It is another thread to another key, user or agent.',
  runId: 'What you call this run; it is said again in the events.',
  parentRunId: 'Taken, without effect.',
  protocolVersion: 'Taken, without effect: answers say 1.0.',
  messages:
    'The conversation. In a thread that is known only what stands behind the last answer is read; any other begins one that holds it.',
  'messages.id': 'Your id of the message. The same message with the same id is not said twice.',
  'messages.role': 'Who speaks; `system` and `developer` are instructions.',
  'messages.content': 'What is said: a text, or parts.',
  'messages.content.type': '`text`, `image`, `audio`, `video` or `document`; other kinds are left out.',
  'messages.content.text': 'What the part says in words.',
  'messages.content.source': 'Where its bytes are.',
  'messages.content.source.type': '`data`: here; `url`: at an address; `file`: at another provider, which is left out.',
  'messages.content.source.value': 'The bytes in base64, or the address.',
  'messages.content.source.mimeType': 'What the bytes are, such as image/png.',
  'messages.content.metadata': '`filename`: what the file is called.',
  'messages.metadata': 'Taken, without effect.',
  'messages.toolCalls': 'Calls that were told before.',
  'messages.toolCalls.id': 'Id of the call.',
  'messages.toolCalls.function': 'What was called.',
  'messages.toolCalls.function.name': 'Name of the tool.',
  'messages.toolCalls.function.arguments': 'The arguments as the JSON text of an object.',
  'messages.toolCallId': 'The call that this is the result of.',
  'messages.error': 'Why the tool failed.',
  tools: 'Tools that the caller runs; they are offered beside those of the server.',
  'tools.name': 'How the model calls it.',
  'tools.description': 'What it does, for the model.',
  'tools.parameters': 'JSON Schema of its arguments.',
  context: 'What the application tells of itself: it is with the instructions.',
  'context.description': 'What the value is.',
  'context.value': 'The value as text.',
  state:
    'The state as the client has it. The server puts `plan` and `team` into it; everything else comes back as it was.',
  forwardedProps:
    '`user`, `metadata` and `output_schema` mean what they mean at POST /v1/sessions; else without effect.',
  resume: 'Answers to what waits, all at once. A message without them to a thread that waits is turned away.',
  'resume.interruptId': 'Id of the interrupt.',
  'resume.status': '`resolved`: the payload answers; `cancelled`: it is refused.',
  'resume.payload': '`{approved, editedArgs, feedback}` for an approval, `{answer}` or a text for a question.',
} as const

const EVENT: DoorWords['texts'][string] = [
  'An event of AG-UI.',
  { type: 'Which event it is; it says which members there are, as the specification of AG-UI 1.0 has them.' },
]

const EXAMPLE = {
  threadId: 'thread-1',
  runId: 'run-1',
  messages: [{ id: 'message-1', role: 'user', content: 'Read https://example.com and list its key points' }],
  tools: [],
  context: [],
  state: {},
}

/** What the OpenAPI document says of AG-UI. */
export const AG_UI_WORDS: DoorWords = {
  texts: {
    AgUiError: [
      'Why there is no run, in the words of the event that ends one which failed.',
      {
        type: 'Always `RUN_ERROR`.',
        message: 'What went wrong and what to do next.',
        code: 'Stable code of the error.',
        metadata: '`yaa.errors`: the places of the request that are wrong.',
      },
    ],
    RunAgUiBody: ['What a client of AG-UI sends. Members that are not named here are passed over.', BODY],
    RunAgUiChunk: EVENT,
    CancelThreadBody: [
      'The thread whose run is stopped.',
      { threadId: 'The thread, as its runs name it.', user: 'In whose name they ask; not given: in nobody’s.' },
    ],
    CancelThreadAnswer: [
      'How the thread stands now.',
      { threadId: 'The thread that was asked for.', status: 'Status of its session, such as `cancelled`.' },
    ],
  },
  examples: {
    RunAgUiBody: EXAMPLE,
    CancelThreadBody: { threadId: 'thread-1' },
    CancelThreadAnswer: { threadId: 'thread-1', status: 'cancelled' },
  },
}
