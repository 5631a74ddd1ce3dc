import { describe, test } from 'vitest'
import { type Play, startPlay, valueOf } from '../../support/play.ts'
import { expectSound } from '../../support/sound.ts'
import { native } from '../../support/words.ts'
import { die } from './die.ts'
import { workerHome } from './worker-home.ts'

const TOOLS = ['http_request', 'write_file', 'edit_file', 'web_access']
const config = {
  language: 'en' as const,
  llm: { protocol: 'native' as const },
  tools: Object.fromEntries(TOOLS.map((id) => [id, { auto_approve: true }])),
}
const finish = native('finish', { reason: 'done' })

const startsOf = async (play: Play, name: string) =>
  (await play.events()).flatMap((event) => (event.type === 'tool-start' && event.tool === name ? [event] : []))

describe('an isolate that dies', () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    test(`in the middle of a ${method}: it is reported as interrupted and never made twice`, async ({ expect }) => {
      const play = await startPlay(workerHome, {
        config,
        script: (page) => [native('http_request', { method, url: page('hang-once') }), finish],
      })
      await play.create()
      const waiting = play.send('Do it').catch(() => 'died')
      await play.site.visits(1)
      await die(play)
      expect(await waiting).toBe('died')
      await play.session()
      expect(await play.event('run-end')).toMatchObject({ status: 'completed', result: 'done' })
      expect(await play.site.visits()).toEqual(['hang-once'])
      expect((await startsOf(play, 'http_request')).map(({ attempt }) => attempt)).toEqual([1])
      const told = (await play.messages()).find(({ tool_name: name }) => name === 'http_request')?.content
      expect(told).toMatch(/interrupted/i)
      await expectSound(play, expect)
    })
  }

  test('in the middle of a GET: it is made again under the same call id', async ({ expect }) => {
    const play = await startPlay(workerHome, {
      config,
      script: (page) => [native('http_request', { method: 'GET', url: page('hang-once') }), finish],
    })
    await play.create()
    const waiting = play.send('Do it').catch(() => 'died')
    await play.site.visits(1)
    await die(play)
    expect(await waiting).toBe('died')
    await play.session()
    expect(await play.event('run-end')).toMatchObject({ status: 'completed', result: 'done' })
    expect(await play.site.visits()).toEqual(['hang-once', 'hang-once'])
    const starts = await startsOf(play, 'http_request')
    expect(starts.map(({ attempt }) => attempt)).toEqual([1, 2])
    expect(new Set(starts.map(({ call_id: id }) => id)).size).toBe(1)
    await expectSound(play, expect)
  })

  test('after a file was written, in the middle of another call: the file is there, and is not written again', async ({
    expect,
  }) => {
    const play = await startPlay(workerHome, {
      config,
      script: (page) => [
        {
          content: null,
          tool_calls: [
            { name: 'write_file', arguments: { path: 'a.txt', content: 'one' } },
            { name: 'edit_file', arguments: { path: 'a.txt', old: 'one', new: 'one one' } },
            { name: 'web_access', arguments: { url: page('hang-once') } },
          ],
        },
        finish,
      ],
    })
    await play.create()
    const waiting = play.send('Do it').catch(() => 'died')
    await play.site.visits(1)
    await play.event('file', (await play.event('file')).seq)
    await die(play)
    expect(await waiting).toBe('died')
    const { bytes, file } = await valueOf(play.api.file('a.txt'))
    expect([new TextDecoder().decode(bytes), file.size]).toEqual(['one one', 7])
    await play.session()
    expect(await play.event('run-end')).toMatchObject({ status: 'completed' })
    expect(new TextDecoder().decode((await valueOf(play.api.file('a.txt'))).bytes)).toBe('one one')
    expect([...(await startsOf(play, 'write_file')), ...(await startsOf(play, 'edit_file'))]).toHaveLength(2)
    await expectSound(play, expect)
  })
})
