import { describe, test } from 'vitest'
import { chatMessage } from '../../../src/callbacks/chat-message.ts'
import { feishuCard } from '../../../src/callbacks/feishu.ts'
import { slackMessage } from '../../../src/callbacks/slack.ts'
import type { NewsData } from '../../../src/domain/callback.ts'
import type { Language } from '../../../src/domain/language.ts'

const HOSTILE = '<!channel> <https://evil.example|click> **bold** [x](https://evil.example) & <at id=all></at>'

const approval = (more: object = {}): NewsData => ({
  session_id: 'ses_1',
  run_id: 'run_1',
  title: HOSTILE,
  status: 'interrupted',
  finish_reason: 'interrupted',
  pending: [
    {
      id: 'pnd_1',
      type: 'approval',
      tool: 'http_request',
      arguments: { url: 'https://api.example/', body: HOSTILE },
      arguments_hash: 'ab',
      risk: 'write',
      reason: 'untrusted text is in the context',
      touches: { addresses: ['https://api.example/'], paths: [] },
      decide_url: 'https://yaa.example/links/default.lnk_1.proof',
      created_time: '2026-03-10T12:00:00.000Z',
      expires_time: '2026-03-17T12:00:00.000Z',
      scope: null,
      ...more,
    },
  ],
})
const message = (data: NewsData, language: Language = 'en') =>
  chatMessage('approval.requested', data, 'https://yaa.example', language)

/** Every object of a value. */
function* objectsIn(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value as Record<string, unknown>
  for (const inner of Object.values(value)) yield* objectsIn(inner)
}

describe('a message for a chat', () => {
  test('shows the call, why it asks, what it touches, and a button to decide', ({ expect }) => {
    const { headline, fields, buttons } = message(approval())
    expect(headline).toContain('approval')
    expect(fields.map(({ label }) => label)).toEqual([
      'Session',
      'Tool',
      'Risk',
      'Why it asks',
      'It reaches',
      'Arguments',
    ])
    expect(buttons).toEqual([
      { text: 'Review and decide', url: 'https://yaa.example/links/default.lnk_1.proof', main: true },
      { text: 'Open the session', url: 'https://yaa.example/#/s/ses_1', main: false },
    ])
  })

  test('asks in the words of a step of a workflow, and names no tool where a plan waits', ({ expect }) => {
    const asked = { step: 'agree', approval: 'Refund 20?' }
    const step = message(approval({ tool: 'workflow', arguments: asked, risk: undefined, reason: undefined }))
    expect(step.fields.slice(1)).toEqual([{ label: 'Question', text: 'Refund 20?', isLong: true }])
    const plan = message(approval({ tool: undefined, arguments: { tasks: [] }, risk: undefined }))
    expect(plan.fields.map(({ label }) => label)).not.toContain('Tool')
  })

  test('is in the language of the server', ({ expect }) => {
    const { headline, fields, buttons } = message(approval(), 'zh-CN')
    const ours = [headline, ...fields.map(({ label }) => label), ...buttons.map(({ text }) => text)]
    expect(ours.filter((text) => !/\p{Script=Han}/u.test(text))).toEqual([])
  })

  test('for Slack holds what others wrote as plain text, which makes no link and no mention', ({ expect }) => {
    const body = slackMessage(message(approval()))
    const texts = [...objectsIn(body)].filter(
      (one) => 'type' in one && 'text' in one && typeof one['text'] === 'string',
    )
    expect(texts.length).toBeGreaterThan(6)
    expect(texts.filter(({ type }) => type !== 'plain_text')).toEqual([])
    expect(body).toMatchObject({ text: expect.not.stringContaining('<'), unfurl_links: false })
    const urls = [...objectsIn(body)].flatMap(({ url }) => (typeof url === 'string' ? [url] : []))
    expect(urls.every((url) => url.startsWith('https://yaa.example/'))).toBe(true)
  })

  test('for Feishu likewise', ({ expect }) => {
    const body = feishuCard(message(approval()))
    const tagged = [...objectsIn(body)].filter((one) => typeof one['content'] === 'string')
    expect(tagged.length).toBeGreaterThan(6)
    expect(tagged.filter(({ tag }) => tag !== 'plain_text')).toEqual([])
  })

  test('stays within what the chats take, however long the texts are', ({ expect }) => {
    const long = '长'.repeat(100_000)
    const data = approval({
      arguments: { body: long },
      reason: long,
      touches: { addresses: Array.from({ length: 20 }, () => `https://a.example/${long}`), paths: [long] },
    })
    const told = message({ ...data, title: long, result: long, error: { code: 'x', detail: long } })
    expect(new TextEncoder().encode(JSON.stringify(feishuCard(told))).length).toBeLessThan(20_000)
    const sections = [...objectsIn(slackMessage(told))].flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    expect(Math.max(...sections.map(({ length }) => length))).toBeLessThanOrEqual(3_000)
  })
})
