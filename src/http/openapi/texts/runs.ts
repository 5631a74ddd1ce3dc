import type { SchemaTexts } from './common.ts'

/** Messages, what waits for somebody, and what is answered of runs. */
export const RUN_TEXTS: SchemaTexts = {
  NewMessage: [
    'A message of the user, which starts a run.',
    {
      content: 'What the user says.',
      config: 'Changes of the config, from this run on.',
      output_schema:
        'JSON Schema that the answer of this run has to fit; null: any text. Not given: that of the session.',
      client_tools: 'Tools that you run yourself, for this run.',
      inputs: 'What the workflow is given in this run. Not given: as the session was made.',
    },
  ],
  Continue: [
    'How a run that rested or ended at a limit goes on.',
    {
      config: 'Changes of the config. Limits given here are the new totals of the run.',
      n_round: 'Rounds that the team gets beside those it had.',
      investment: 'Money that the team may spend in all.',
    },
  ],
  DecisionInput: [
    'What is said of one pending item: the decision of a human, or the end of a call that you make yourself.',
    {
      decision: '`approve` or `reject` a call, `answer` a question. Not with `result` or `error`.',
      arguments: 'With `approve`: arguments that replace those of the call as a whole.',
      arguments_hash: 'Hash of the arguments that were shown; if it is another one now, nothing runs (409).',
      feedback: 'With `reject`: words for the model, such as what to do instead.',
      answer: 'With `answer`: the answer to the question.',
      remember: '`session`: from here on calls of this tool run without asking in this session.',
      result: 'Of a `tool_call`: what your tool gave, as any JSON value. Needs scope `run`.',
      error: 'Of a `tool_call`: why your tool failed, in words for the model. Needs scope `run`.',
    },
  ],
  Message: [
    'One message of a session.',
    {
      id: 'Id of the message (`msg_…`).',
      seq: 'Number of the event that wrote it; messages sort by it.',
      run_id: 'Run in which it was written (`run_…`); null: in none.',
      role: 'Who speaks: `user`, `assistant` the model, `system` the server, `tool` the result of a call.',
      content: 'What is said: a text, or a list of parts.',
      'content.type': 'What the part is, such as `text`, `image`, `file` or `data`.',
      kind: 'What the message is for, such as `task`, `reply`, `tool_result` or `warning`.',
      created_time: 'When it was written: RFC 3339, UTC.',
      reasoning: 'What the model thought before it replied, where its service tells that.',
      tool_calls: 'Calls of tools that the reply asks for.',
      'tool_calls.id': 'Id of the call (`call_…`).',
      'tool_calls.name': 'Id of the tool, or the name that the model made up.',
      'tool_calls.arguments': 'Arguments of the call by their English names.',
      'tool_calls.client': 'The call is of one of your own tools. Absent: it is of one of the server.',
      'tool_calls.offered_as': 'What the model calls your tool, where the server has one of its name.',
      tool_call_id: 'Of a result: the call that it answers.',
      tool_name: 'Of a result: the tool that was called.',
      truncated: 'The result was cut. Absent: it is whole.',
      'truncated.original_length': 'Length of the whole text in UTF-16 units.',
      'truncated.kept_length': 'Length of what is left of it in UTF-16 units.',
      'truncated.rest': 'Path on this server that answers the whole text; null: it is not kept.',
      cut: 'The reply was stopped while it was written; this is what there was. Absent: it is whole.',
      rejected: 'A reply that could not be followed; the model was told why. Absent: it could.',
      during: 'Of one that steers a run: the reply that was being written when it came.',
      given: 'A caller brought it along as it says it was: it decides and proves nothing. Absent: it was said here.',
      client_id: 'What a client of another protocol calls it. Absent: nothing.',
      scope: 'Sub-task or role that the message belongs to; null: the run itself.',
    },
  ],
  Pending: [
    'Something that a run waits for: the approval of one call, a question, or a call that you make yourself.',
    {
      id: 'Id of the pending item (`pnd_…`).',
      type: '`approval`: a call wants to run. `question`: the model asks something. `tool_call`: call your own tool and post its result.',
      call_id: 'Call that wants to run (`call_…`).',
      tool: 'Id of the tool that is called.',
      arguments: 'Arguments of the call, by name.',
      arguments_hash: 'Lower-case hex SHA-256 of the arguments as canonical JSON: keys sorted, no white space.',
      question: 'What the model wants to know.',
      options: 'Answers that the model suggests; others are allowed.',
      form: 'JSON Schema of the answer, which is JSON that fits it. Absent: any text.',
      default: 'Of a form: what is taken for the answer where nobody gives one in time.',
      wait: 'No human is asked: the run waits for a time, a delivery or another session. `result` or `answer` ends the wait, `reject` calls it off.',
      connection:
        'The call needs this connection first, or this MCP server authorised. Once it is given the run goes on by itself; `reject` declines.',
      'connection.of':
        '`connection`: one of `/v1/connections`. `mcp_server`: one of `/v1/mcp-servers`, which is to be authorised.',
      'connection.name': 'Name of the connection, or of the server.',
      'connection.origin': 'Where the secret, or the token, is sent.',
      'connection.wants':
        '`secret`: keep it with `POST /v1/connections {name, origin, user, secret}`, never in an answer. `grant`: open `authorize_url`.',
      'connection.user': 'Who has to give it; null: nobody in particular.',
      'connection.authorize_url':
        'Page on which access is granted, good for ten minutes; after that answer, and another is asked for.',
      'wait.until': 'Until when it waits at the latest: RFC 3339, UTC.',
      'wait.webhook_key':
        'The next delivery of a webhook with this session key ends the wait. Absent: none is waited for.',
      'wait.session': 'Session (`ses_…`) whose run is waited for: its end ends the wait. Absent: none is.',
      'wait.reason': 'What it waits for, in the words of the model.',
      risk: 'What the call can do: `read`, `network`, `write` or `destructive`, mildest first.',
      reason: 'Why a human is asked, in the language of the session.',
      created_time: 'Since when it waits: RFC 3339, UTC.',
      expires_time: 'When it expires without a decision: RFC 3339, UTC.',
      proof: 'Only of stateless calls: send it back with the decision; it proves that this server asked.',
      scope: 'Sub-task or role that asks; null: the run itself.',
    },
  ],
  ListedPending: [
    'A pending item in the list of all sessions.',
    {
      session_id: 'Session that waits (`ses_…`).',
      session_title: 'Title of that session.',
      user: 'User of that session; null: it has none.',
      arguments_cut: 'The arguments are too long for a list; read the session for them. Absent: they are here.',
    },
  ],
  RunError: [
    'Why a run failed.',
    {
      code: 'Stable code of the error, such as `model_unauthorized`.',
      status: 'HTTP status of the service that failed, if there was one.',
      retry_after_ms: 'Milliseconds after which that service wants to be asked again, where it said so.',
      detail: 'What the failed service said, for developers.',
      message: 'What happened, for people, in the language of the session.',
      hint: 'What to do next, for people, in the language of the session.',
    },
  ],
  AgentResponse: [
    'How a run stands when its request ends.',
    {
      messages: 'Messages after the last one of the user.',
      usage: 'What this run used.',
      run_id: 'The run that this is about (`run_…`); null: there is none.',
      progress:
        'How far the run of a workflow or a team is, in percent: of its steps, or of its rounds; 100 only at a good end. Absent: nobody can say.',
      stage: 'Where that run is; `rolling_back` and `rolled_back` undo what was done. Absent as `progress` is.',
      files: 'Only of stateless calls: the workspace, to be sent back with the next call.',
      skill_result: 'Result of the skill, where the session runs one.',
    },
  ],
  SkillResult: [
    'How the run of a skill went.',
    {
      success: 'Whether the run ended as `completed`.',
      content: 'Answer of the skill; null: there is none.',
      error: 'Why it failed; null: it did not.',
      tools_used: 'Ids of the tools that were called, each once.',
      tokens_used: 'Tokens of prompts and replies together.',
      cost: 'What the run cost; null: the model has no price.',
    },
  ],
  StreamResponse: [
    'One piece of the stream of a stateless call.',
    {
      message: 'A message that is whole now.',
      message_id: 'Message that a delta belongs to.',
      delta: 'The next piece of the text of a reply.',
      answer_delta: 'The next piece of the answer of the run.',
    },
  ],
  RunAccepted: [
    'A run that goes on in the background.',
    {
      id: 'Id of the session, as in every other answer of a run.',
      session_id: 'The same id once more (`ses_…`).',
      run_id: 'The run that was started (`run_…`); null: none was.',
    },
  ],
}
