import type { DoorWords } from '../../http/openapi/document.ts'

type Words = Readonly<Record<string, string>>

const within = (place: string, fields: Words): Words =>
  Object.fromEntries(Object.entries(fields).map(([name, text]) => [`${place}.${name}`, text]))

const PART = {
  text: 'Words of the part.',
  raw: 'Bytes of a file in base64.',
  url: 'Address of a file; ours want the key.',
  data: 'Any JSON value.',
  mediaType: 'Media type of the part.',
  filename: 'What the file is called.',
  metadata: 'What the sender says beside the part.',
}

const { metadata: _metadata, ...GIVEN_PART } = PART

const MESSAGE = {
  messageId: 'Id of the message, made by whoever said it.',
  contextId: 'The context that it belongs to: a session.',
  taskId: 'The task that it belongs to: a run.',
  role: 'Who speaks: `ROLE_USER` or `ROLE_AGENT`.',
  parts: 'What is said, in parts.',
  ...within('parts', PART),
  metadata: 'What is said beside the parts.',
}

const STATUS = {
  state: 'How far the task is.',
  message: 'What the agent says of it: what waits, or why it failed.',
  ...within('message', MESSAGE),
  timestamp: 'Since when it is so.',
}

const ARTIFACT = {
  artifactId: '`answer`, or `file:` and the path of a file.',
  name: 'What the artifact is called.',
  parts: 'The answer, or the file.',
  ...within('parts', PART),
  metadata: 'What is said beside the parts.',
}

const TASK = {
  id: 'Id of the task, which holds its session and run.',
  contextId: 'The id that the client gave to its context, else that of the session.',
  status: 'How the task stands.',
  ...within('status', STATUS),
  artifacts: 'What the task gave: the answer, and files.',
  ...within('artifacts', ARTIFACT),
  history: 'What was said, the oldest first.',
  ...within('history', MESSAGE),
  metadata: '`yaa/session`, `yaa/run`, `yaa/usage` when it rests, and `yaa/plan` where there is one.',
}

const FRAME = {
  task: 'The task as it stands: the first frame.',
  statusUpdate: 'How far the task is now, or what it says on the way.',
  ...within('statusUpdate', {
    taskId: 'Id of the task.',
    contextId: 'Id of its context.',
    status: 'How the task stands.',
    ...within('status', STATUS),
    metadata:
      '`yaa/tool`: a tool is called; `yaa/plan`: the plan as it stands; `yaa/usage`: what the run has spent as it rests.',
  }),
  artifactUpdate: 'A piece of the answer, or a file.',
  ...within('artifactUpdate', {
    taskId: 'Id of the task.',
    contextId: 'Id of its context.',
    artifact: 'The artifact, with its new parts.',
    ...within('artifact', ARTIFACT),
    append: 'True: the parts are added to what was told; false: they take its place.',
    lastChunk: 'True: the artifact is whole.',
    metadata: 'What is said beside the artifact.',
  }),
}

const CONFIG = {
  tenant: 'The tenant of the key, or nothing.',
  id: 'Id of the config; absent: one is made.',
  taskId: 'Id of the task.',
  url: 'Who is told: an http or https address, which has to pass the guard.',
  token: 'Sent along in the header `X-A2A-Notification-Token`.',
  authentication: 'How we show who we are.',
  'authentication.scheme':
    'Scheme of the header `Authorization`, such as `Bearer`; `whsec`: the credentials are a secret that signs and is not sent.',
  'authentication.credentials': 'What stands behind the scheme; it is never told again.',
}

const SEND = {
  tenant: 'The tenant of the key, or nothing.',
  message: 'What the user says.',
  ...within('message', {
    messageId: MESSAGE.messageId,
    ...within('parts', GIVEN_PART),
    contextId: 'Any id of yours, or one that you were given; absent: a context is begun.',
    taskId: 'The task that waits, or works; absent: a new one, or that of the context which waits or works.',
    role: 'Always `ROLE_USER`.',
    parts:
      'What is said. Data with `pending_id` and `decision`, `result` or `error` is the word on what waits; so is the text `approve ID`.',
    metadata:
      '`model` or `skill`: whom to ask, as the card names them; `user`, `session_id`, `client_tools`, `output_schema`.',
  }),
  configuration: 'How it is to be answered.',
  'configuration.acceptedOutputModes': 'Media types that the client takes; JSON without text asks for JSON.',
  'configuration.taskPushNotificationConfig': 'Who is to be told of the task.',
  'configuration.historyLength': 'Messages that are told, the newest; 0: none.',
  'configuration.returnImmediately': 'True: the answer comes at once.',
  metadata: 'The same as the metadata of the message.',
}

const CARD = {
  name: 'Name of the agent: always `yaa`.',
  description: 'What the agent is.',
  version: 'Release of the server.',
  supportedInterfaces: 'Where it is asked, and in which binding.',
  'supportedInterfaces.url': 'Address of the binding.',
  'supportedInterfaces.protocolBinding': '`JSONRPC` or `HTTP+JSON`.',
  'supportedInterfaces.protocolVersion': 'Version of A2A: always `1.0`.',
  capabilities: 'What of the protocol it can do.',
  'capabilities.streaming': 'It is so: always true.',
  'capabilities.pushNotifications': 'It is so: always true.',
  'capabilities.extendedAgentCard': 'It is so: always true.',
  securitySchemes: 'How a client shows who it is.',
  securityRequirements: 'Which of these are asked for.',
  'securityRequirements.schemes': 'Schemes by their names.',
  'securityRequirements.schemes.list': 'Scopes; there are none.',
  defaultInputModes: 'Media types that it takes.',
  defaultOutputModes: 'Media types that it gives.',
  skills: 'Whom a message can ask.',
  'skills.id': 'What `metadata.skill` of a message names.',
  'skills.name': 'What it is called.',
  'skills.description': 'What it does for whoever asks.',
  'skills.tags': 'Kind of the entry: `agent`, `team`, `skill` or `workflow`.',
}

const { tenant: _tenant, 'authentication.credentials': _credentials, ...SHOWN } = CONFIG
const PUSHED = { ...SHOWN, token: 'The token that was given.' }

const RPC = {
  jsonrpc: 'Version of JSON-RPC: always `2.0`.',
  id: 'Id of the request, which its answer says again.',
}

const SAID = {
  role: 'ROLE_USER',
  messageId: '5f1d7a52',
  parts: [{ text: 'Read https://example.com and list its key points' }],
}

/** What the OpenAPI document says of the JSON-RPC binding. */
export const RPC_WORDS: DoorWords = {
  texts: {
    CallA2aBody: [
      'A request of JSON-RPC.',
      { ...RPC, method: 'What is asked, as A2A 1.0 names it.', params: 'The request of that method.' },
    ],
    CallA2aChunk: ['An answer, or a frame of a stream.', { ...RPC, result: 'What the method gives.' }],
    A2aRpcError: [
      'An error of JSON-RPC.',
      {
        ...RPC,
        error: 'What went wrong.',
        'error.code': 'As JSON-RPC and A2A number it; -32000: neither has a number.',
        'error.message': 'What went wrong and what to do next.',
        'error.data': 'A google.rpc.ErrorInfo with our code in its metadata, and the places of a bad input.',
      },
    ],
  },
  examples: { CallA2aBody: { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: SAID } } },
}

/** Of the HTTP+JSON binding. */
export const REST_WORDS: DoorWords = {
  texts: {
    SendA2aMessageBody: ['A message of the user.', SEND],
    SendA2aMessageAnswer: ['The task that it belongs to.', { task: 'How the task stands.' }],
    StreamA2aMessageChunk: ['What happens to the task: one of these.', FRAME],
    GetA2aTaskAnswer: ['A run of a session.', TASK],
    ListA2aTasksAnswer: [
      'A page of the tasks of the caller.',
      {
        tasks: 'The tasks, those first of which something was heard last.',
        nextPageToken: 'What `pageToken` takes for the next page; empty: there is none.',
        pageSize: 'How many a page has at most.',
        totalSize: 'How many tasks there are in all.',
      },
    ],
    CreateA2aPushConfigBody: ['Who is to be told of a task.', CONFIG],
    CreateA2aPushConfigAnswer: ['Who is told of a task.', PUSHED],
    ListA2aPushConfigsAnswer: [
      'All who are told of a task.',
      {
        configs: 'Who is told, the oldest first.',
        nextPageToken: 'There is one page: always empty.',
      },
    ],
    DeleteA2aPushConfigAnswer: ['An empty object: it is deleted.', {}],
    GetA2aExtendedCardAnswer: ['What this server says of itself to those who have a key.', CARD],
    A2aError: [
      'An error of HTTP+JSON.',
      {
        error: 'What went wrong, as google.rpc.Status.',
        'error.code': 'The HTTP status again.',
        'error.status': 'Name of the status in google.rpc.',
        'error.message': 'What went wrong and what to do next.',
        'error.details': 'A google.rpc.ErrorInfo with our code in its metadata, and the places of a bad input.',
      },
    ],
  },
  examples: {
    SendA2aMessageBody: { message: SAID },
    CreateA2aPushConfigBody: { url: 'https://client.example/notify', token: 'a secret of the client' },
  },
}
