import { test } from 'vitest'
import type { StreamEvent } from '../../../../src/client/client.ts'
import { createRunView, runFailureText } from '../../../../src/cli/view/run-view.ts'
import { type ViewPart, liveScreen, plainScreen } from '../../../../src/cli/view/screen.ts'
import { renderedAnswer } from '../../../../src/cli/view/answer.ts'
import { showingOn } from '../../../../src/cli/run/terminal.ts'
import { textsOf } from '../../../../src/cli/texts.ts'
import { writtenOutput } from '../../../support/written-output.ts'
import { NO_USAGE } from '../../../../src/domain/usage.ts'
import { endedCall } from '../../../support/ended-call.ts'
import pc from 'picocolors'

type Body = StreamEvent extends infer E
  ? E extends unknown
    ? Omit<E, 'seq' | 'run_id' | 'time' | 'scope'>
    : never
  : never

const event = (body: Body) =>
  ({ seq: 1, run_id: 'run_1', time: '2026-01-01T00:00:00Z', scope: null, ...body }) as StreamEvent

const reply = (content: string) =>
  event({
    type: 'message',
    message: {
      id: 'msg_1',
      seq: 1,
      run_id: 'run_1',
      role: 'assistant',
      kind: 'reply',
      content,
      created_time: '',
      scope: null,
    },
  })
const modelStart = event({
  type: 'model-start',
  message_id: 'msg_1',
  model: 'm',
  attempt: 1,
  reserved_tokens: 0,
  reserved_cost: null,
})
const delta = (text: string) => event({ type: 'message-delta', message_id: 'msg_1', delta: text })

const CALL = '<web_access><url>http://x.test/</url></web_access>'
const RUN: StreamEvent[] = [
  modelStart,
  delta('<think>hm</think>I read '),
  delta(`it.\n${CALL}`),
  reply(`<think>hm</think>I read it.\n${CALL}`),
  event({
    type: 'tool-start',
    call_id: 'call_1',
    tool: 'web_access',
    arguments: { url: 'http://x.test/' },
    attempt: 1,
  }),
  event({ type: 'tool-end', call_id: 'call_1', ok: true, ms: 12, digest: '' }),
  event({
    type: 'run-end',
    status: 'completed',
    finish_reason: 'completed',
    result: 'ok',
    usage: NO_USAGE,
    error: null,
  }),
]

function parts(events: StreamEvent[]): ViewPart[] {
  const view = createRunView(textsOf('en'), ['web_access', '网页访问'])
  return events.flatMap((each) => view.push(each))
}

test('a pipe gets whole lines: text, one line a call, its end; no thinking and no tags', ({ expect }) => {
  const out = writtenOutput()
  const screen = plainScreen(out)
  for (const part of parts(RUN)) screen.show(part)
  screen.clear()
  expect(out.written.join('')).toBe('I read it.\n→ web_access http://x.test/\n✓ 12 ms\n')
})

test('a terminal gets the text as it comes, thinking dimmed, and nothing of it twice', ({ expect }) => {
  const out = writtenOutput()
  const colors = pc.createColors(true)
  const screen = liveScreen(out, colors)
  for (const part of parts(RUN)) screen.show(part)
  screen.clear()
  const text = out.written.join('')
  expect(text).toContain(colors.dim('hm'))
  expect(text.match(/I read /g)).toHaveLength(1)
  expect(text).toContain(colors.cyan('→ web_access http://x.test/'))
  expect(text).not.toContain('<web_access>')
})

test('a failure that ends the run is told with its end, one that does not is told once', ({ expect }) => {
  const failure = { code: 'model_unauthorized', status: 401, detail: 'The model service answered 401: bad key' }
  const failed = event({ type: 'model-end', message_id: 'msg_1', ok: false, failure } as never)
  const told = event({ type: 'error', ...failure })
  const over = event({ type: 'iteration-end', iteration: 1 })
  const end = { ...RUN.at(-1), status: 'failed', error: failure } as StreamEvent
  const crosses = (events: StreamEvent[]) =>
    parts(events).filter((part) => 'text' in part && part.text?.startsWith('✗'))
  expect(crosses([modelStart, failed, told, over, end])).toEqual([])
  expect(crosses([modelStart, failed, told, over, modelStart])).toHaveLength(1)
  expect(
    crosses([modelStart, failed, event({ type: 'error', code: 'other', detail: 'Else.' }), modelStart]),
  ).toHaveLength(2)
})

test('an answer that is the best of what a model repeats is told as that', ({ expect }) => {
  const end = RUN.at(-1)
  if (end?.type !== 'run-end') throw new Error('unreachable')
  expect(parts([{ ...end, loop: true }])).toContainEqual({
    type: 'line',
    style: 'dim',
    text: `· ${textsOf('en').repeated}`,
  })
  expect(JSON.stringify(parts([end]))).not.toContain('repeating')
})

const answers = (text: string) => event({ type: 'answer-delta', message_id: 'msg_1', call_id: 'call_1', delta: text })
const finishing = (content: string, reason: string) => {
  const whole = reply(content)
  if (whole.type !== 'message') throw new Error('unreachable')
  const calls = [{ id: 'call_1', name: 'finish', arguments: { reason } }]
  return { ...whole, message: { ...whole.message, tool_calls: calls } }
}
const answerIn = (shown: ViewPart[]) =>
  shown.flatMap((part) => (part.type === 'flow' && part.kind === 'answer' ? [part.text] : []))

test('the answer comes as it is written, beside what is said, and not again when it is whole', ({ expect }) => {
  const shown = parts([modelStart, delta('Done.'), answers('It is'), answers(' so.'), finishing('Done.', 'It is so.')])
  expect(answerIn(shown)).toEqual(['It is', ' so.'])
  expect(shown.filter((part) => part.type === 'flow' && part.kind === 'text')).toHaveLength(1)
  expect(shown).toContainEqual({ type: 'status', text: textsOf('en').answering })
})

test('an answer that is written as text and given to finish as well comes once, as the answer', ({ expect }) => {
  const shown = parts([
    modelStart,
    delta('It is so.'),
    answers('It is'),
    answers(' so.'),
    finishing('It is so.', 'It is so.'),
  ])
  expect(answerIn(shown)).toEqual([])
  expect(shown).toContainEqual({ type: 'reply', isAnswer: true })
  expect(answerIn(parts([modelStart, finishing('It is so.', 'It is so.')]))).toEqual([])
})

test('an answer that nobody told comes with its whole reply', ({ expect }) => {
  expect(answerIn(parts([modelStart, finishing('', 'It is so.')]))).toEqual(['It is so.'])
})

test('a reply that was not streamed is shown when it is whole', ({ expect }) => {
  expect(parts([modelStart, reply(`Let me see.${CALL}`)])).toContainEqual({
    type: 'flow',
    kind: 'text',
    text: 'Let me see.',
  })
})

test('a run that waits for the tools of a server says for which', ({ expect }) => {
  const waits = event({ type: 'tools-wait', server: 'words\u001b[2J' })
  expect(parts([waits])).toEqual([{ type: 'status', text: 'waiting for the tools of words [2J' }])
  expect(createRunView(textsOf('zh-CN'), []).push(waits)).toEqual([
    { type: 'status', text: '正在等待 words [2J 的工具' },
  ])
})

test('a try that failed is told while the next one is waited for', ({ expect }) => {
  const tried = event({ type: 'model-retry', message_id: 'msg_1', model: 'm', failure: 'model_unavailable' })
  expect(JSON.stringify(parts([modelStart, tried]))).toContain(
    '… asking the model again: The model service does not work at the moment.',
  )
})

test('a repeated model call starts its text again', ({ expect }) => {
  const again = event({
    type: 'model-start',
    message_id: 'msg_2',
    model: 'm',
    attempt: 2,
    reserved_tokens: 0,
    reserved_cost: null,
  })
  const shown = parts([
    modelStart,
    delta('half <web_acc'),
    again,
    event({ type: 'message-delta', message_id: 'msg_2', delta: 'whole' }),
  ])
  expect(shown.filter(({ type }) => type === 'flow')).toEqual([
    { type: 'flow', kind: 'text', text: 'half ' },
    { type: 'flow', kind: 'text', text: 'whole' },
  ])
})

const answered = (content: string, isOutput: boolean): StreamEvent[] => {
  const said = reply(content)
  return [
    modelStart,
    delta(content),
    ...(said.type === 'message' && isOutput ? [{ ...said, is_output: true as const }] : [said]),
  ]
}

test('a pipe gets a reply that is no answer as progress, and none of one that is', ({ expect }) => {
  const written = (isOutput: boolean) => {
    const out = writtenOutput()
    const screen = plainScreen(out)
    for (const part of parts(answered('Paris,\n\nI think.', isOutput))) screen.show(part)
    screen.clear()
    return out.written.join('')
  }
  expect(written(false)).toBe('Paris,\nI think.\n')
  expect(written(true)).toBe('')
})

test('a terminal gets a reply that is the answer once, rendered, and none that was warned of behind it', ({
  expect,
}) => {
  const out = writtenOutput()
  const screen = plainScreen(out)
  const answer = renderedAnswer(out.write, (markdown) => `[${markdown.trim()}]`)
  const show = showingOn({ view: createRunView(textsOf('en'), ['finish']), screen, answer, isRendered: true })
  for (const one of [...answered('Well.', false), ...answered('# Paris\n\nIt is.', true)]) show(one)
  answer.finish('# Paris\n\nIt is.')
  expect(out.written).toEqual(['[Well.]\n\n', '[# Paris]\n\n', '[It is.]\n\n'])
})

test('a terminal gets what is said before the answer, and the answer of finish once', ({ expect }) => {
  const out = writtenOutput()
  const answer = renderedAnswer(out.write, (markdown) => `[${markdown.trim()}]`)
  const view = createRunView(textsOf('en'), ['finish'])
  const show = showingOn({ view, screen: plainScreen(out), answer, isRendered: true })
  for (const one of answered('Done.\n<finish><reason>It is so.</reason></finish>', false)) show(one)
  answer.finish('It is so.')
  expect(out.written).toEqual(['[Done.]\n\n', '[It is so.]\n\n'])
})

test('a terminal says that an answer which was refused is none, right below it', ({ expect }) => {
  const out = writtenOutput()
  const answer = renderedAnswer(out.write, (markdown) => `[${markdown.trim()}]`)
  const view = createRunView(textsOf('en'), ['finish'])
  const show = showingOn({ view, screen: plainScreen(out), answer, isRendered: true })
  const told = reply('')
  if (told.type !== 'message') throw new Error('a message was expected')
  const refused = { rejected: true as const, tool_calls: [{ id: 'c1', name: 'finish', arguments: { reason: 'four' } }] }
  show(modelStart)
  show(event({ type: 'answer-delta', message_id: 'msg_1', call_id: 'c1', delta: 'four' }))
  show({ ...told, message: { ...told.message, ...refused } })
  show(modelStart)
  answer.finish('{"n":4}')
  expect(out.written).toEqual(['[four]\n\n', '· that was not the answer\n', '[```json\n{\n  "n": 4\n}\n```]\n\n'])
})

test('an approval shows the whole of its arguments, with characters that steer a terminal escaped', ({ expect }) => {
  const url = `http://x.test/${'a'.repeat(1_000)}\u001b[2J\u202e`
  const pending = {
    id: 'pnd_1',
    type: 'approval' as const,
    tool: 'web_access',
    arguments: { url },
    created_time: '',
    expires_time: '',
    scope: null,
  }
  const [line] = parts([event({ type: 'pending', pending })])
  expect(line).toEqual({
    type: 'line',
    style: 'ask',
    text: `? wants to run: web_access http://x.test/${'a'.repeat(1_000)}\\u001b[2J\\u202e`,
  })
})

test('an approval of a long call has an argument a line', ({ expect }) => {
  const pending = {
    id: 'pnd_1',
    type: 'approval' as const,
    tool: 'http_request',
    arguments: { method: 'POST', url: 'http://x.test/send', body: `{"text":"${'word '.repeat(20)}"}` },
    reason: 'the page is untrusted',
    created_time: '',
    expires_time: '',
    scope: null,
  }
  const [line] = parts([event({ type: 'pending', pending })])
  const lines = line?.type === 'line' ? line.text.split('\n') : []
  expect(lines).toEqual([
    '? wants to run: http_request (the page is untrusted)',
    '    method: POST',
    '    url: http://x.test/send',
    `    body: {"text":"${'word '.repeat(20)}"}`,
  ])
})

test('an approval shows a text of several lines as those', ({ expect }) => {
  const pending = {
    id: 'pnd_1',
    type: 'approval' as const,
    tool: 'write_file',
    arguments: { path: 'a.py', content: 'def f():\n    return 1\n\nf()\n' },
    created_time: '',
    expires_time: '',
    scope: null,
  }
  const [line] = parts([event({ type: 'pending', pending })])
  expect(line?.type === 'line' ? line.text.split('\n') : []).toEqual([
    '? wants to run: write_file',
    '    path: a.py',
    '    content:',
    '      def f():',
    '          return 1',
    '',
    '      f()',
  ])
})

test('a question that was answered is no call that is over', ({ expect }) => {
  expect(parts([event({ type: 'tool-end', call_id: 'call_9', ok: true, ms: 0, digest: '' })])).toEqual([])
})

test('a failed call shows what the model is told, once', ({ expect }) => {
  const message = {
    id: 'msg_2',
    seq: 2,
    run_id: 'run_1',
    role: 'tool' as const,
    kind: 'tool_result' as const,
    created_time: '',
    scope: null,
  }
  const shown = parts([
    event({ type: 'tool-end', call_id: 'call_1', ok: false, ms: 3, digest: '' }),
    event({ type: 'message', message: { ...message, tool_call_id: 'call_1', content: '[web_access] failed: 404' } }),
  ])
  expect(shown).toEqual([{ type: 'line', style: 'bad', text: '✗ [web_access] failed: 404' }])
})

test('what only a later release knows is passed over', ({ expect }) => {
  const later = Object.assign(event({ type: 'error', code: 'later', detail: 'thing' }), { type: 'later-thing' })
  const each = RUN.flatMap((one) => [one, later])
  expect(parts(each)).toEqual(parts(RUN))
})

test('says of a reply that it is not the answer, or was cut', ({ expect }) => {
  const view = createRunView(textsOf('en'), [])
  const marks = (fields: { cut?: true; rejected?: true }) => {
    const told = reply('Paris.')
    if (told.type !== 'message') throw new Error('a message was expected')
    const seen = view.push({ ...told, message: { ...told.message, id: JSON.stringify(fields), ...fields } })
    return seen.flatMap((part) => (part.type === 'line' ? [part.text] : []))
  }
  expect(marks({ rejected: true })).toEqual(['· that was not the answer'])
  expect(marks({ cut: true })).toEqual(['· the reply was stopped here'])
  expect(marks({})).toEqual([])
})

test('says of an answer that its service cut it, and what to do', ({ expect }) => {
  const told = (reason: string, fields: { rejected?: true } = {}) => {
    const said = reply('Par')
    if (said.type !== 'message') throw new Error('a message was expected')
    const { id } = said.message
    const shown = parts([{ ...said, message: { ...said.message, ...fields } }, event(endedCall(id, reason))])
    return shown.flatMap((part) => (part.type === 'line' && part.text.includes('max_tokens') ? [part.text] : []))
  }
  expect(['length', 'MAX_TOKENS', 'stop'].map((reason) => told(reason).length)).toEqual([1, 1, 0])
  expect(told('length', { rejected: true })).toEqual([])
})

test('what ends a run is told with its end, and what was tried again at once', ({ expect }) => {
  const failed = event({
    type: 'model-end',
    message_id: 'msg_1',
    ok: false,
    failure: { code: 'model_unavailable', detail: 'answered 500' } as never,
  })
  const end = event({
    type: 'run-end',
    status: 'failed',
    finish_reason: 'failed',
    result: null,
    usage: NO_USAGE,
    error: { code: 'model_unavailable', detail: 'answered 500', message: 'It is down.', hint: 'Try later.' },
  })
  const lines = (events: StreamEvent[]) => parts(events).flatMap((part) => (part.type === 'line' ? [part.text] : []))
  expect(lines([failed, end])).toEqual([])
  expect(lines([failed, modelStart])).toEqual([
    '✗ The model service does not work at the moment: answered 500 (model_unavailable)',
  ])
})

test('what a service said is told in the language of the terminal', ({ expect }) => {
  const detail = 'The model service answered 429: busy'
  const error = { code: 'model_rate_limited', detail, message: '用量已满。', hint: '请稍后继续。' }
  const response = { finish_reason: 'failed', error } as Parameters<typeof runFailureText>[0]
  expect(runFailureText(response, textsOf('zh-CN'))).toBe(
    '失败：用量已满。请稍后继续（model_rate_limited）\n  模型服务返回状态码 429：busy',
  )
})

test('a failure leads with words in the language of the terminal, the code last', ({ expect }) => {
  const zh = textsOf('zh-CN')
  const view = createRunView(zh, [])
  const failed = (code: string, detail: string) => event({ type: 'error', code, detail })
  const shown = [
    failed('model_rate_limited', 'answered 429'),
    failed('mcp_server_unavailable', '工单：无法连接'),
    modelStart,
  ]
  const lines = shown.flatMap((each) => view.push(each)).flatMap((part) => (part.type === 'line' ? [part.text] : []))
  expect(lines).toEqual([
    '✗ 模型服务的用量已满，或请求太频繁：answered 429（model_rate_limited）',
    '✗ 工单：无法连接（mcp_server_unavailable）',
  ])
  const error = {
    code: 'model_unauthorized',
    detail: '',
    message: '模型服务不接受密钥。',
    hint: '请检查，然后继续（continue）。',
  }
  const ended = { finish_reason: 'failed', error } as Parameters<typeof runFailureText>[0]
  expect(runFailureText(ended, zh)).toBe('失败：模型服务不接受密钥。请检查，然后继续（model_unauthorized）')
})

test('an answer that does not fit its schema is told in words, not in those of a validator', ({ expect }) => {
  const detail = 'The answer does not fit. #/count: Instance type "string" is invalid. Expected "integer".'
  const error = { code: 'output_invalid', detail, message: detail, hint: '' }
  const ended = { finish_reason: 'failed', error } as Parameters<typeof runFailureText>[0]
  expect(runFailureText(ended, textsOf('en'))).toContain('count: it has to be a whole number, but is text')
  expect(runFailureText(ended, textsOf('zh-CN'))).toContain('count：应为整数，而不是文本')
})
