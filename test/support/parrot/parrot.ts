import { type ModelReply, type RawToolCall, textIn } from '../../../src/domain/model.ts'
import { readBody } from '../../../src/models/openai/answer.ts'
import { estimateReply, estimateRequest } from '../../../src/models/estimate.ts'
import { modelFailure } from '../../../src/models/failure.ts'
import type { ModelProvider, ProviderCall } from '../../../src/models/provider.ts'

/** A provider with a wire of its own: it is asked in lines `ROLE TEXT` and `tool NAME`, and answers, line by line, `say TEXT`,
 *  `call NAME JSON` or `busy`. */
export const parrot: ModelProvider = {
  ask: async ({ spec, request, signal, onSign, observer }, ports) => {
    const said = request.messages.map(({ role, content }) => `${role} ${textIn(content)}`)
    const offered = (request.tools ?? []).map(({ name }) => `tool ${name}`)
    const body = [...said, ...offered].join('\n')
    const response = await ports.fetchFor(spec)(spec.apiUrl, { method: 'POST', body, signal })
    const toolCalls: RawToolCall[] = []
    let content = ''
    let isBusy = false
    await readLines(response, { signal, onSign }, (line) => {
      const [, verb, rest = ''] = /^(\w+) ?(.*)$/.exec(line) ?? []
      if (verb === 'busy') isBusy = true
      if (verb === 'say') {
        content += rest
        observer.onDelta('content', rest)
      }
      if (verb === 'call') {
        const [name = '', text = ''] = rest.split(/ (.*)/)
        observer.onArguments({ call: toolCalls.length, name, text, isFirst: true })
        toolCalls.push({ id: `parrot_${toolCalls.length}`, name, arguments: text })
      }
    })
    if (isBusy) return { ok: false, failure: modelFailure('model_unavailable', 'The parrot is busy.') }
    const usage: ModelReply['usage'] = {
      prompt_tokens: estimateRequest(request),
      completion_tokens: estimateReply(content, '', toolCalls),
      cached_tokens: 0,
      reasoning_tokens: 0,
      estimated: true,
    }
    return { ok: true, reply: { content, reasoning: '', toolCalls, stopReason: 'stop', usage } }
  },
}

async function readLines(
  response: Response,
  call: Pick<ProviderCall, 'signal' | 'onSign'>,
  onLine: (line: string) => void,
): Promise<void> {
  let open = ''
  await readBody(response, call, (text) => {
    const lines = `${open}${text}`.split('\n')
    open = lines.pop() ?? ''
    for (const line of lines) onLine(line)
    return 'more'
  })
  if (open !== '') onLine(open)
}
