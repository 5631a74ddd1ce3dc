import { expect, test } from 'vitest'
import type { AgentResponseData, SessionData } from '../../../src/domain/session.ts'
import { WORDS } from '../../support/words.ts'
import { call, json, stage } from './http.ts'

const HAN = /\p{Script=Han}/u

async function made(task: string | undefined, headers: Record<string, string>, language?: string) {
  const { model, config } = await stage([{ content: WORDS.en.finish('ok'), repeat: true }])
  const body = { ...(task === undefined ? {} : { task }), config: { ...config, ...(language ? { language } : {}) } }
  const answer = await call('POST', '/v1/sessions', { body, headers })
  const session = await json<SessionData>(answer, 201)
  const [asked] = task === undefined ? [] : await model.asked()
  return { language: session.config.language, prompt: asked?.body.messages[0]?.content ?? '' }
}

test.each([
  ['en-GB,en;q=0.9', '法国的首都是哪里？', 'en'],
  ['zh-TW', 'What is the capital of France?', 'zh-TW'],
  ['en;q=0.5, fr-CA;q=0.8, *;q=0.1', '法国', 'fr'],
  ['zh-CN;q=0, en', '法国', 'en'],
  ['*', 'What is the capital of France?', 'en'],
  ['', 'What is the capital of France?', 'en'],
  ['nonsense;;q=x', '法国的首都是哪里？', 'zh-CN'],
])('a session is in the language of its request, else in that of its words: %s, %s', async (header, task, language) => {
  const session = await made(task, header === '' ? {} : { 'accept-language': header })
  expect(session.language).toBe(language)
  expect(HAN.test(session.prompt.replace(task, ''))).toBe(language.startsWith('zh'))
})

test('what config says comes first, and where nothing says it, it is the language of the server', async () => {
  expect((await made('Hello', { 'accept-language': 'en' }, 'zh-CN')).language).toBe('zh-CN')
  expect((await made(undefined, {})).language).toBeUndefined()
})

test('a call that keeps no session is answered in the language of the request, too', async () => {
  const { config } = await stage(['Paris.', { content: WORDS.en.finish('ok'), repeat: true }])
  const body = {
    messages: [{ role: 'user', content: 'Capital of France?' }],
    config: { ...config, ends_by_reply: 'never' },
  }
  const answer = await json<AgentResponseData>(call('POST', '/v1/agent', { body }))
  expect(JSON.stringify(answer.messages)).not.toMatch(HAN)
})
