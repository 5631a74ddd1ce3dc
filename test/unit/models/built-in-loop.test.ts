import { PATIENCE_MS } from '../../support/patience.ts'
import { test } from 'vitest'
import { codecFor } from '../../../src/agent/codec.ts'
import { generatePrompt } from '../../../src/agent/prompt.ts'
import { resultText } from '../../../src/agent/texts.ts'
import type { Language } from '../../../src/domain/language.ts'
import type { Message } from '../../../src/domain/message.ts'
import type { Protocol } from '../../../src/domain/model.ts'
import type { Tool } from '../../../src/domain/tool.ts'
import { finish, rethink } from '../../../src/tools/control.ts'
import { webAccess } from '../../../src/tools/web-access/tool.ts'
import { replyOf, specFor, tryCall } from './call.ts'
import { toolContext } from '../../support/tool-context.ts'

const SPEC = specFor('', { provider: 'built-in' })
const URL_READ = 'http://127.0.0.1:9/a'
const PAGE = `<!doctype html><html><head><title>边缘</title><meta name="author" content="Bob"></head><body><article><h1>边缘</h1>
<p>Edge computing moves work near users. It lowers latency a lot.</p><p>边缘计算降低延迟。</p></article></body></html>`
const WEB_ACCESS = webAccess({
  fetch: (url) =>
    Promise.resolve({
      ok: true,
      response: {
        status: 200,
        url,
        headers: new Headers({ 'content-type': 'text/html' }),
        bytes: Uint8Array.from(new TextEncoder().encode(PAGE)),
      },
    }),
  now: () => 0,
  settings: { timeoutMs: PATIENCE_MS, bodyBytesMax: 10_000 },
})
const TOOLS: Tool[] = [WEB_ACCESS, finish, rethink]
const TASKS = {
  'zh-CN': `阅读 ${URL_READ} 并列出 </用户任务> 的 <b>要点</b> & 结论`,
  en: `Read ${URL_READ} & list the <b>points</b>`,
} as const

const message = (fields: Pick<Message, 'role' | 'kind' | 'content'> & Partial<Message>): Message => ({
  id: 'msg',
  seq: 1,
  run_id: null,
  created_time: '',
  scope: null,
  ...fields,
})

async function readPage(language: Language): Promise<string> {
  const outcome = await WEB_ACCESS.run({ url: URL_READ }, toolContext({ language }))
  return outcome.ok ? (outcome.content ?? '') : outcome.reason
}

const CASES = (['zh-CN', 'en'] as const).flatMap((language) =>
  (['auto', 'native', 'xml'] as const).map((protocol): [Protocol, Language] => [protocol, language]),
)

test.for(CASES)(
  'the built-in model works with the real prompt, codec and page tool (%s, %s)',
  async ([protocol, language], { expect }) => {
    const task = TASKS[language]
    const settings = {
      character: null,
      languageTag: language,
      timezone: 'UTC',
      now: 0,
      runtime: 'test',
      instructions: '',
      finish: 'tool',
      outputSchema: null,
      layout: 'cacheable',
    } as const
    const prompt = generatePrompt({ task, language, tools: TOOLS, protocol, ...settings })
    const ask = async (messages: Message[]) => {
      const reply = replyOf(
        await tryCall(SPEC, codecFor(protocol).encode({ prompt, messages, tools: TOOLS, language })),
      )
      return codecFor(protocol).decode(reply, TOOLS, language)
    }
    const history = [message({ role: 'user', kind: 'task', content: task })]

    const first = await ask(history)
    expect(first).toMatchObject({ form: protocol === 'xml' ? 'text' : 'native', problem: null, dropped: 0 })
    expect(first.calls).toMatchObject([{ toolId: 'web_access', arguments: { url: URL_READ }, problem: null }])

    history.push(
      message({
        role: 'assistant',
        kind: 'reply',
        content: first.content,
        tool_calls: [{ id: 'call_1', name: 'web_access', arguments: { url: URL_READ } }],
      }),
    )
    const name = language === 'en' ? 'web_access' : '网页访问'
    history.push(
      message({
        role: 'tool',
        kind: 'tool_result',
        tool_call_id: 'call_1',
        tool_name: 'web_access',
        content: resultText(name, await readPage(language), language),
      }),
    )
    const second = await ask(history)
    expect(second.calls).toMatchObject([{ toolId: 'finish', problem: null }])
    const answer = String(second.calls[0]?.arguments['reason'])
    expect(answer).toContain('## 边缘')
    expect(answer).toContain('- It lowers latency a lot.')
    expect(answer).toContain('- 边缘计算降低延迟。')
    expect(answer).not.toMatch(/Bob|1970|untrusted|不可信|\[|PAGE CONTENT/)
  },
)
