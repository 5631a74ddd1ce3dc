import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import type { SessionConfig } from '../../../src/domain/config.ts'
import type { Scene, Stage } from './stage.ts'

const call = (name: string, args: Record<string, unknown>) => ({ name, arguments: args })
const native = (...calls: { name: string; arguments: Record<string, unknown> }[]): StepInput => ({
  content: 'Next.',
  tool_calls: calls,
})
const read = (url: string) => native(call('web_access', { url }))
const finish = native(call('finish', { reason: 'The answer.' }))
const EN: SessionConfig = { language: 'en', llm: { protocol: 'native' } }
const FREE: SessionConfig = { ...EN, tools: { web_access: { auto_approve: true } } }
const TEXT: SessionConfig = { language: 'zh-CN', llm: { protocol: 'xml' } }
const ASYNC = { prefer: 'respond-async' }

async function decided(stage: Stage, id: string, decision: Record<string, unknown>): Promise<void> {
  const [pending] = (await stage.client.sessions.get(id)).pending
  await stage.post(`/v1/sessions/${id}/pending/${pending?.id}`, decision)
}

export const SCENES: Record<string, Scene> = {
  'zh-text-approval': async (stage) => {
    const steps = [
      `<网页访问>\n<地址>${stage.page('a')}</地址>\n</网页访问>`,
      '<完成会话><理由>读完了。</理由></完成会话>',
    ]
    const id = await stage.open(steps, TEXT)
    await stage.client.sessions.send(id, { content: '读一读这个网页' })
    await stage.client.sessions.send(id, { content: '<授权><工具>网页访问</工具><反馈>请快一点</反馈></授权>' })
    return id
  },
  'en-native-several-calls': async (stage) => {
    const both = native(call('web_access', { url: stage.page('a') }), call('web_access', { url: stage.page('b') }))
    const id = await stage.open([both, native(call('rethink', { reason: 'Is that all?' })), finish], FREE)
    await stage.client.sessions.send(id, { content: 'Read both pages' })
    return id
  },
  titled: async (stage) => {
    // Either call may be the first: of the one for a title only the text counts.
    const step: StepInput = { content: 'Opening hours', tool_calls: [call('finish', { reason: 'At six.' })] }
    const id = await stage.open([step, step, finish], { ...EN, titles: 'model' })
    await stage.client.sessions.send(id, { content: 'When does the harbour open?' })
    await stage.client.sessions.send(id, { content: 'And on holidays?' })
    return id
  },
  'several-approvals': async (stage) => {
    const both = native(call('web_access', { url: stage.page('a') }), call('web_access', { url: stage.page('b') }))
    const id = await stage.open([both, finish], EN)
    await stage.client.sessions.send(id, { content: 'Read both pages' })
    await decided(stage, id, { decision: 'approve' })
    await decided(stage, id, { decision: 'reject', feedback: 'one is enough' })
    return id
  },
  'remembered-and-raised': async (stage) => {
    const steps = [read(stage.page('a')), read(stage.page('b')), native(call('rethink', { reason: 'Enough?' })), finish]
    const id = await stage.open(steps, { ...EN, limits: { max_iterations_total: 3 } })
    await stage.client.sessions.send(id, { content: 'Read both pages' })
    await decided(stage, id, { decision: 'approve', remember: 'session' })
    await stage.post(`/v1/sessions/${id}/continue`, { config: { limits: { max_iterations_total: 5 } } })
    return id
  },
  'refusal-by-other-words': async (stage) => {
    const id = await stage.open([read(stage.page('a')), finish], EN)
    await stage.client.sessions.send(id, { content: 'Read it' })
    await stage.client.sessions.send(id, { content: 'No, leave that page alone' })
    return id
  },
  'edited-arguments': async (stage) => {
    const id = await stage.open([read(stage.page('a')), finish], EN)
    await stage.client.sessions.send(id, { content: 'Read it' })
    await decided(stage, id, { decision: 'approve', arguments: { url: stage.page('b') } })
    return id
  },
  'denied-tool': async (stage) => {
    const id = await stage.open([read(stage.page('a')), finish], {
      ...EN,
      tools: { web_access: { permission: 'deny' } },
    })
    await stage.client.sessions.send(id, { content: 'Read it' })
    return id
  },
  question: async (stage) => {
    const id = await stage.open([native(call('ask', { question: 'Which?', options: ['one', 'two'] })), finish], EN)
    await stage.client.sessions.send(id, { content: 'Choose' })
    await decided(stage, id, { decision: 'answer', answer: 'two' })
    return id
  },
  'expired-approval': async (stage) => {
    const id = await stage.open([read(stage.page('a')), finish], { ...EN, limits: { approval_ttl_ms: 50 } })
    await stage.post(`/v1/sessions/${id}/messages`, { content: 'Read it' })
    await stage.asked(2)
    await stage.settled(id)
    return id
  },
  'zh-warnings-to-stuck': async (stage) => {
    const steps = ['没有调用', '<不存在><x>1</x></不存在>', '<网页访问><网址>x</网址></网页访问>']
    const id = await stage.open(steps, { ...TEXT, limits: { errors_in_a_row_max: 3 } })
    await stage.client.sessions.send(id, { content: '做点什么' })
    return id
  },
  'native-errors-and-recovery': async (stage) => {
    const wrong = native(
      call('nowhere', {}),
      call('web_access', { page: 'x' }),
      call('web_access', { url: stage.page('a') }),
    )
    const id = await stage.open(['no call here', wrong, finish], { ...FREE, ends_by_reply: 'never' })
    await stage.client.sessions.send(id, { content: 'Read it' })
    return id
  },
  'native-ends-by-reply': async (stage) => {
    const id = await stage.open([read(stage.page('a')), '<think>Well.</think>', 'The answer.', 'Another.'], FREE)
    await stage.client.sessions.send(id, { content: 'Read it' })
    await stage.client.sessions.send(id, { content: 'And now?' })
    return id
  },
  'zh-ends-after-warning': async (stage) => {
    const steps = ['没有调用', '<再度思考><理由>想</理由></再度思考>', '还是没有', '<思考>那就是它了</思考>答复']
    const id = await stage.open(steps, TEXT)
    await stage.client.sessions.send(id, { content: '做点什么' })
    return id
  },
  'zh-dropped-calls': async (stage) => {
    const one = (name: string) => `<网页访问><地址>${stage.page(name)}</地址></网页访问>`
    const id = await stage.open([`${one('a')}\n${one('b')}`, '<完成会话><理由>好了。</理由></完成会话>'], {
      ...TEXT,
      tools: { web_access: { auto_approve: true } },
    })
    await stage.client.sessions.send(id, { content: '读两个网页' })
    return id
  },
  'going-in-circles': async (stage) => {
    const again = read(stage.page('a'))
    const id = await stage.open([again, again, again, again], { ...FREE, limits: { repeats_max: 2 } })
    await stage.client.sessions.send(id, { content: 'Read it again and again' })
    return id
  },
  'bounds-and-continue': async (stage) => {
    const think = (reason: string) => native(call('rethink', { reason }))
    const id = await stage.open([think('one'), think('two'), think('three'), finish], {
      ...EN,
      limits: { max_iterations: 2 },
    })
    await stage.client.sessions.send(id, { content: 'Think' })
    await stage.client.sessions.continue(id)
    return id
  },
  'iteration-limit': async (stage) => {
    const think = (reason: string) => native(call('rethink', { reason }))
    const id = await stage.open([think('one'), think('two'), finish], { ...EN, limits: { max_iterations_total: 2 } })
    await stage.client.sessions.send(id, { content: 'Think' })
    return id
  },
  'budget-exhausted': async (stage) => {
    const id = await stage.open([native(call('rethink', { reason: 'long '.repeat(200) })), finish], {
      ...EN,
      limits: { max_total_tokens: 2_600 },
    })
    await stage.client.sessions.send(id, { content: 'Think' })
    return id
  },
  deadline: async (stage) => {
    const id = await stage.open([{ hang: true }], { ...EN, limits: { deadline_ms: 100 } })
    await stage.client.sessions.send(id, { content: 'Be quick' })
    return id
  },
  'model-failure-and-continue': async (stage) => {
    const id = await stage.open([{ status: 503 }, finish], EN)
    await stage.client.sessions.send(id, { content: 'Answer' })
    await stage.client.sessions.continue(id)
    return id
  },
  cancel: async (stage) => {
    const id = await stage.open([read(stage.page('a')), { hang: true }], FREE)
    await stage.post(`/v1/sessions/${id}/messages`, { content: 'Read it' }, ASYNC)
    await stage.asked(2)
    await stage.client.sessions.cancel(id)
    return id
  },
  'cancel-while-waiting': async (stage) => {
    const id = await stage.open([read(stage.page('a')), finish], EN)
    await stage.client.sessions.send(id, { content: 'Read it' })
    await stage.client.sessions.cancel(id)
    return id
  },
  'queue-and-interrupt': async (stage) => {
    const id = await stage.open(
      [{ delay_ms: 200, tool_calls: [call('finish', { reason: 'one' })] }, { hang: true }, finish],
      EN,
    )
    await stage.post(`/v1/sessions/${id}/messages`, { content: 'First' }, ASYNC)
    await stage.post(`/v1/sessions/${id}/messages?when_busy=queue`, { content: 'Second' }, ASYNC)
    await stage.asked(2)
    await stage.post(`/v1/sessions/${id}/messages?when_busy=interrupt`, { content: 'Third' })
    return id
  },
  'killed-in-model-call': async (stage) => {
    const id = await stage.open([read(stage.page('a')), { hang: true }, finish], FREE)
    await stage.post(`/v1/sessions/${id}/messages`, { content: 'Read it' }, ASYNC)
    await stage.asked(2)
    await stage.kill()
    await stage.settled(id)
    return id
  },
  'cut-while-answering': async (stage) => {
    const cut: StepInput = { ...Object(finish), stream_cut_after: 4 }
    const config: SessionConfig = { ...FREE, llm: { ...FREE.llm, retry: { times: 1 } } }
    const id = await stage.open([read(stage.page('a')), cut, finish], config)
    await stage.client.sessions.send(id, { content: 'Read it' })
    return id
  },
  'killed-in-tool-calls': async (stage) => {
    const slow = native(
      call('web_access', { url: stage.page('slow1') }),
      call('web_access', { url: stage.page('slow2') }),
    )
    const id = await stage.open([slow, finish], FREE)
    await stage.post(`/v1/sessions/${id}/messages`, { content: 'Read both pages' }, ASYNC)
    await stage.visited(1)
    await stage.kill()
    await stage.settled(id)
    return id
  },
  'killed-too-often': async (stage) => {
    const id = await stage.open([{ hang: true }, { hang: true }, { hang: true }, finish], EN)
    await stage.post(`/v1/sessions/${id}/messages`, { content: 'Answer' }, ASYNC)
    for (const count of [1, 2, 3]) {
      await stage.get(`/v1/sessions/${id}`)
      await stage.asked(count)
      await stage.kill()
    }
    await stage.settled(id)
    await stage.client.sessions.continue(id)
    return id
  },
  compaction: async (stage) => {
    const told = (name: string): StepInput => ({
      content: `Reading ${name}. `.repeat(30),
      tool_calls: [call('web_access', { url: stage.page(name) })],
    })
    const summary: StepInput = { content: 'Pages were read.' }
    const id = await stage.open(
      [told('a'), told('b'), summary, told('c'), summary, told('d'), finish, finish, finish],
      {
        ...FREE,
        model: 'small',
        limits: { max_iterations: 20 },
      },
    )
    await stage.client.sessions.send(id, { content: 'Read four pages' })
    return id
  },
  'zh-time-of-a-request': async (stage) => {
    const slow: StepInput = { delay_ms: 250, content: '<再度思考><理由>慢慢想</理由></再度思考>' }
    const id = await stage.open([slow, '<完成会话><理由>好了。</理由></完成会话>'], {
      ...TEXT,
      limits: { request_ms: 60 },
    })
    await stage.client.sessions.send(id, { content: '慢慢来' })
    while (Reflect.get(Object(await stage.post(`/v1/sessions/${id}/continue`, {})), 'code') === 'run_in_progress');
    await stage.settled(id)
    return id
  },
}
