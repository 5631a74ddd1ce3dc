import { describe, type ExpectStatic } from 'vitest'
import { newId } from '../../../src/lib/id.ts'
import type { Home } from '../home.ts'
import { type Play, startPlay } from '../play.ts'
import { BOTH, native, type Words, WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'

const config = { language: 'en', llm: { protocol: 'native' as const }, tools: { wait: { enabled: true } } }
const FINISH = native('finish', { reason: 'went on' })

/** A session whose run waits for a human, and then says this. */
export async function asking(home: Home, answer = 'Forty-two.'): Promise<Play> {
  const other = await startPlay(home, {
    config,
    script: [native('ask', { question: 'Ready?' }), native('finish', { reason: answer })],
  })
  await other.create()
  await other.send('Count')
  return other
}

/** Have a session wait for others, one after the other. */
export async function waitFor(play: Play, sessions: readonly string[], words: Words = WORDS.en): Promise<void> {
  await play.model.script([...sessions.map((session) => native('wait', { session })), FINISH])
  await play.create({ config: { language: words.language } })
  await play.send(words.task)
}

/** What the model was told of its waits. */
export async function toldOf(play: Play): Promise<string[]> {
  const results = (await play.messages()).filter(({ tool_name: tool }) => tool === 'wait')
  return results.map(({ content }) => (typeof content === 'string' ? content : ''))
}

async function expectGoneOn(play: Play, expect: ExpectStatic): Promise<string> {
  expect(await play.event('run-end')).toMatchObject({ status: 'completed', result: 'went on' })
  return (await toldOf(play)).join('\n')
}

/** What a session hears of another that it waits for. */
export function awaitedClaims(home: GetHome): void {
  for (const words of BOTH)
    describe(`a wait for another session, ${words.language}`, () => {
      claim(home, 'ends with its run, and gives its status and its answer', { config }, async (play, expect) => {
        const other = await asking(home())
        await waitFor(play, [other.id], words)
        const { status, pending } = await play.session()
        expect(status).toBe('interrupted')
        expect(pending).toMatchObject([{ type: 'question', tool: 'wait', wait: { session: other.id } }])
        expect(pending[0]?.question).toContain(other.id)
        await other.decide({ decision: 'answer', answer: 'Yes' })
        const told = await expectGoneOn(play, expect)
        expect(told).toContain('completed')
        expect(told).toContain('Forty-two.')
        const untrusted = (await play.events()).filter((event) => event.type === 'message' && event.untrusted)
        expect(untrusted).toEqual([])
      })
    })
  describe('a wait for another session', () => endClaims(home))
}

function endClaims(home: GetHome): void {
  claim(home, 'that is over already ends at once, and takes its taint along', { config }, async (play, expect) => {
    const other = await startPlay(home(), {
      config: { ...config, tools: { web_access: { auto_approve: true } } },
      script: (page) => [
        native('web_access', { url: page('article') }),
        native('finish', { reason: 'Four chapters.' }),
      ],
    })
    await other.create({ task: 'Read it' })
    await waitFor(play, [other.id])
    expect(await expectGoneOn(play, expect)).toMatch(/untrusted[\s\S]*Four chapters\./)
    const told = (await play.events()).find((event) => event.type === 'message' && event.message.tool_name === 'wait')
    expect(told).toMatchObject({ untrusted: true })
  })

  claim(home, 'says that it was cancelled, deleted, or never had a task', { config }, async (play, expect) => {
    const [cancelled, deleted] = [await asking(home()), await asking(home())]
    const idle = await startPlay(home(), { config })
    await idle.create()
    await waitFor(play, [cancelled.id, deleted.id, idle.id])
    await cancelled.cancel()
    await play.event('pending', (await play.event('pending-end')).seq)
    // Where it is asked only while it goes, its run was cancelled.
    await deleted.api.remove()
    expect(await expectGoneOn(play, expect)).toMatch(/cancelled[\s\S]*(?:deleted|cancelled)[\s\S]*never given a task/)
  })

  claim(home, 'is refused where there is none, or it is the same one', { config }, async (play, expect) => {
    const other = await startPlay(home(), { config })
    await waitFor(other, [play.id])
    // Nobody knows the other's id yet: it was told that there is no such session.
    expect(await expectGoneOn(other, expect)).toContain(`no session ${play.id}`)
    await waitFor(play, ['ses_1', play.id, newId('ses', Date.now()), other.id])
    await expectGoneOn(play, expect)
    const ends = (await play.events()).flatMap((event) => (event.type === 'tool-end' ? [event.ok] : []))
    expect(ends).toEqual([false, false, false, true, true])
  })

  claim(home, 'of two for each other is refused, and neither waits for ever', { config }, async (play, expect) => {
    const other = await startPlay(home(), { config, script: [] })
    await play.create()
    await other.model.script([native('wait', { session: play.id }), FINISH])
    await other.create()
    await play.model.script([native('ask', { question: '?' }), native('wait', { session: other.id }), FINISH])
    await play.send('Go')
    await other.send('Wait')
    await play.decide({ decision: 'answer', answer: 'Now' })
    expect(await expectGoneOn(play, expect)).toContain('waits for this one')
    expect(await expectGoneOn(other, expect)).toContain('went on')
  })

  claim(home, 'is called off by a human, and hears nothing afterwards', { config }, async (play, expect) => {
    const other = await asking(home())
    await waitFor(play, [other.id])
    expect(await play.decide({ decision: 'reject', feedback: 'Never mind' })).toMatchObject({ status: 'completed' })
    const { seq } = (await play.events()).at(-1) ?? { seq: 0 }
    expect(await other.decide({ decision: 'answer', answer: 'Yes' })).toMatchObject({ status: 'completed' })
    expect((await play.events()).at(-1)?.seq).toBe(seq)
  })

  claim(home, 'that works for somebody else is not there', { config }, async (play, expect) => {
    const other = await asking(home())
    await play.model.script([native('wait', { session: other.id }), FINISH])
    await play.create({ user: 'ann' })
    await play.send('Go')
    expect(await expectGoneOn(play, expect)).toContain(`no session ${other.id}`)
  })
}
