import { afterAll, beforeAll, beforeEach, describe } from 'vitest'
import { contentInput } from '../../../src/domain/content-input.ts'
import { type NodeHome, nodeHome } from '../../support/node-home.ts'
import { errorOf, valueOf } from '../../support/play.ts'
import { claim } from '../../support/session-claims/claim.ts'
import { PNG_BASE64 } from '../../support/small-image.ts'
import { keepWorkflows } from '../../support/workflows.ts'

const CITY = {
  inputs: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer' } },
    required: ['city'],
    additionalProperties: false,
  },
  steps: [
    { id: 'say', type: 'set', values: { city: '{{ inputs.city }}', days: '{{ inputs.days }}', task: '{{ task }}' } },
  ],
}
const given = (result: string | null) => JSON.parse(result ?? 'null') as unknown

describe.for(['memory', 'sqlite'] as const)('inputs of a workflow on %s', (place) => {
  let home: NodeHome
  beforeAll(async () => {
    home = await nodeHome(place)
  })
  afterAll(() => home.close())
  beforeEach(() => home.workflows.clear())

  claim(
    () => home,
    'are read of the task of each run, where nobody gives them',
    {},
    async (play, expect) => {
      keepWorkflows(home, CITY)
      const first = await play.create({ workflow: 'flow', task: 'Oslo' })
      expect(given(first.result)).toEqual({ city: 'Oslo', days: null, task: 'Oslo' })
      const second = await play.send('{"city": "Rome", "days": 3}')
      expect((await play.session()).title).toBe('Oslo')
      expect(given(second.result)).toMatchObject({ city: 'Rome', days: 3 })
      expect(await errorOf(play.api.addMessage({ content: '{"town": "Rome"}' }, { form: 'wait' }))).toMatchObject({
        code: 'invalid_input',
        issues: expect.arrayContaining([expect.objectContaining({ path: 'inputs.city' })]),
      })
    },
  )

  claim(
    () => home,
    'are no title: a session whose task is nothing else is called as its workflow is',
    {},
    async (play, expect) => {
      keepWorkflows(home, CITY)
      expect(await play.create({ workflow: 'flow', task: '{"city": "Oslo"}' })).toMatchObject({ title: 'flow' })
    },
  )

  claim(
    () => home,
    'may be none, and so may what it gives',
    {},
    async (play, expect) => {
      keepWorkflows(home, { steps: [{ id: 'a', type: 'set', values: {}, when: 'length(task) > 5' }] })
      expect(await play.create({ workflow: 'flow', task: 'go' })).toMatchObject({ status: 'completed', result: null })
    },
  )

  claim(
    () => home,
    'come with a message, for the run that it begins; a later one has those of the session again',
    {},
    async (play, expect) => {
      keepWorkflows(home, CITY)
      await play.create({ workflow: 'flow', inputs: { city: 'Oslo' }, task: 'go' })
      const told = { content: 'on', inputs: { city: 'Lima', days: 2 } }
      await valueOf(play.api.addMessage(told, { form: 'wait' }))
      expect(given((await play.session()).result)).toEqual({ city: 'Lima', days: 2, task: 'on' })
      expect(given((await play.send('again')).result)).toEqual({ city: 'Oslo', days: null, task: 'again' })
      const wrong = { content: 'on', inputs: { city: 'Lima', days: 'two' } }
      expect(await errorOf(play.api.addMessage(wrong, { form: 'wait' }))).toMatchObject({
        issues: [{ path: 'inputs.days' }],
      })
    },
  )

  claim(
    () => home,
    'of a message that waits for its turn are those of its run',
    {},
    async (play, expect) => {
      keepWorkflows(home, {
        ...CITY,
        steps: [{ id: 'ask', type: 'wait', approval: 'Go to {{ inputs.city }}?' }, ...CITY.steps],
      })
      await play.create({ workflow: 'flow', inputs: { city: 'Oslo' }, task: 'go' })
      const told = { content: 'on', inputs: { city: 'Lima' } }
      const how = { form: 'background', whenBusy: 'queue', triggered: { untrusted: false } } as const
      await valueOf(play.api.addMessage(told, how))
      await play.decide({ decision: 'approve' })
      await play.event('pending', (await play.event('run-end')).seq)
      const ended = await play.decide({ decision: 'approve' })
      expect(given(ended.result)).toMatchObject({ city: 'Lima' })
    },
  )

  claim(
    () => home,
    'leave the task to prompts that name it, with the files and images that it brought along',
    { config: { language: 'en', llm: { protocol: 'native', vision: true } }, script: ['{"total": 150}', 'noted'] },
    async (play, expect) => {
      keepWorkflows(home, {
        steps: [
          { id: 'read', type: 'agent', prompt: 'Read this invoice: {{ task }}' },
          { id: 'note', type: 'agent', prompt: 'Note {{ steps.read.output }}' },
        ],
      })
      const data = Buffer.from('Total 150 EUR').toString('base64')
      await play.create({ workflow: 'flow' })
      const content = contentInput.parse([
        { type: 'text', text: 'Mine' },
        { type: 'file', name: 'invoice.txt', data },
        { type: 'image', data: PNG_BASE64 },
      ])
      await valueOf(play.api.addMessage({ content }, { form: 'wait' }))
      const [first, second] = (await play.asked(2)).map(({ body }) => JSON.stringify(body.messages.at(-1)?.content))
      expect(first).toMatch(/Read this invoice:[^]*Mine[^]*invoice\.txt[^]*Total 150 EUR[^]*image_url/)
      expect(second).toContain('Note')
      expect(second).not.toMatch(/invoice|image_url/)
    },
  )

  claim(
    () => home,
    'stand as text where a tool takes a text: numbers, and data as its JSON',
    { config: { tools: { write_file: { permission: 'allow' } } } },
    async (play, expect) => {
      const content = '{{ inputs.bill }}'
      keepWorkflows(home, {
        inputs: { type: 'object', properties: { bill: { type: 'object' }, n: { type: 'integer' } } },
        steps: [
          { id: 'save', type: 'tool', tool: 'write_file', arguments: { path: '{{ inputs.n }}', content } },
          { id: 'load', type: 'tool', tool: 'read_file', arguments: { path: '7' } },
        ],
      })
      const made = await play.create({ workflow: 'flow', task: 'go', inputs: { bill: { total: 150 }, n: 7 } })
      expect(made).toMatchObject({ status: 'completed', result: expect.stringContaining('{"total":150}') })
    },
  )

  claim(
    () => home,
    'are refused where there is no workflow, and where the message joins a run',
    { script: ['Hello.'] },
    async (play, expect) => {
      await play.create({ task: 'hi' })
      const refused = await errorOf(play.api.addMessage({ content: 'on', inputs: { a: 1 } }, { form: 'wait' }))
      expect(refused).toMatchObject({ code: 'invalid_input', issues: [{ path: 'inputs' }] })
    },
  )

  claim(
    () => home,
    'that do not fit are refused before the session is made',
    {},
    async (play, expect) => {
      keepWorkflows(home, CITY)
      const make = (more: object) =>
        errorOf(play.api.create(play.id, 'default', { workflow: 'flow', ...more }, { form: 'wait' }))
      expect(await make({ task: '{"days": 3}' })).toMatchObject({ issues: [{ path: 'inputs.city' }] })
      expect(await make({ task: 'x', inputs: { city: 1 } })).toMatchObject({ issues: [{ path: 'inputs.city' }] })
      expect(await make({ task: 'x', inputs: { city: 'Oslo', town: 1 } })).toMatchObject({
        issues: [{ path: 'inputs.town' }],
      })
      await play.create({ workflow: 'flow', task: 'Oslo' })
    },
  )
})
