/** A task of a bench, and how the model does it. */
export interface Task {
  /** What the user says. The model knows a task by it, so no text begins with another. */
  text: string
  /** Called before the answer, with other arguments each; null: the answer comes at once. */
  tool: 'list_files' | 'web_access' | null
  /** How often; absent: three times. */
  calls?: number
  /** The answer is a reply, the argument of `finish`, or first the one and then the other. */
  answer: 'reply' | 'finish' | 'both'
  /** Milliseconds before each token of an answer that is streamed; null: it comes whole. */
  tokenMs: number | null
  /** Of the answer; absent: 50. */
  tokens?: number
}

const CALLS = 3
const look = (how: string) => `Look into three folders and tell what is there (${how})`
const streamed = (answer: 'reply' | 'finish', tokenMs: number): Task => {
  return { text: look(`${answer}, ${tokenMs} ms a token`), tool: 'list_files', answer, tokenMs }
}

/** `list_files` looks into the session's own workspace: it needs no approval and no network. */
export const TASKS = {
  reply: { text: look('reply'), tool: 'list_files', answer: 'reply', tokenMs: null },
  finish: { text: look('finish'), tool: 'list_files', answer: 'finish', tokenMs: null },
  quickReply: streamed('reply', 0),
  quickFinish: streamed('finish', 0),
  slowReply: streamed('reply', 20),
  slowFinish: streamed('finish', 20),
  pages: { text: 'Read the three pages', tool: 'web_access', answer: 'finish', tokenMs: null },
  hundred: { text: 'Look into 99 folders', tool: 'list_files', calls: 99, answer: 'finish', tokenMs: null },
  word: { text: 'Say one word', tool: null, answer: 'finish', tokenMs: null, tokens: 1 },
  talk: { text: 'Talk to me', tool: null, answer: 'both', tokenMs: 0 },
} as const satisfies Record<string, Task>

/** Nothing else that a stream tells holds this word. */
export const FIRST_WORD = 'Altogether'
/** 50 tokens, of a word each. */
const TOKENS = [FIRST_WORD, ...Array.from({ length: 49 }, (_, index) => ` word${index + 2}`)]

/** What the model says next: as one message, or piece by piece. */
export interface Said {
  message: object
  pieces: { delta: object; isToken: boolean }[]
  tokenMs: number | null
}

/** What the model says to a request; null: it holds no task of a bench. */
export function sayTo(body: string, pagesUrl: string): Said | null {
  const asked = Object.values<Task>(TASKS).map((task) => ({ task, at: body.lastIndexOf(`"content":"${task.text}`) }))
  const { task, at } = asked.reduce((newest, one) => (one.at > newest.at ? one : newest))
  if (at < 0) return null
  const since = body.slice(at)
  const results = count(since, '"role":"tool"')
  if (task.tool !== null && results < (task.calls ?? CALLS)) return callOf(task.tool, results + 1, pagesUrl)
  // Who asks on after a reply is told by a call that it was the answer.
  const isAsked = task.answer === 'reply' && count(since, '"role":"assistant"') > results
  return answerOf(isAsked ? 'finish' : task.answer, task.tokenMs, TOKENS.slice(0, task.tokens))
}

const count = (text: string, part: string) => text.split(part).length - 1

function callOf(tool: 'list_files' | 'web_access', number: number, pagesUrl: string): Said {
  const args = tool === 'list_files' ? { path: `folder-${number}` } : { url: `${pagesUrl}/page/${number}` }
  const delta = called(tool, JSON.stringify(args))
  return { message: delta, pieces: [{ delta, isToken: false }], tokenMs: null }
}

function answerOf(answer: Task['answer'], tokenMs: number | null, words: readonly string[]): Said {
  const reply = answer !== 'finish'
  const call = answer !== 'reply'
  const whole = words.join('')
  const rest = (delta: object) => ({ delta, isToken: false })
  const token = (delta: object) => ({ delta, isToken: true })
  return {
    message: {
      ...(reply ? said(whole) : {}),
      ...(call ? called('finish', JSON.stringify({ reason: whole })) : {}),
    },
    pieces: [
      ...(reply ? words.map((word) => token(said(word))) : []),
      ...(call ? [rest(called('finish', '{"reason":"')), ...words.map((word) => token(written(word)))] : []),
      ...(call ? [rest(written('"}'))] : []),
    ],
    tokenMs,
  }
}

const said = (content: string) => ({ role: 'assistant', content })
const called = (name: string, args: string) => ({
  role: 'assistant',
  tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name, arguments: args } }],
})
const written = (args: string) => ({ tool_calls: [{ index: 0, function: { arguments: args } }] })
