/** How many pages the model of a bench has read before it answers. */
export const PAGES_PER_RUN = 3

/** Says that a task is to be answered in words at once, for the time of the first token. */
export const TALK = 'talk'

export const ANSWER = 'All pages were read. Their points are one, two and three, and each says so in a list of its own.'

const ENVELOPE = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1_770_000_000, model: 'bench' }

/** The server-sent events of one answer to a conversation that holds `results` tool results of this run. */
export function answerEvents(results: number, pagesUrl: string): string[] {
  if (results < PAGES_PER_RUN) return events('', 'web_access', { url: `${pagesUrl}/page/${results + 1}` })
  return events('', 'finish', { reason: ANSWER })
}

/** Those of an answer with words before its call. */
export function talkEvents(): string[] {
  return events(ANSWER, 'finish', { reason: ANSWER })
}

function events(content: string, tool: string, args: Record<string, string>): string[] {
  const text = JSON.stringify(args)
  const half = Math.ceil(text.length / 2)
  const call = (part: Record<string, unknown>) => ({ tool_calls: [{ index: 0, ...part }] })
  const deltas = [
    { role: 'assistant', content: '' },
    ...(content === '' ? [] : content.split(/(?<= )/).map((word) => ({ content: word }))),
    call({ id: 'call_1', type: 'function', function: { name: tool, arguments: '' } }),
    call({ function: { arguments: text.slice(0, half) } }),
    call({ function: { arguments: text.slice(half) } }),
  ]
  const usage = { prompt_tokens: 1_200, completion_tokens: 40, total_tokens: 1_240 }
  return [
    ...deltas.map((delta) => ({ ...ENVELOPE, choices: [{ index: 0, delta, finish_reason: null }] })),
    { ...ENVELOPE, choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
    { ...ENVELOPE, choices: [], usage },
  ]
    .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
    .concat('data: [DONE]\n\n')
}
