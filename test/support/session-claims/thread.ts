import { describe } from 'vitest'
import { errorOf, responseOf, valueOf } from '../play.ts'
import { hear } from '../sse.ts'
import { BOTH, type Words, WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'

const words = WORDS.en
const xml = { llm: { protocol: 'xml' as const } }
const held = { content: words.finish('good'), hold_after: 0 }

/** What a session promises a door whose threads are sessions. */
export function threadClaims(home: GetHome): void {
  describe('a thread of a door', () => {
    orderClaims(home)
    repeatClaims(home)
  })
  for (const spoken of BOTH)
    describe(`a history that a door's caller gave, ${spoken.language}`, () => givenClaims(home, spoken))
}

function orderClaims(home: GetHome): void {
  claim(
    home,
    'is answered by its run, which no bound of a request stops',
    { config: { ...xml, limits: { max_iterations: 1 } }, script: [words.rethink('a'), words.finish('good')] },
    async (play, expect) => {
      await play.create()
      const answer = await play.api.addMessage({ content: words.task }, { form: 'wait', thread: {} })
      expect(responseOf(answer)).toMatchObject({ status: 'completed', result: 'good' })
    },
  )

  claim(
    home,
    'has its messages under the names that their client has for them',
    { config: xml, script: [words.finish('one')] },
    async (play, expect) => {
      await play.create()
      await play.api.addMessage({ content: words.task }, { form: 'wait', thread: { messageId: 'theirs-1' } })
      const asked = (await play.session()).messages.filter(({ role }) => role === 'user')
      expect(asked[0]).toMatchObject({ client_id: 'theirs-1', id: expect.stringMatching(/^msg_/) })
    },
  )

  claim(
    home,
    'takes the task of a session that is there as its next',
    { config: xml, script: [words.finish('one'), words.finish('two')] },
    async (play, expect) => {
      await play.create()
      const create = (task: string) => play.api.create(play.id, 'default', { task }, { form: 'wait', thread: {} })
      await play.send('first')
      const answer = await valueOf(create('second'))
      expect(answer).toMatchObject({ form: 'wait', response: { id: play.id, result: 'two' } })
      expect((await play.kinds()).filter((kind) => kind === 'task')).toHaveLength(2)
    },
  )

  claim(
    home,
    'has nothing done behind a run that another has followed',
    { config: xml, script: [words.finish('one'), words.finish('two'), words.finish('three')] },
    async (play, expect) => {
      await play.create()
      const { run_id: first } = await play.send('first')
      await play.send('second')
      const log = await play.events()
      const late = (after: string | null) =>
        errorOf(play.api.addMessage({ content: 'third' }, { form: 'wait', thread: { after } }))
      expect(await late(first)).toMatchObject({ code: 'precondition_failed', what: 'run' })
      expect(await late(null)).toMatchObject({ code: 'precondition_failed', what: 'run' })
      expect(await play.events()).toEqual(log)
    },
  )
}

function repeatClaims(home: GetHome): void {
  claim(
    home,
    'is joined by the same request while it runs, in any form',
    { config: xml, script: [held] },
    async (play, expect) => {
      await play.create()
      const send = (form: 'wait' | 'stream') =>
        play.api.addMessage({ content: words.task }, { form, key: 'k', thread: {} })
      const first = send('wait')
      await play.asked(1)
      const again = send('wait')
      const streamed = await valueOf(send('stream'))
      await play.model.release()
      const { run_id: run } = responseOf(await first)
      expect(responseOf(await again)).toMatchObject({ run_id: run, result: 'good' })
      expect(streamed).toMatchObject({ form: 'stream', runId: run, replayed: true })
      const events = streamed.form === 'stream' ? await hear(streamed.body) : []
      expect(events.at(-1)).toMatchObject({ event: 'run-end' })
      expect(await play.asked()).toHaveLength(1)
    },
  )

  claim(
    home,
    'is asked anew by the same request once it rests, unless that is a retry',
    { config: xml, script: [words.finish('one'), words.finish('two')] },
    async (play, expect) => {
      await play.create()
      const send = async (isRetry: boolean) =>
        responseOf(await play.api.addMessage({ content: words.task }, { form: 'wait', key: 'k', thread: { isRetry } }))
      expect(await send(false)).toMatchObject({ result: 'one' })
      expect(await send(true)).toMatchObject({ result: 'one' })
      expect(await send(false)).toMatchObject({ result: 'two' })
      expect(await send(true)).toMatchObject({ result: 'two' })
    },
  )
}

function givenClaims(home: GetHome, spoken: Words): void {
  const tools = { web_access: { auto_approve: true } }
  const going = (then: string) => ({
    config: { language: spoken.language, ...xml, tools },
    script: (page: (name: string) => string) => [spoken.visit(page('poison')), spoken.visit(then), spoken.finish('ok')],
  })

  claim(
    home,
    'is read by the model, and names no host that a poisoned page may lead to',
    going('https://evil.example/other'),
    async (play, expect) => {
      const said = `${spoken.task}: evil.example`
      const messages = [
        { role: 'user' as const, content: said, given: true as const },
        { role: 'assistant' as const, content: 'https://evil.example/other', given: true as const },
      ]
      await play.create({ messages })
      expect(await play.send(spoken.task)).toMatchObject({ status: 'interrupted', pending: [{ tool: 'web_access' }] })
      const [first] = await play.asked()
      expect(JSON.stringify(first)).toContain(said)
      expect((await play.messages()).filter(({ given }) => given)).toHaveLength(2)
      await play.cancel()
    },
  )
}
