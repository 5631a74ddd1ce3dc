import type { DoorWords } from '../../../http/openapi/document.ts'

const FUNCTION = {
  id: 'Id of the call; its result names it.',
  type: 'Always `function`.',
  function: 'What is called.',
  'function.name': 'Name of the tool, as the request gave it.',
  'function.arguments': 'The arguments as the JSON text of an object.',
} as const

const within = (place: string, fields: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(fields).map(([name, text]) => [`${place}.${name}`, text]))

const USAGE = {
  usage: 'Tokens of the model calls that this answer took.',
  'usage.prompt_tokens': 'Tokens of the prompts.',
  'usage.completion_tokens': 'Tokens of the replies.',
  'usage.total_tokens': 'Tokens of prompts and replies together.',
  'usage.prompt_tokens_details': 'More about the prompts.',
  'usage.prompt_tokens_details.cached_tokens': 'Tokens of prompts that the service had cached.',
  'usage.completion_tokens_details': 'More about the replies.',
  'usage.completion_tokens_details.reasoning_tokens': 'Tokens of thoughts.',
} as const

const HEAD = {
  id: 'Id of the answer: that of the run behind `chatcmpl-`.',
  created: 'When it was made, in Unix seconds.',
  model: 'The name that the request gave.',
  choices: 'The answer; there is one.',
  'choices.index': 'Place of the answer: 0.',
  'choices.logprobs': 'Log probabilities; there are none, so null.',
  'choices.finish_reason':
    '`stop`: it is whole, or waits for a human; `length`: a limit ended it; `tool_calls`: results of the caller are needed.',
} as const

/** What the OpenAPI document says of chat completions. */
export const CHAT_WORDS: DoorWords = {
  texts: {
    OpenAiError: [
      'Why there is no answer, as clients of OpenAI know it.',
      {
        error: 'What went wrong.',
        'error.message': 'What went wrong and what to do next.',
        'error.type': 'The kind of error, such as `invalid_request_error`.',
        'error.param': 'The place of the request that is wrong; null: none alone.',
        'error.code': 'Stable code of the error; `model_not_found`: there is no such name.',
      },
    ],
    CreateChatCompletionBody: [
      'What a client of OpenAI sends. Fields that are not named here are passed over.',
      {
        model:
          'Whom to ask, as GET /v1/models lists it: `yaa`, `yaa/plan`, `yaa/team/NAME`, a skill, or the alias of a model.',
        messages: 'The conversation. One that continues an answer of this server goes on in its session.',
        'messages.role': 'Who speaks; `system` and `developer` are instructions.',
        'messages.content': 'What is said: a text, or parts.',
        'messages.content.type': 'Kind of the part.',
        'messages.content.text': 'What the part says in words.',
        'messages.content.image_url': 'What picture it is.',
        'messages.content.image_url.url': 'Its http or https address, or a data: URL.',
        'messages.content.image_url.detail': 'How closely it is looked at.',
        'messages.content.file': 'What file it is.',
        'messages.content.file.file_data': 'Its bytes in base64, or a data: URL.',
        'messages.content.file.filename': 'What it is called.',
        'messages.content.refusal': 'Words by which a model refused.',
        'messages.tool_calls': 'Calls of tools that the caller runs.',
        ...within('messages.tool_calls', FUNCTION),
        'messages.tool_call_id': 'The call that this is the result of.',
        stream: 'Whether the answer comes as Server-Sent Events while it is written.',
        stream_options: 'How a stream is told.',
        'stream_options.include_usage': 'Whether a last chunk counts the tokens.',
        tools: 'Tools that the caller runs; they are offered beside those of the server.',
        'tools.type': 'Always `function`.',
        'tools.function': 'What the tool is and takes.',
        'tools.function.name': 'How the model calls it.',
        'tools.function.description': 'What it does, for the model.',
        'tools.function.parameters': 'JSON Schema of its arguments.',
        tool_choice: '`none`: none of these tools; `auto`: the agent decides. A call cannot be forced.',
        response_format: 'What the answer has to be: text, or JSON.',
        'response_format.type': '`text`, `json_object`, or `json_schema`.',
        'response_format.json_schema': 'What the JSON has to fit.',
        'response_format.json_schema.name': 'What the schema is called.',
        'response_format.json_schema.schema': 'JSON Schema of the answer.',
        temperature: 'How free the model is, from 0 to 2.',
        max_tokens: 'Tokens that one reply of the model may have.',
        max_completion_tokens: 'The same under its newer name, which goes before.',
        reasoning_effort: 'How long the model thinks; for models whose config says one.',
        stop: 'Texts before which the answer ends.',
        n: 'Answers; there is one.',
        logprobs: 'Log probabilities; there are none.',
        top_logprobs: 'Log probabilities; there are none.',
        modalities: 'Kinds of answers; there are texts.',
        user: 'In whose name it is asked; histories of one user are not those of another.',
        metadata: 'Kept with the session; `session_id` names the session that goes on.',
      },
    ],
    CreateChatCompletionAnswer: [
      'The answer of a run.',
      {
        ...HEAD,
        'choices.message': 'What is answered.',
        'choices.message.role': 'Always `assistant`.',
        'choices.message.content': 'The answer, or what waits for a human; null: there are calls alone.',
        'choices.message.refusal': 'Words by which a model refused; null: they are in the content.',
        'choices.message.tool_calls': 'Calls that the caller is to make.',
        ...within('choices.message.tool_calls', FUNCTION),
        ...USAGE,
      },
    ],
    CreateChatCompletionChunk: [
      'A piece of an answer. All of one answer have the same `id` and `created`.',
      {
        ...HEAD,
        'choices.delta': 'What is new since the chunk before.',
        'choices.delta.role': 'Always `assistant`; in the first chunk.',
        'choices.delta.content': 'The next words.',
        'choices.delta.reasoning_content': 'What is thought and done, with `x-yaa-progress: 1`.',
        'choices.delta.tool_calls': 'Calls that the caller is to make, each in pieces.',
        'choices.delta.tool_calls.index': 'Which call the piece is of.',
        ...within('choices.delta.tool_calls', FUNCTION),
        ...USAGE,
      },
    ],
  },
  examples: {
    CreateChatCompletionBody: {
      model: 'yaa',
      messages: [{ role: 'user', content: 'Read https://example.com and list its key points' }],
      stream: true,
      stream_options: { include_usage: true },
    },
    CreateChatCompletionAnswer: {
      id: 'chatcmpl-run_01kahz4m8f5rn8d4y1c7b3g6ph',
      object: 'chat.completion',
      created: 1_763_717_400,
      model: 'yaa',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'It is a page for examples in documents.', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 1200,
        completion_tokens: 180,
        total_tokens: 1380,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    },
  },
}
