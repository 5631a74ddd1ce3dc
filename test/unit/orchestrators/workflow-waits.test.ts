import { afterAll, beforeAll, beforeEach, describe } from 'vitest'
import { type NodeHome, nodeHome } from '../../support/node-home.ts'
import { errorOf, valueOf } from '../../support/play.ts'
import { claim } from '../../support/session-claims/claim.ts'
import { endsOf, keepWorkflows } from '../../support/workflows.ts'

const HOUR = 3_600_000
const FORM = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
const RUN = { workflow: 'flow', task: 'go' }

describe.for(['memory', 'sqlite'] as const)('a step that waits on %s', (place) => {
  let home: NodeHome
  beforeAll(async () => {
    home = await nodeHome(place)
  })
  afterAll(() => home.close())
  beforeEach(() => home.workflows.clear())

  claim(
    () => home,
    'for a delivery of a key shows as a wait of the tool does, and gives what came as untrusted',
    {},
    async (play, expect) => {
      keepWorkflows(home, {
        steps: [
          { id: 'paid', type: 'wait', webhook_key: 'order-{{ task }}', deadline_ms: HOUR },
          { id: 'say', type: 'agent', prompt: 'Thank {{ steps.paid.output.by }}.' },
        ],
      })
      await play.model.script(['Thanks.'])
      await play.create(RUN)
      const item = await play.pending()
      const { expires_time: until } = item
      expect(item).toMatchObject({ type: 'question', wait: { until, webhook_key: 'order-go' } })
      await valueOf(play.api.decide(item.id, { result: { by: 'card' } }, { form: 'wait' }))
      expect(await play.session()).toMatchObject({ status: 'completed', result: 'Thanks.' })
      const came = (await play.events()).find(({ type, ...event }) => type === 'message' && 'untrusted' in event)
      expect(JSON.stringify(came)).toContain('order-go')
      const [asked] = await play.asked()
      expect(asked?.body.messages.at(-1)?.content).toMatch(/\n.*card/s)
    },
  )

  claim(
    () => home,
    'takes its default when its time is over, whatever it waits for',
    {},
    async (play, expect) => {
      const waits = [
        { webhook_key: 'k', default: { by: 'nobody' } },
        { approval: 'Go on?', default: { approved: false } },
        { question: { text: 'How many?', form: FORM }, default: { n: 3 } },
        { question: { text: 'Which?' }, default: 'any' },
        { signal: 's', default: [1] },
      ]
      keepWorkflows(home, {
        steps: waits.map((one, n) => ({ id: `w${n}`, type: 'wait', deadline_ms: HOUR, ...one })),
        output: waits.map((_, n) => `{{ steps.w${n}.output }}`),
      })
      await play.create(RUN)
      let seq = 0
      for (const one of waits) {
        const event = await play.event('pending', seq)
        seq = event.seq
        if ('question' in one) expect(event.pending).toMatchObject({ default: one.default })
        home.advance(HOUR + 1)
      }
      await play.event('run-end')
      expect(JSON.parse((await play.session()).result ?? '')).toEqual(waits.map((one) => one.default))
    },
  )

  claim(
    () => home,
    'is asked for once more, as a call is, when a run is carried on that ended before anybody answered',
    {},
    async (play, expect) => {
      const call = { id: 'act', type: 'tool', tool: 'write_file', arguments: { path: 'a.txt', content: 'A' } }
      const branches = [[{ id: 'agree', type: 'wait', approval: 'Go on?' }], [call]]
      keepWorkflows(home, { steps: [{ id: 'both', type: 'parallel', branches }] })
      const { pending } = await play.create(RUN)
      expect(pending.map(({ tool }) => tool)).toEqual(['workflow', 'write_file'])
      expect(await play.carryOn({ limits: { deadline_ms: 1 } })).toMatchObject({
        error: { code: 'deadline' },
        pending: [],
      })
      const again = await play.carryOn({ limits: { deadline_ms: 900_000 } })
      expect(again.pending.map(({ tool }) => tool)).toEqual(['workflow', 'write_file'])
      for (const { id } of again.pending) await play.decide({ decision: 'approve' }, id)
      expect(await play.session()).toMatchObject({ status: 'completed' })
      expect(await endsOf(play)).toEqual(['agree completed', 'act completed', 'both completed'])
    },
  )

  claim(
    () => home,
    'fails when its time is over and it has no default',
    {},
    async (play, expect) => {
      keepWorkflows(home, { steps: [{ id: 'w', type: 'wait', webhook_key: 'k', deadline_ms: HOUR }] })
      await play.create(RUN)
      home.advance(HOUR + 1)
      await play.event('run-end')
      expect((await play.session()).error?.detail).toContain('w: ')
    },
  )

  claim(
    () => home,
    'asks by the form of the item, and takes no answer that does not fit',
    {},
    async (play, expect) => {
      keepWorkflows(home, { steps: [{ id: 'w', type: 'wait', question: { text: 'How many?', form: FORM } }] })
      const [item] = (await play.create(RUN)).pending
      expect(item).toMatchObject({ type: 'question', question: 'How many?', form: FORM })
      const say = (answer: string) => play.api.decide(item?.id ?? '', { decision: 'answer', answer }, { form: 'wait' })
      expect(await errorOf(say('many'))).toMatchObject({ issues: [{ path: 'answer' }] })
      expect((await play.decide({ decision: 'answer', answer: '{"n": 4}' })).result).toBe('{"n":4}')
    },
  )

  claim(
    () => home,
    'asks anew where words do not fit the form, until the time that it had',
    {},
    async (play, expect) => {
      const question = { text: 'How many?', form: FORM }
      keepWorkflows(home, { steps: [{ id: 'w', type: 'wait', question, deadline_ms: HOUR, default: { n: 3 } }] })
      const [first] = (await play.create(RUN)).pending
      home.advance(HOUR / 2)
      await play.send('many')
      const again = await play.pending()
      expect(again).toMatchObject({ form: FORM, expires_time: first?.expires_time })
      expect(again.id).not.toBe(first?.id)
      home.advance(HOUR / 2 + 1)
      await play.event('run-end')
      expect(await play.session()).toMatchObject({ status: 'completed', result: '{"n":3}' })
    },
  )

  claim(
    () => home,
    'is called off by a refusal, and answered by words before its delivery comes',
    {},
    async (play, expect) => {
      keepWorkflows(home, { steps: [{ id: 'w', type: 'wait', webhook_key: 'k' }] })
      await play.create(RUN)
      expect(await play.decide({ decision: 'answer', answer: 'It came by mail' })).toMatchObject({
        result: 'It came by mail',
      })
      await play.send('again')
      expect(await play.decide({ decision: 'reject', feedback: 'No need' })).toMatchObject({ status: 'failed' })
    },
  )

  claim(
    () => home,
    'goes on after a crash where it was, and ends once',
    {},
    async (play, expect) => {
      keepWorkflows(home, {
        steps: [{ id: 'w', type: 'wait', webhook_key: 'k', deadline_ms: HOUR, default: 'none' }],
      })
      const [item] = (await play.create(RUN)).pending
      home.kill(play.id)
      expect((await play.session()).pending).toMatchObject([{ id: item?.id }])
      home.advance(HOUR + 1)
      await play.event('run-end')
      const ends = (await play.events()).filter(({ type }) => type === 'step-end')
      expect(ends).toMatchObject([{ step: 'w', status: 'completed', output: 'none' }])
    },
  )
})
