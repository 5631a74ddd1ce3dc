import type { SchemaTexts } from './common.ts'

/** Events of a session's log, and what is told while a message is written. */
export const EVENT_TEXTS: SchemaTexts = {
  Event: ['An event of the log of a session. Skip those whose type you do not know.'],
  KnownEvent: ['An event of a type that this release writes; `type` says which.'],
  OtherEvent: [
    'An event of a type that a later release wrote.',
    {
      type: 'What happened; the fields beside these depend on it.',
      seq: 'Number of the event in its log: 1, 2, 3 and so on without gaps.',
      run_id: 'Run that it belongs to (`run_…`); null: none.',
      scope: 'Sub-task or role that it belongs to; null: the run itself.',
      time: 'When it was written: RFC 3339, UTC.',
    },
  ],
  DeltaEvent: [
    'A piece of a message that is being written. It is told, and not kept.',
    {
      type: '`message-delta` text, `reasoning-delta` thoughts, `answer-delta` the answer of the run.',
      seq: 'Number of the last event before it; the id of the piece is `SEQ.N`.',
      call_id: 'Of an answer-delta: the call of `finish` that is given the answer.',
      message_id: 'Message that is being written (`msg_…`).',
      delta: 'The next piece of the text.',
      run_id: 'Run that it belongs to (`run_…`).',
    },
  ],
  RunStartEvent: [
    'A run starts, or one that had ended goes on.',
    {
      orchestrator: 'Way of working of the run.',
      mode: '`request`: it works while a request lasts; `background`: to its end.',
      resumed: 'Whether a run that had ended goes on.',
      rounds: 'Rounds that a team has from here on.',
      investment: 'Money that a team may spend in all.',
      payer: 'Id of the key whose budget pays; null: none. Absent: as before.',
      output_schema: 'JSON Schema that the answer has to fit; null: any text. Absent: that of the session.',
      by: 'Who asked for the run: a key or the subject of a token.',
      door: 'What a door for other clients keeps of the request.',
    },
  ],
  RunResumeEvent: [
    'A run that rested or waited for a human goes on.',
    {
      mode: '`request`: it works while a request lasts; `background`: to its end.',
      rounds: 'Rounds that a team gets beside those it had.',
      investment: 'Money that a team may spend in all, from here on.',
      payer: 'Id of the key whose budget pays; null: none. Absent: as before.',
      door: 'What a door for other clients keeps of the request.',
    },
  ],
  RunPauseEvent: ['A run rests: at a limit of its request, or for a human.', { usage: 'What the run used so far.' }],
  RunEndEvent: [
    'A run ended, with or without an answer.',
    {
      finish_reason: 'Why the run ended, such as `completed`, `deadline` or `failed`.',
      result: 'Answer of the run, or what there is of one; null: none.',
      usage: 'What the run used.',
      error: 'Why the run failed; null: it did not.',
    },
  ],
  IterationStartEvent: [
    'A turn of the model starts.',
    { iteration: 'Number of the turn in its run, from 1.', model: 'Alias of the model that is asked.' },
  ],
  IterationEndEvent: ['A turn of the model is over.', { iteration: 'Number of the turn in its run, from 1.' }],
  ModelStartEvent: [
    'A model call is about to be made.',
    {
      message_id: 'Message that its reply will be (`msg_…`).',
      model: 'Alias of the model that is called.',
      attempt: 'Number of the try. Over 1: deltas of earlier tries are void.',
      reserved_tokens: 'Tokens that are held back for the call until it is over.',
      reserved_cost: 'Money that is held back for the call; null: the model has no price.',
      purpose: 'What the call is for, outside of any sub-task. Absent: the next turn.',
    },
  ],
  ModelRetryEvent: [
    'A model call broke off and is made once more.',
    {
      message_id: 'Message that its reply will be (`msg_…`).',
      model: 'Alias of the model that is called.',
      failure: 'Error code of why it broke off.',
    },
  ],
  ModelEndEvent: ['A model call is over; `ok` says whether the model answered.', { type: 'Always `model-end`.' }],
  ModelAnsweredEvent: [
    'A model call was answered.',
    {
      message_id: 'Message that the reply is (`msg_…`).',
      ok: 'The model answered: always `true`.',
      model: 'Alias that answered: the chosen one, or one of its fallbacks.',
      cost: 'What the call cost; null: the model has no price.',
      spent: 'Tokens that the call used.',
      protocol: 'How the reply calls tools.',
      call_problems: 'What is wrong with calls of the reply, by the id of the call.',
      dropped_calls: 'Calls beyond the limit of one reply, which are not looked at.',
      unseen_calls: 'Ids of calls whose address untrusted text may have made up.',
      images_refused:
        'The service refused the images of the call, and answered without them; this model is not shown them again.',
      response_id: 'Id that the service gave its answer.',
      finish_reason: 'Why the service says that the reply ended, such as `stop`.',
    },
  ],
  ModelFailedEvent: [
    'A model call failed.',
    {
      message_id: 'Message that the reply would have been (`msg_…`).',
      ok: 'The model did not answer: always `false`.',
      failure: 'Why the call failed.',
      'failure.code': 'Stable code of the error, such as `model_unauthorized`.',
      'failure.detail': 'What the service said, for developers.',
    },
  ],
  MessageEvent: [
    'A message was written.',
    {
      message: 'The message, whole.',
      counts_as_error: 'Whether it counts among the failed calls in a row.',
      untrusted: 'Whether the text comes from outside.',
      tells_of_circles: 'Whether it warns the model that it repeats itself.',
      words: 'A rejected reply has words for its reader: `reply` nothing else, `beside` next to its calls.',
      is_output: 'A reply without a call that is the output of its branch. Absent: it is not.',
      covers: 'Of a summary: which messages it stands for.',
      'covers.seq': 'Number of the last event that it stands for.',
      'covers.kept_tokens': 'Estimated tokens of the messages that stay beside it.',
      door: 'What a door for other clients keeps of the request, where the message joined a run.',
    },
  ],
  ToolStartEvent: [
    'A tool is about to be called.',
    {
      call_id: 'Id of the call (`call_…`).',
      tool: 'Id of the tool that is called.',
      arguments: 'Arguments of the call, by name.',
      attempt: 'Number of the try. Over 1: an earlier one was cut by a restart.',
      client: 'The tool is one of your own, and waits for you. Absent: the server calls it.',
    },
  ],
  ToolEndEvent: [
    'A call of a tool is over.',
    {
      call_id: 'Id of the call (`call_…`).',
      ok: 'Whether the tool did what it was asked for.',
      ms: 'Milliseconds that the call took.',
      digest: 'Short hash of the result; equal results have equal hashes.',
      found_tools: 'Ids of tools that are offered from now on.',
    },
  ],
  ToolProgressEvent: [
    'How far a call of a tool is.',
    {
      call_id: 'Id of the call (`call_…`).',
      progress: 'How much is done, in units of the tool.',
      total: 'How much there is to do, in the same units; null: not known.',
      message: 'What the tool says of it; null: nothing.',
    },
  ],
  ToolHookEvent: [
    'A hook of the config was asked about a call of a tool.',
    {
      call_id: 'Id of the call (`call_…`).',
      hook: 'Name of the hook in the config.',
      phase: '`before`: the call is not made yet; `after`: it was made.',
      outcome: '`allowed`; `changed`: with other arguments; `refused`; `failed`: no answer that can be used.',
      ms: 'How long that took, in milliseconds.',
      arguments: 'Arguments that the call is made with instead. Absent: those that it had.',
      reason: 'Why the hook refused, or why it failed. Absent: it did neither, or does not say.',
    },
  ],
  ToolLogEvent: [
    'A line that a tool writes while it works. The model does not read it.',
    {
      call_id: 'Id of the call (`call_…`).',
      level: 'How important it is, as the tool says.',
      text: 'The line itself.',
    },
  ],
  ToolsWaitEvent: ['The run waits until an MCP server says which tools it has.', { server: 'Name of the MCP server.' }],
  PendingEvent: ['Something waits for a human from now on.', { pending: 'What waits, and until when.' }],
  PendingEndEvent: [
    'Something does not wait any more.',
    {
      id: 'Id of the pending item (`pnd_…`).',
      decision: 'How it ended: `approve`, `reject` or `answer` by a human, else `expired` or `cancelled`.',
      by: 'Who decided. A copy of a log does not say it.',
      'by.kind': 'How the person came in, such as `key`, `jwt` or `link`.',
      'by.id': 'Id of the key, token or link.',
      arguments: 'Arguments that replaced those of the call.',
      feedback: 'Words for the model about a rejected call.',
      answer: 'The answer to a question.',
      result: 'Of a `tool_call`: what your tool gave.',
      error: 'Of a `tool_call`: why your tool failed.',
      door: 'What a door for other clients keeps of the request, where the run was going already.',
    },
  ],
  ClientToolsEvent: [
    'A run has tools that its caller runs, in place of those that it had before.',
    { tools: 'The tools as the caller gave them.' },
  ],
  MessageQueuedEvent: [
    'A message came while a run was going, and waits for its end.',
    {
      queued_run_id: 'Id that the run of the message will have (`run_…`).',
      mode: '`request`: its run works while a request lasts; `background`: to its end.',
      content: 'What the message says: a text, or a list of parts.',
      untrusted: 'Whether the text comes from outside.',
      payer: 'Id of the key whose budget pays; null: none. Absent: as before.',
      client_tools: 'Tools that its caller runs.',
      inputs: 'What its workflow is given.',
    },
  ],
  PlanEvent: ['A planner answered.', { plan: 'All sub-tasks as they stand; long results are cut.' }],
  TaskStartEvent: [
    'A sub-task starts.',
    {
      task: 'The sub-task as it stands.',
      rounds: 'Rounds that the team of the sub-task has.',
      investment: 'Money that the team of the sub-task may spend.',
    },
  ],
  TaskEndEvent: ['A sub-task is over.', { task: 'The sub-task as it stands.' }],
  TaskRetryEvent: ['A sub-task is to be done once more.', { task: 'The sub-task as it stands.' }],
  RouteEvent: [
    'A worker for the whole run was chosen.',
    { worker: 'The worker: an MCP server, a skill, or `llm_tool` for the model alone.' },
  ],
  RoundStartEvent: [
    'A round of a team starts.',
    { round: 'Number of the round, from 1.', roles: 'Names of the roles that act in it.' },
  ],
  RoundEndEvent: ['A round of a team is over.', { round: 'Number of the round, from 1.' }],
  RoleStateEvent: [
    'A role of a team does something else now.',
    {
      role: 'Name of the role.',
      from: 'What the role did before.',
      to: 'What the role does now.',
      action: 'Name of the action that was chosen.',
      dropped: 'The role gave up what it had not acted upon. Absent: it did not.',
    },
  ],
  TeamMessageEvent: [
    'A message between the roles of a team was published.',
    { message: 'The message, whole.', heard_by: 'Names of the roles that have it as news.' },
  ],
  WorkflowStartEvent: [
    'The run goes by a workflow, as it is from here on.',
    {
      workflow: 'The workflow with its inputs.',
      'workflow.name': 'Name of the workflow.',
      'workflow.version': 'Version that the run began with.',
      'workflow.definitions': 'The workflow and those within it, by name.',
      'workflow.inputs': 'What the run is given.',
      required: 'Releases that do not know this event do not go on with the session: always `true`.',
    },
  ],
  StepStartEvent: [
    'A step of a workflow begins.',
    {
      step: 'Path of the step, such as `review` or `each[3].read`.',
      kind: 'What kind of step it is.',
      attempt: 'Number of the try.',
      input: 'What the step is given: arguments of a tool, inputs, or the list of a map.',
      body: 'Which of its lists of steps is done, from 0; -1: none.',
      total: 'Items of a map.',
      due_time: 'When its time is over, or its wait: RFC 3339, UTC.',
      worker: 'Who does an agent step.',
      unseen: 'Its call goes to an address that untrusted text may have made up. Absent: it does not.',
      rounds: 'Rounds that the team of the step has.',
      investment: 'Money that the team of the step may spend.',
    },
  ],
  StepEndEvent: [
    'A step of a workflow, or an item of a map, is over.',
    {
      step: 'Path of the step, such as `review` or `each[3].read`.',
      status: 'Whether the step was done, failed, was skipped by its condition, or was cancelled with the run.',
      output: 'What it gave; absent: nothing.',
      error: 'Why it failed; absent: it did not.',
      'error.code': 'Stable code of the error, such as `timeout`.',
      'error.message': 'What happened, for a person.',
    },
  ],
  StepRetryEvent: [
    'A step failed and is tried again.',
    {
      step: 'Path of the step, such as `review` or `each[3].read`.',
      attempt: 'Number of the try that failed.',
      due_time: 'When it is tried again: RFC 3339, UTC.',
      error: 'Why the try before failed, in words for a person.',
      'error.code': 'Stable code of the error, such as `tool_failed`.',
      'error.message': 'What happened, for a person.',
    },
  ],
  StepRedoEvent: [
    'A step that had ended, or an item of a map, is done once more, with all that goes by it.',
    { step: 'Path of the step, such as `review`, or of the item, such as `each[3]`.' },
  ],
  StepDueEvent: [
    'The time of a step is over, or its wait.',
    { step: 'Path of the step, such as `review` or `each[3].read`.' },
  ],
  RollbackStartEvent: [
    'A step failed for good; what was done before is undone, the last first.',
    { step: 'Path of the step that failed.' },
  ],
  RollbackEndEvent: [
    'A step was undone.',
    { step: 'Path of the step, such as `review` or `each[3].read`.', ok: 'Whether all that undoes it was done.' },
  ],
  CallRefusedEvent: [
    'A model call of a role was not made.',
    { code: 'Stable code of the reason, such as `no_money`.', detail: 'Why it was not made, for developers.' },
  ],
  UsageEvent: ['What the run used so far.', { usage: 'Sums of the run.' }],
  ErrorEvent: [
    'Something went wrong that does not end the run by itself.',
    { code: 'Stable code of the error, such as `unknown_worker`.', detail: 'What went wrong, for developers.' },
  ],
  FileEvent: [
    'A file of the workspace was written or deleted.',
    {
      action: 'What was done with it.',
      path: 'Path in the workspace.',
      size: 'Bytes that it has now; 0 if it is deleted.',
    },
  ],
  FeedbackEvent: [
    'A person said what they make of an answer, in the place of what was said of it before.',
    {
      message_id: 'Message that is the answer (`msg_…`).',
      rating: '`good` or `bad`; null: what was said is taken back.',
      comment: 'Why; null: no words were given.',
    },
  ],
  FeedbackInput: [
    'What a person makes of an answer, in the place of what was said of it before.',
    {
      rating: '`good` or `bad`; null takes back what was said.',
      comment: 'Why, in words of theirs; it goes with a rating.',
    },
  ],
  Feedback: [
    'What was said of an answer, as it stands now.',
    {
      session_id: 'Session of the answer (`ses_…`).',
      message_id: 'Message that is the answer (`msg_…`).',
      rating: '`good` or `bad`; null: nothing is said of it.',
      comment: 'Why; null: no words were given.',
    },
  ],
  SessionUpdateEvent: [
    'Title, metadata or config of the session changed.',
    { fields: 'Names of the fields that changed; their values are in the session.' },
  ],
}
