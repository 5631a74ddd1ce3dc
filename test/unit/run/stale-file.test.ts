import { afterAll, beforeAll, describe } from 'vitest'
import * as z from 'zod'
import { sha256Hex } from '../../../src/lib/hash.ts'
import { defineTool } from '../../../src/tools/define.ts'
import { type NodeHome, nodeHome } from '../../support/node-home.ts'
import { valueOf } from '../../support/play.ts'
import { claim } from '../../support/session-claims/claim.ts'
import { native, WORDS } from '../../support/words.ts'

let isAsked = Promise.withResolvers<void>()
let mayEnd = Promise.withResolvers<void>()

/** Takes the file as it is, and its time. */
const slowWrite = defineTool({
  id: 'slow_write',
  names: { 'zh-CN': '慢写', en: 'slow_write' },
  description: { 'zh-CN': '写文件', en: 'Write a file' },
  risk: 'read',
  idempotent: true,
  input: z.strictObject({}),
  parameters: {},
  run: async (_input, { files }) => {
    const base = files.stat('a.txt')?.sha256 ?? null
    isAsked.resolve()
    await mayEnd.promise
    const bytes = new TextEncoder().encode('mine')
    const sha256 = await sha256Hex(bytes)
    return {
      ok: true,
      content: 'written',
      files: [{ action: 'write', path: 'a.txt', bytes, sha256, untrusted: false, base }],
    }
  },
})

let home: NodeHome
beforeAll(async () => {
  home = await nodeHome('sqlite', [slowWrite])
})
afterAll(() => home.close())

describe('a call that changes a file', () => {
  const setting = {
    config: { language: 'en' as const, llm: { protocol: 'native' as const } },
    script: [native('slow_write', {}), native('finish', { reason: 'done' })],
  }
  for (const happens of ['changed', 'deleted', 'left alone'] as const) {
    claim(
      () => home,
      `which meanwhile is ${happens}: ${happens === 'left alone' ? 'writes it' : 'writes nothing, and says so'}`,
      setting,
      async (play, expect) => {
        isAsked = Promise.withResolvers()
        mayEnd = Promise.withResolvers()
        await play.create()
        await valueOf(play.api.putFile('a.txt', new TextEncoder().encode('first'), { untrusted: false }))
        const answer = play.send(WORDS.en.task)
        await isAsked.promise
        if (happens === 'changed')
          await valueOf(play.api.putFile('a.txt', new TextEncoder().encode('theirs'), { untrusted: false }))
        if (happens === 'deleted') await valueOf(play.api.removeFile('a.txt', {}))
        mayEnd.resolve()
        expect(await answer).toMatchObject({ status: 'completed' })
        const told = (await play.messages()).find(({ role }) => role === 'tool')?.content
        expect(told).toContain(happens === 'left alone' ? 'written' : 'changed elsewhere')
        const left = await play.api.file('a.txt')
        const text = left.ok ? new TextDecoder().decode(left.value.bytes) : null
        expect(text).toBe({ changed: 'theirs', deleted: null, 'left alone': 'mine' }[happens])
      },
    )
  }
})
