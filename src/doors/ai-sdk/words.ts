import type { DoorWords } from '../../http/openapi/document.ts'

const PART = {
  type: 'Kind of the part, such as `text`, `file` or `tool-NAME`.',
  text: 'What the part says in words.',
  url: 'Where a file is: an http(s) address, or a data: URL.',
  mediaType: 'Media type of a file.',
  filename: 'Name of a file.',
  data: 'What a data part holds.',
  toolCallId: 'Id of the call that a tool part is.',
  toolName: 'Name of the tool, of a dynamic one.',
  state: 'How far a call is; `output-available`, `output-error` and `approval-responded` answer.',
  providerExecuted: 'Whether the server makes the call.',
  input: 'Arguments of the call.',
  output: 'What the tool of the caller gave.',
  errorText: 'Why the tool of the caller failed.',
  approval: 'The approval of the call.',
  'approval.id': 'Id of what waits.',
  'approval.approved': 'Whether the call may be made.',
  'approval.reason': 'Why it may not.',
} as const

const within = (place: string, fields: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(fields).map(([name, text]) => [`${place}.${name}`, text]))

const MESSAGE = {
  id: 'Id of the message.',
  role: 'Who speaks; `system` are instructions.',
  parts: 'What is said, part by part.',
  ...within('parts', PART),
} as const

/** What the OpenAPI document says of the AI SDK. */
export const AI_SDK_WORDS: DoorWords = {
  texts: {
    AiSdkError: [
      'Why there is no stream; a hook has it as the message of its error.',
      {
        error: 'What went wrong and what to do next.',
        code: 'Stable code of the error.',
        path: 'The place of the request that is wrong.',
        request_id: 'Id of the request.',
      },
    ],
    SendUiMessageBody: [
      'What `useChat` sends. Fields that are not named here are passed over.',
      {
        id: 'Id of the chat.',
        messages: 'The conversation. Of a chat that is known the last message counts.',
        ...within('messages', MESSAGE),
        message: 'The last message alone, in the place of all.',
        ...within('message', MESSAGE),
        trigger: '`regenerate-message`: the last message is answered anew.',
        messageId: 'The message that is answered anew, or changed.',
        model:
          'Whom to ask, as GET /v1/models lists it: `yaa`, `yaa/plan`, `yaa/team/NAME`, a skill, or the alias of a model. Default: `yaa`.',
        tools: 'Tools that the caller runs, by their names; they are offered beside those of the server.',
        'tools.description': 'What it does, for the model.',
        'tools.inputSchema': 'JSON Schema of its arguments.',
        editedInputs: 'Arguments to call with in the place of those that were approved, by the id of the approval.',
        user: 'In whose name it is asked; ids of one user are not those of another.',
        metadata:
          'Kept with a new session; `session_id` names the session that goes on, where there is no id of a chat.',
      },
    ],
    SendUiMessageChunk: [
      'A chunk of a UI message stream, with what its type has beside this field.',
      { type: 'As the AI SDK names it: `start`, `text-delta`, `tool-input-available`, `finish` and so on.' },
    ],
    GetUiChatAnswer: [
      'A chat as a page begins with it.',
      {
        id: 'Id of the chat.',
        messages: 'Its messages, as `useChat` keeps them.',
        'messages.id': 'Id of the message, as its client was told it, or told it.',
        'messages.role': '`user`, or `assistant`: the agent.',
        'messages.metadata': 'Of the agent: session, run, status and usage.',
        'messages.parts': 'What was said and done, part by part.',
        'messages.parts.type': 'Kind of the part, with what that has beside it.',
      },
    ],
    StopUiChatAnswer: [
      'What was stopped.',
      {
        stopped: 'Whether a run was going on, or waited.',
        session_id: 'The session in which the chat goes on.',
        run_id: 'Its newest run; null: there was none.',
      },
    ],
  },
  examples: {
    SendUiMessageBody: {
      id: 'chat-1',
      messages: [
        {
          id: 'message-1',
          role: 'user',
          parts: [{ type: 'text', text: 'Read https://example.com and list its key points' }],
        },
      ],
      trigger: 'submit-message',
    },
  },
}
