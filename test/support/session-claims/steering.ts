import { describe } from 'vitest'
import { contentText } from '../../../src/domain/content.ts'
import { contentInput, type ContentInput } from '../../../src/domain/content-input.ts'
import { toBase64 } from '../../../src/lib/base64.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import type { Asked } from '../peers.ts'
import { PNG_URL } from '../small-image.ts'
import { errorOf, type Play, responseOf, valueOf } from '../play.ts'
import { hear } from '../sse.ts'
import { APPROVED, BOTH, native, type Words } from '../words.ts'
import { claim, type GetHome } from './claim.ts'

const STEER = { form: 'wait', whenBusy: 'steer' } as const
const finishing = (reason: string) => native('finish', { reason })
const steer = async (play: Play, content: ContentInput) => responseOf(await play.api.addMessage({ content }, STEER))
const said = (asked: Asked | undefined) => asked?.body.messages.map(({ role, content }) => [role, content]) ?? []
const rolesOf = (asked: Asked | undefined) => asked?.body.messages.map(({ role }) => role)

const SEEING = { language: 'en' as const, llm: { vision: true } }

/** A message with an image, and a file that says where the kettle is. */
const WITH_FILE = contentInput.parse([
  { type: 'image', image_url: PNG_URL },
  { type: 'text', text: 'and read this' },
  { type: 'file', name: 'kettle.txt', data: toBase64(new TextEncoder().encode('The kettle is on the roof.')) },
])

/** A message during a run that is to change its course. */
export function steeringClaims(home: GetHome): void {
  for (const words of BOTH) describe(`when_busy=steer, ${words.language}`, () => orderClaims(home, words))
  describe('when_busy=steer', () => steerClaims(home))
  describe('when_busy=steer where others work', () => otherClaims(home))
}

function orderClaims(home: GetHome, words: Words): void {
  const config = { language: words.language, llm: { protocol: 'xml' as const } }

  claim(
    home,
    'stands behind the reply that did not know of it, in tags too',
    { config, script: [{ content: words.rethink('…'), hold_after: 0 }, words.finish('好')] },
    async (play, expect) => {
      await play.create()
      const first = play.send(words.task)
      await play.asked(1)
      const second = steer(play, 'and be brief')
      await play.event('message', (await play.events()).findLast(({ type }) => type === 'model-start')?.seq)
      await play.model.release()
      await first
      expect(await second).toMatchObject({ status: 'completed', result: '好' })
      const messages = said((await play.asked())[1])
      expect(messages.at(-1)).toEqual(['user', 'and be brief'])
      expect(messages.at(-3)?.[0]).toBe('assistant')
    },
  )
}

function steerClaims(home: GetHome): void {
  claim(
    home,
    'is in the log at once, goes to the run that is going, and is in its next model call',
    { script: [{ ...native('rethink', { reason: '…' }), hold_after: 0 }, finishing('short')] },
    async (play, expect) => {
      await play.create()
      const first = play.send('Tell me all about tea')
      await play.asked(1)
      const second = steer(play, 'in one line')
      const [message] = (await heardSteer(play)).slice(-1)
      expect(message).toMatchObject({ role: 'user', kind: 'steer', content: 'in one line' })
      expect(await play.asked()).toHaveLength(1)
      await play.model.release()
      const [one, two] = [await first, await second]
      expect(one).toMatchObject({ status: 'completed', result: 'short' })
      expect(two).toEqual(one)
      expect((await play.events()).filter(({ type }) => type === 'run-start')).toHaveLength(1)
      expect(rolesOf((await play.asked())[1])).toEqual(['system', 'user', 'assistant', 'tool', 'user'])
      expect(await play.kinds()).toEqual(['task', 'prompt', 'steer', 'reply', 'tool_result', 'reply', 'tool_result'])
    },
  )

  claim(
    home,
    'is not lost where the reply that is under way ends the run: the model is called again with it',
    { script: [{ ...finishing('first'), hold_after: 0 }, finishing('second')] },
    async (play, expect) => {
      await play.create()
      const first = play.send('Tell me about tea')
      await play.asked(1)
      const second = steer(play, 'and about coffee')
      await heardSteer(play)
      await play.model.release()
      expect(await first).toMatchObject({ status: 'completed', result: 'second' })
      expect(await second).toMatchObject({ result: 'second' })
      expect((await play.events()).filter(({ type }) => type === 'run-end')).toHaveLength(1)
      expect(said((await play.asked())[1]).at(-1)).toEqual(['user', 'and about coffee'])
    },
  )

  claim(
    home,
    'is not lost where a plain reply was to be the answer',
    { script: [{ content: 'first', hold_after: 0 }, 'second'] },
    async (play, expect) => {
      await play.create()
      const first = play.send('Tell me about tea')
      await play.asked(1)
      const second = steer(play, 'and about coffee')
      await heardSteer(play)
      await play.model.release()
      expect(await first).toMatchObject({ status: 'completed', result: 'second' })
      await second
      expect(said((await play.asked())[1]).slice(-2)).toEqual([
        ['assistant', 'first'],
        ['user', 'and about coffee'],
      ])
    },
  )

  claim(
    home,
    'does not cut a call that is under way, and stands behind its result',
    { config: APPROVED, script: (page) => [native('web_access', { url: page('held') }), finishing('done')] },
    async (play, expect) => {
      await play.create()
      const first = play.send('Read it')
      await play.site.visits(1)
      const second = steer(play, 'look for prices')
      await heardSteer(play)
      await fetch(play.site.url('free'))
      expect(await first).toMatchObject({ status: 'completed', result: 'done' })
      await second
      expect(rolesOf((await play.asked())[1])).toEqual(['system', 'user', 'assistant', 'tool', 'user'])
    },
  )

  claim(
    home,
    'is a plain message where nothing is going',
    { script: [finishing('one'), finishing('two')] },
    async (play, expect) => {
      await play.create()
      expect(await steer(play, 'a task')).toMatchObject({ status: 'completed', result: 'one' })
      expect(await steer(play, 'another')).toMatchObject({ status: 'completed', result: 'two' })
      expect((await play.kinds()).filter((kind) => kind === 'task' || kind === 'steer')).toEqual(['task', 'task'])
    },
  )

  claim(
    home,
    'answers in every form as a message of that run, once for a key',
    { script: [{ ...native('rethink', { reason: '…' }), hold_after: 0 }, finishing('done')] },
    async (play, expect) => {
      await play.create()
      const first = play.send('Tell me about tea')
      await play.asked(1)
      const keyed = () =>
        valueOf(play.api.addMessage({ content: 'a' }, { form: 'background', whenBusy: 'steer', key: 'k' }))
      const accepted = await keyed()
      const stream = await valueOf(play.api.addMessage({ content: 'b' }, { form: 'stream', whenBusy: 'steer' }))
      expect(await keyed()).toEqual({ ...accepted, replayed: true })
      await play.model.release()
      const { run_id: run } = await first
      expect(accepted).toMatchObject({ form: 'background', accepted: { run_id: run } })
      const heard = stream.form === 'stream' ? await hear(stream.body) : []
      expect(heard.at(-1)).toMatchObject({ event: 'run-end', data: { run_id: run, result: 'done' } })
      const steers = (await play.messages()).filter(({ kind }) => kind === 'steer')
      expect(steers.map(({ content }) => content)).toEqual(['a', 'b'])
      expect(said((await play.asked())[1]).slice(-2)).toEqual([
        ['user', 'a'],
        ['user', 'b'],
      ])
    },
  )

  claim(
    home,
    'whose caller does not wait has the run go on in the background, past the bound of the request that began it',
    {
      config: { limits: { max_iterations: 1 } },
      script: [
        { ...native('rethink', { reason: '…' }), hold_after: 0 },
        native('rethink', { reason: '…' }),
        finishing('done'),
      ],
    },
    async (play, expect) => {
      await play.create()
      const first = play.send('Tell me about tea')
      await play.asked(1)
      await valueOf(play.api.addMessage({ content: 'in one line' }, { form: 'background', whenBusy: 'steer' }))
      await play.model.release()
      expect(await play.event('run-end')).toMatchObject({ status: 'completed', result: 'done' })
      expect(await first).toMatchObject({ status: 'completed', result: 'done' })
      expect((await play.events()).filter(({ type }) => type === 'run-pause')).toEqual([])
    },
  )

  claim(
    home,
    'goes on with a run that rests between two batches',
    {
      config: { limits: { max_iterations: 1 } },
      script: [native('rethink', { reason: '…' }), finishing('done')],
    },
    async (play, expect) => {
      await play.create()
      const first = await play.send('Tell me about tea')
      expect(first).toMatchObject({ status: 'in_progress' })
      expect(await steer(play, 'in one line')).toMatchObject({
        status: 'completed',
        result: 'done',
        run_id: first.run_id,
      })
      expect(rolesOf((await play.asked())[1])).toEqual(['system', 'user', 'assistant', 'tool', 'user'])
    },
  )

  claim(
    home,
    'goes to the run that is going, not to one that is queued',
    { script: [{ ...native('rethink', { reason: '…' }), hold_after: 0 }, finishing('one'), finishing('two')] },
    async (play, expect) => {
      await play.create()
      const first = play.send('first')
      await play.asked(1)
      const queued = play.api.addMessage({ content: 'later' }, { form: 'wait', whenBusy: 'queue' })
      await play.event('message-queued')
      const second = steer(play, 'now')
      await heardSteer(play)
      await play.model.release()
      expect(await first).toMatchObject({ result: 'one' })
      expect(await second).toMatchObject({ result: 'one', run_id: (await first).run_id })
      expect(responseOf(await queued)).toMatchObject({ result: 'two' })
    },
  )

  claim(
    home,
    'has no schema of its own, and no end of messages that nobody was told yet',
    { script: [{ hang: true }] },
    async (play, expect) => {
      await play.create()
      const first = play.send('first')
      await play.asked(1)
      const more = { content: 'x', output_schema: { type: 'object' } }
      expect(await errorOf(play.api.addMessage(more, STEER))).toMatchObject({
        code: 'invalid_input',
        issues: [{ path: 'output_schema' }],
      })
      const { steersMax } = LIMITS.run
      for (let sent = 0; sent < steersMax; sent++)
        await valueOf(play.api.addMessage({ content: 'x' }, { form: 'background', whenBusy: 'steer' }))
      expect(await errorOf(play.api.addMessage({ content: 'x' }, STEER))).toEqual({
        code: 'queue_full',
        messagesMax: steersMax,
      })
      await play.cancel()
      expect(await first).toMatchObject({ status: 'cancelled' })
    },
  )

  claim(
    home,
    'brings tools of the caller with it',
    { script: [{ ...native('rethink', { reason: '…' }), hold_after: 0 }, native('beep', {}), finishing('done')] },
    async (play, expect) => {
      await play.create()
      const first = play.send('first')
      await play.asked(1)
      const beep = { name: 'beep', description: 'Makes a sound.', parameters: { type: 'object' } }
      const second = play.api.addMessage({ content: 'beep, too', client_tools: [beep] }, STEER)
      await heardSteer(play)
      await play.model.release()
      expect(await first).toMatchObject({ pending: [{ type: 'tool_call', tool: 'beep' }] })
      expect(responseOf(await second)).toMatchObject({ status: 'interrupted' })
      expect(await play.decide({ result: 'beep' })).toMatchObject({ status: 'completed' })
    },
  )
}

/** Resolves with what steers the run, once it is in the log. */
async function heardSteer(play: Play) {
  for (let after = 0; ;) {
    const { seq, message } = await play.event('message', after)
    if (message.kind === 'steer') return [message]
    after = seq
  }
}

const planned = (...names: string[]) =>
  JSON.stringify({ plan: names.map((description) => ({ name: 'llm_tool', description })) })

function otherClaims(home: GetHome): void {
  claim(
    home,
    'of a plan goes to the planner, which is asked again before the answer is written',
    {
      config: { language: 'en' },
      script: [
        planned('tea'),
        { content: 'tea is green', hold_after: 0 },
        planned('coffee'),
        'coffee is black',
        planned(),
        'both',
      ],
    },
    async (play, expect) => {
      await play.create({ orchestrator: 'plan' })
      const first = play.send('Tell me about tea')
      await play.asked(2)
      const second = steer(play, 'and about coffee')
      await heardSteer(play)
      await play.model.release()
      expect(await first).toMatchObject({ status: 'completed', result: 'both' })
      await second
      const asked = (await play.asked()).map(({ body }) => JSON.stringify(body.messages))
      expect(asked.map((text) => text.includes('and about coffee'))).toEqual([false, false, true, false, true, true])
    },
  )

  claim(
    home,
    'of a plan that comes while its answer is written has the planner asked once more',
    {
      config: { language: 'en' },
      script: [planned(), { content: 'tea is green', hold_after: 0 }, planned(), 'coffee is black'],
    },
    async (play, expect) => {
      await play.create({ orchestrator: 'plan' })
      const first = play.send('Tell me about tea')
      await play.asked(2)
      const second = steer(play, 'no, about coffee')
      await heardSteer(play)
      await play.model.release()
      expect(await first).toMatchObject({ status: 'completed', result: 'coffee is black' })
      await second
      const [, , planner] = (await play.asked()).map(({ body }) => JSON.stringify(body.messages))
      expect(planner).toContain('no, about coffee')
    },
  )

  claim(
    home,
    'brings its files along, to a planner as to an agent',
    {
      config: SEEING,
      script: [planned(), { content: 'tea is green', hold_after: 0 }, planned(), 'on the roof'],
    },
    async (play, expect) => {
      await play.create({ orchestrator: 'plan' })
      const first = play.send('Tell me about tea')
      await play.asked(2)
      const second = steer(play, WITH_FILE)
      await heardSteer(play)
      await play.model.release()
      expect(await first).toMatchObject({ status: 'completed', result: 'on the roof' })
      await second
      const [, , planner, worker] = (await play.asked()).map(({ body }) => JSON.stringify(body.messages))
      expect(planner).toContain('The kettle is on the roof.')
      expect([planner?.includes(PNG_URL), worker?.includes(PNG_URL)]).toEqual([true, true])
    },
  )

  claim(
    home,
    'of a team is a message on its bus',
    {
      config: SEEING,
      script: [{ content: 'one', hold_after: 0 }, 'two'],
    },
    async (play, expect) => {
      const actions = [{ name: 'Write', instruction: 'Write.' }]
      const role = {
        name: 'Ann',
        profile: 'Writer',
        watch: ['UserRequirement'],
        actions,
        react_mode: 'by_order' as const,
      }
      await play.create({ team: { roles: [role], n_round: 3 } })
      const first = play.send('Write about tea')
      await play.asked(1)
      const second = steer(play, WITH_FILE)
      await heardSteer(play)
      await play.model.release()
      expect(await first).toMatchObject({ status: 'completed' })
      await second
      const heard = (await play.session()).team?.history.map(({ content }) => content)
      expect(heard).toEqual(['Write about tea', expect.stringMatching(/and read this\n[^]*roof/), 'one', 'two'])
      const [, round] = await play.asked()
      const told = contentText(JSON.stringify(round?.body.messages), null)
      for (const part of ['and read this', 'The kettle is on the roof.', PNG_URL]) expect(told).toContain(part)
    },
  )
}
