import { describe, expectTypeOf, test } from 'vitest'
import { compactRequest } from '../../../src/agent/compact.ts'
import { turnsOf } from '../../../src/agent/history.ts'
import { createRunView } from '../../../src/cli/view/run-view.ts'
import { textsOf } from '../../../src/cli/texts.ts'
import type { Sessions } from '../../../src/client/sessions.ts'
import { Timeline } from '../../../src/console/timeline/timeline.ts'
import { type Content, contentText, part, storedContent } from '../../../src/domain/content.ts'
import { contentInput } from '../../../src/domain/content-input.ts'
import type { SessionEvent } from '../../../src/domain/event.ts'
import type { Message } from '../../../src/domain/message.ts'
import { estimateTokens } from '../../../src/lib/text.ts'
import { tokensOf } from '../../../src/log/window.ts'
import { nameHosts } from '../../../src/log/reduce/messages.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { newState } from '../../../src/domain/state.ts'

const CONTENT: Content = [
  { type: 'text', text: 'Compare it with https://boats.example/' },
  { type: 'image', path: 'in/evil.example.png', media_type: 'image/png' },
  { type: 'data', data: { month: 5 } },
]
const ZH = 'Compare it with https://boats.example/\n[图片：in/evil.example.png]\n{"month":5}'
const EN = 'Compare it with https://boats.example/\n[image: in/evil.example.png]\n{"month":5}'

const message = (fields: Partial<Message>): Message => ({
  id: 'msg_1',
  seq: 1,
  run_id: 'run_1',
  role: 'user',
  content: CONTENT,
  kind: 'task',
  created_time: '2026-11-22T00:00:00Z',
  scope: null,
  ...fields,
})
const event = (told: Message): SessionEvent => ({
  type: 'message',
  message: told,
  seq: 1,
  run_id: 'run_1',
  time: told.created_time,
  scope: null,
})

describe('the content of a message as text', () => {
  test.for([undefined, null, 5, {}])('says what it should be where it is %s', (content, { expect }) => {
    const { error } = contentInput.safeParse(content)
    expect(error?.issues.map(({ message }) => message)).toEqual(['a text, or a list of parts'])
  })

  test('is itself, or the text of its parts with marks in the words of the language', ({ expect }) => {
    expect(contentText('as it is', 'en')).toBe('as it is')
    expect(contentText(CONTENT, 'zh-CN')).toBe(ZH)
    expect(contentText(CONTENT, 'en')).toBe(EN)
    expect(contentText([{ type: 'file', path: 'a/b.pdf', media_type: 'x/y' }], 'zh-CN')).toBe('[文件：a/b.pdf]')
  })

  test('has no mark where only the words count, and a part of a later release says nothing', ({ expect }) => {
    expect(contentText(CONTENT, null)).toBe('Compare it with https://boats.example/\n{"month":5}')
    const later = storedContent().parse([{ type: 'sound', path: 'x' }])
    expect(contentText(later, 'en')).toBe('')
    const state = newState(0)
    nameHosts(state, contentText(CONTENT, null))
    expect(state.namedHosts).toEqual(['boats.example'])
  })

  test('fits its schema only with a path within the workspace', ({ expect }) => {
    const file = { type: 'file', path: 'a/b.pdf', media_type: 'application/pdf' }
    expect(part().safeParse(file).success).toBe(true)
    for (const path of ['/a', '../a', './a', 'a//b', ''])
      expect(part().safeParse({ ...file, path }).success).toBe(false)
  })

  test('is what a model reads, in its window and in a transcript', ({ expect }) => {
    const said = message({})
    expect(tokensOf(said)).toBe(4 + LIMITS.parts.imageTokens + estimateTokens(EN))
    expect(turnsOf([said], [], { language: 'zh-CN', protocol: 'xml', outputSchema: null })).toEqual([
      { role: 'user', content: ZH },
    ])
    const input = { messages: [said], isCut: false, earlier: null, budgetTokens: 1_000 }
    const asked = compactRequest({ ...input, language: 'zh-CN' }).messages.at(-1)
    expect(asked?.content).toBe(`[用户]\n${ZH}`)
  })

  test('is what the terminal shows of a failed call and of a reply', ({ expect }) => {
    const view = createRunView(textsOf('zh-CN'), [])
    const reply = view.push(event(message({ role: 'assistant', kind: 'reply' })))
    expect(JSON.stringify(reply)).toContain('[图片：in/evil.example.png]')
    view.push({ type: 'tool-end', call_id: 'c', ok: false, ms: 1, digest: '', ...envelope })
    const failed = view.push(event(message({ role: 'tool', kind: 'tool_result', tool_call_id: 'c' })))
    expect(failed).toEqual([
      { type: 'line', style: 'bad', text: expect.stringContaining('[图片：in/evil.example.png]') },
    ])
  })

  test('is what the console shows of a reply, a result and a warning; what a user said it keeps whole', ({
    expect,
  }) => {
    const timeline = new Timeline([], 'zh-CN')
    timeline.push(event(message({ id: 'a' })))
    timeline.push(event(message({ id: 'b', role: 'assistant', kind: 'reply' })))
    timeline.push(event(message({ id: 'c', role: 'system', kind: 'warning' })))
    const [said, reply, warning] = timeline.items
    expect(said).toMatchObject({ kind: 'said', message: { content: CONTENT } })
    expect(reply?.kind === 'reply' && reply.text.whole).toBe(ZH)
    expect(warning).toMatchObject({ kind: 'note', note: { type: 'warning', text: ZH } })
  })

  test('cannot be taken for a string, neither by who reads a log nor by who asks the server', () => {
    expectTypeOf<Message['content']>().toEqualTypeOf<Content>()
    type Listed = Awaited<ReturnType<Sessions['messages']>>['data'][number]
    expectTypeOf<Listed['content']>().toEqualTypeOf<Content>()
  })
})

const envelope = { seq: 2, run_id: 'run_1', time: '2026-11-22T00:00:00Z', scope: null }
