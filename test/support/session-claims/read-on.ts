import { describe, type ExpectStatic } from 'vitest'
import { contentText } from '../../../src/domain/content.ts'
import type { Message } from '../../../src/domain/message.ts'
import { newId } from '../../../src/lib/id.ts'
import { errorOf, type Play, responseOf, valueOf } from '../play.ts'
import { APPROVED, BOTH, native, type Words, WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'

const WAIT = { form: 'wait' } as const
const zh = WORDS['zh-CN']
const xml = { ...APPROVED, llm: { protocol: 'xml' as const } }
/** Many requests that the same text answers. */
const ASKED = 'Read the page of the town and say: how deep is the basin at low tide?'
const ANSWER = 'At low tide the basin holds 43 metres of water.'

/** A call of read_result as models write it. */
function reads({ language }: Words, callId: string, offset: number): string {
  return language === 'en'
    ? `<read_result>\n<call_id>${callId}</call_id>\n<offset>${offset}</offset>\n</read_result>`
    : `<读取结果>\n<调用编号>${callId}</调用编号>\n<偏移>${offset}</偏移>\n</读取结果>`
}

/** Results that were cut, and the tool that reads on in them. */
export function readOnClaims(home: GetHome): void {
  describe('a result that was cut', () => {
    for (const words of BOTH) textClaims(home, words)
    nativeClaims(home)
    relevanceClaims(home)
    transferClaims(home)
  })
}

const cutIn = (messages: readonly Message[]) => messages.findLast(({ truncated }) => truncated)

/** A session with one result that was cut: its message, its whole text. */
async function cutSession(play: Play, task: string): Promise<{ cut: Message; callId: string; whole: string }> {
  await play.create()
  const { messages } = await play.send(task)
  const cut = cutIn(messages)
  const callId = cut?.tool_call_id ?? ''
  if (!cut) throw new Error('nothing was cut')
  return { cut, callId, whole: await valueOf(play.api.result(callId)) }
}

/** The newest result says what stands at an offset of the whole, fenced, and nothing of it is stored again. */
async function expectReadOn(play: Pick<Play, 'api'>, last: Message | undefined, whole: string, expect: ExpectStatic) {
  const [, from = '', to = ''] =
    /(?:这里是|these are) (\d+) (?:至|to) (\d+)/.exec(contentText(last?.content ?? '', null)) ?? []
  expect(last?.content).toContain(whole.slice(Number(from), Number(to)))
  expect(Number(to) - Number(from)).toBeGreaterThan(200)
  expect(last?.content).toMatch(
    /\[(?:网页内容开始|BEGIN PAGE CONTENT) (\w{16})\][^]*\[(?:网页内容结束|END PAGE CONTENT) \1\]$/,
  )
  expect(last).not.toHaveProperty('truncated')
  expect(await errorOf(play.api.result(last?.tool_call_id ?? ''))).toMatchObject({ code: 'not_found' })
}

function textClaims(home: GetHome, words: Words): void {
  claim(
    home,
    `says so with its call id, and is read on in text (${words.language})`,
    {
      config: { ...xml, language: words.language },
      script: (page) => [words.visit(page('long')), words.finish('好')],
    },
    async (play, expect) => {
      const { cut, callId, whole } = await cutSession(play, words.task)
      expect(cut.content).toContain(callId)
      expect(cut.truncated).toMatchObject({ original_length: whole.length })
      expect(cut.truncated?.kept_length).toBeLessThanOrEqual(8_000)
      expect(cut.content.length).toBeLessThanOrEqual(8_400)
      await play.model.script([reads(words, callId, 20_000), words.finish('好')])
      const { messages } = await play.send(words.task)
      await expectReadOn(
        play,
        messages.find(({ tool_name: tool }) => tool === 'read_result'),
        whole,
        expect,
      )
    },
  )
}

function nativeClaims(home: GetHome): void {
  claim(
    home,
    'makes read_result be offered from then on, and it keeps to low limits without being cut itself',
    {
      config: {
        llm: { protocol: 'native' },
        tools: { ...APPROVED.tools, read_result: { output: { chars_max: 1_200 } } },
      },
      script: (page) => [native('web_access', { url: page('long') }), native('finish', { reason: '好' })],
    },
    async (play, expect) => {
      const { callId, whole } = await cutSession(play, zh.task)
      const offered = (await play.asked()).map(({ body }) => body.tools?.map(({ function: { name } }) => name) ?? [])
      expect(offered.map((names) => names.includes('read_result'))).toEqual([false, true])
      await play.model.script([
        native('read_result', { call_id: callId, offset: 20_000 }),
        native('read_result', { call_id: 'call_x' }),
        native('finish', { reason: '好' }),
      ])
      const { messages, pending } = await play.send(zh.task)
      expect(pending).toEqual([])
      const [good, bad] = messages.filter(({ tool_name: tool }) => tool === 'read_result')
      await expectReadOn(play, good, whole, expect)
      expect(good?.content.length).toBeLessThanOrEqual(1_600)
      expect(bad?.content).toMatch(/^\[读取结果\]执行失败：没有保存编号为“call_x”/)
    },
  )
}

function relevanceClaims(home: GetHome): void {
  const config = { ...xml, language: 'en' as const }
  const en = WORDS.en

  claim(
    home,
    'keeps what speaks of the words of the user, in the order of the page',
    { config, script: (page) => [en.visit(page('town')), en.finish('ok')] },
    async (play, expect) => {
      const { cut, whole } = await cutSession(play, ASKED)
      expect(whole.length).toBeGreaterThan(12_000)
      expect(cut.content).toMatch(
        new RegExp(`tide is told by a gauge[^]*\\[…\\][^]*${ANSWER}[^]*\\[…\\][^]*tide brings driftwood`),
      )
      expect(cut.content).toMatch(
        /^\[web_access\] content:\n\nAddress: .*\n[^]*\[END PAGE CONTENT \w{16}\]\n\n\(Too long/,
      )
    },
  )

  claim(
    home,
    'is cut by its strategy when the words say nothing, or say it nowhere',
    { config, script: (page) => [en.visit(page('town')), en.finish('ok')] },
    async (play, expect) => {
      const { cut } = await cutSession(play, 'Please summarise this page in 5 points')
      expect(cut.content).not.toContain(ANSWER)
      expect(cut.content).toMatch(/characters left out here/)
    },
  )
}

function transferClaims(home: GetHome): void {
  claim(
    home,
    'is read on after the session was exported and imported',
    { config: xml, script: (page) => [zh.visit(page('long')), zh.finish('好')] },
    async (play, expect) => {
      const { callId, whole } = await cutSession(play, zh.task)
      const id = newId('ses', Date.now())
      const document = await valueOf(play.api.export(null, false))
      await valueOf(play.home.session(id).import(id, 'default', document, { bytesMax: 1_000_000, keepConfig: true }))
      await play.model.script([reads(zh, callId, 20_000), zh.finish('好')])
      const answer = await play.home
        .session(id)
        .addMessage({ content: zh.task, config: { ...xml, llm: { model: play.model.name, protocol: 'xml' } } }, WAIT)
      const last = responseOf(answer).messages.find(({ tool_name: tool }) => tool === 'read_result')
      await expectReadOn({ api: play.home.session(id) }, last, whole, expect)
    },
  )
}
