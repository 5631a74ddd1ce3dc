/// <reference types="@cloudflare/vitest-plugin/types" />
import { runDurableObjectAlarm } from 'cloudflare:test'
import { describe, test } from 'vitest'
import { type Play, startPlay, valueOf } from '../support/play.ts'
import { expectSound } from '../support/sound.ts'
import { WORDS } from '../support/words.ts'
import { stubOf, within, workerHome } from './worker-home.ts'

const words = WORDS['zh-CN']
const xml = { llm: { protocol: 'xml' as const } }

/** The isolate of a session dies. */
async function die({ id }: Play): Promise<void> {
  await within(id, (_object, state) => state.abort('the isolate died')).catch(() => {})
}

describe('an isolate that dies', () => {
  test('in the middle of a summary: it is asked for again, and nothing is folded twice', async ({ expect }) => {
    const thought = (index: number) => words.rethink(`第${index}步：${'想一想灯塔。'.repeat(40)}`)
    const play = await startPlay(workerHome, {
      config: { ...xml, model: 'small', limits: { max_iterations: 40, repeats_max: 0 } },
      script: [
        { when: { contains: '压缩对话记录' }, hang: true },
        { when: { contains: '压缩对话记录' }, content: '摘要', repeat: true },
        ...Array.from({ length: 12 }, (_, index) => thought(index)),
        words.finish('好'),
      ],
    })
    await play.create()
    await valueOf(play.api.addMessage({ content: words.task }, { form: 'background' }))
    const isSummaryCall = ({ body }: { body: unknown }) => JSON.stringify(body).includes('压缩对话记录')
    for (let asked = await play.asked(1); !asked.some(isSummaryCall);) asked = await play.asked(asked.length + 1)
    await die(play)
    expect(await play.event('run-end')).toMatchObject({ status: 'completed', result: '好' })
    const starts = (await play.events()).flatMap((event) => (event.type === 'model-start' ? [event] : []))
    const repeated = starts.findIndex(({ attempt }) => attempt === 2)
    expect(starts.filter(({ attempt }) => attempt === 2)).toHaveLength(1)
    expect(starts[repeated - 1]?.message_id).not.toBe(starts[repeated]?.message_id)
    const [first, second] = (await play.asked()).filter(isSummaryCall)
    expect(second?.body.messages).toEqual(first?.body.messages)
    await expectSound(play, expect)
  })

  test('with messages queued: each has its run, in its turn', async ({ expect }) => {
    const play = await startPlay(workerHome, {
      config: xml,
      script: [{ hang: true }, words.finish('一'), words.finish('二'), words.finish('三')],
    })
    await play.create()
    const dead = [play.send('甲'), ...['乙', '丙'].map((content) => queue(play, content))].map((answer) =>
      answer.catch(() => 'died'),
    )
    await play.asked(1)
    await play.event('message-queued', (await play.event('message-queued')).seq)
    await die(play)
    expect(await Promise.all(dead)).toEqual(['died', 'died', 'died'])
    await runDurableObjectAlarm(stubOf(play.id))
    const ended = async () => (await play.events()).flatMap((event) => (event.type === 'run-end' ? [event.result] : []))
    for (let after = 0; (await ended()).length < 3;) after = (await play.event('run-end', after)).seq
    expect(await ended()).toEqual(['一', '二', '三'])
    await expectSound(play, expect)
  })

  const queue = (play: Play, content: string) => play.api.addMessage({ content }, { form: 'wait', whenBusy: 'queue' })
})
