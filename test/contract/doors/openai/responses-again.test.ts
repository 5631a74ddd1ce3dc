import OpenAI from 'openai'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startServed, type Served } from '../../../support/served.ts'
import { calls, says } from '../../../support/scripted-model.ts'

const PAGE = '<title>Facts</title><h1>Facts</h1><p>Water boils at 100 degrees at sea level.</p>'

let served: Served
let openai: OpenAI

beforeAll(async () => {
  served = await startServed({ html: PAGE })
  openai = new OpenAI({ apiKey: served.key, baseURL: `${served.url}/v1`, maxRetries: 0 })
})
afterAll(() => served.close())

type Asked = OpenAI.Responses.ResponseCreateParamsNonStreaming
type Answered = OpenAI.Responses.Response
type Item = OpenAI.Responses.ResponseInputItem
const ask = (input: NonNullable<Asked['input']>, more: Partial<Asked> = {}) =>
  openai.responses.create({ model: 'yaa', input, ...more })

const callIn = ({ output }: Answered) => {
  const item = output.find(({ type }) => type === 'function_call')
  if (item?.type !== 'function_call') throw new Error(`no call in ${JSON.stringify(output)}`)
  return item
}
const resultOf = ({ call_id }: { call_id: string }, output: string): Item => ({
  type: 'function_call_output',
  call_id,
  output,
})

const ORDER = {
  type: 'function' as const,
  name: 'find_order',
  description: 'Looks up an order.',
  parameters: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
  strict: null,
}
const lookUp = (number: number) => calls('find_order', { number })

describe('what a request says is said again by its response', () => {
  const more = { metadata: { trace: 't-7' }, instructions: 'Be brief.', tools: [ORDER] }
  const echoed = { metadata: { trace: 't-7' }, instructions: 'Be brief.', tools: [{ name: 'find_order' }] }

  test('where it gives the results of calls', async ({ expect }) => {
    await served.script([lookUp(1), says('In Köln.')])
    const first = await ask('Order 1?', { tools: [ORDER] })
    const asked = { ...more, previous_response_id: first.id }
    const second = await ask([resultOf(callIn(first), 'Köln')], asked)
    const echo = { ...echoed, previous_response_id: first.id, output_text: 'In Köln.' }
    expect(second).toMatchObject(echo)
    expect(await openai.responses.retrieve(second.id)).toMatchObject(echo)
  })

  test('in the first event of its stream', async ({ expect }) => {
    await served.script([lookUp(2), says('In Bonn.')])
    const first = await ask('Order 2?', { tools: [ORDER] })
    const stream = await openai.responses.create({
      ...more,
      model: 'yaa',
      previous_response_id: first.id,
      input: [resultOf(callIn(first), 'Bonn')],
      stream: true,
    })
    const events = await Array.fromAsync(stream)
    const [created, begun] = events
    expect([created?.type, begun?.type]).toEqual(['response.created', 'response.in_progress'])
    expect(created).toMatchObject({ response: { ...echoed, previous_response_id: first.id } })
    const later = events[2]?.sequence_number ?? 0
    expect(begun?.sequence_number).toBe((created?.sequence_number ?? 0) + 1)
    expect(later).toBeGreaterThan(begun?.sequence_number ?? 0)
  })

  test('where it answers one of two calls, then the other', async ({ expect }) => {
    const both = [lookUp(3), lookUp(4)].flatMap(({ tool_calls: made }) => made)
    await served.script([{ tool_calls: both }, says('Both in Bonn.')])
    const first = await ask('Orders 3 and 4?', { tools: [ORDER] })
    const [one, other] = first.output.filter(({ type }) => type === 'function_call') as { call_id: string }[]
    const behind = { ...more, previous_response_id: first.id }
    const half = await ask([resultOf(one ?? { call_id: '' }, 'Bonn')], behind)
    expect(half).toMatchObject({ ...echoed, status: 'completed', output: [] })
    const whole = await ask([resultOf(other ?? { call_id: '' }, 'Bonn')], { ...more, previous_response_id: half.id })
    expect(whole).toMatchObject({ ...echoed, previous_response_id: half.id, output_text: 'Both in Bonn.' })
  })

  test('where it answers a question', async ({ expect }) => {
    await served.script([calls('ask', { question: 'Which city?' }), says('Bonn it is.')])
    const first = await ask('Book a room.')
    const second = await ask('Bonn', { ...more, previous_response_id: first.id })
    expect(second).toMatchObject({ ...echoed, previous_response_id: first.id, output_text: 'Bonn it is.' })
  })

  test('where it gives results and words', async ({ expect }) => {
    await served.script([lookUp(5), says('In Köln, and blue.')])
    const first = await ask('Order 5?', { tools: [ORDER] })
    const input: Item[] = [resultOf(callIn(first), 'Köln'), { role: 'user', content: 'And its colour?' }]
    const second = await ask(input, { ...more, previous_response_id: first.id })
    expect(second).toMatchObject({ ...echoed, previous_response_id: first.id })
    expect(second.output_text).toBe('In Köln, and blue.')
  })
})

describe('the same results once more', () => {
  test('are answered by the response that they began', async ({ expect }) => {
    await served.script([lookUp(6), says('In Köln.'), says('You are welcome.')])
    const first = await ask('Order 6?', { tools: [ORDER] })
    const again = () => ask([resultOf(callIn(first), 'Köln')], { previous_response_id: first.id })
    const second = await again()
    expect(await again()).toEqual(second)
    await ask('Thanks', { previous_response_id: second.id })
    expect(await again()).toEqual(second)
    const other = ask([resultOf(callIn(first), 'Bonn')], { previous_response_id: first.id })
    await expect(other).rejects.toMatchObject({ status: 409 })
  })

  test('are with their words, too', async ({ expect }) => {
    await served.script([lookUp(7), says('In Köln, and blue.')])
    const first = await ask('Order 7?', { tools: [ORDER] })
    const input: Item[] = [resultOf(callIn(first), 'Köln'), { role: 'user', content: 'And its colour?' }]
    const asked = { model: 'yaa', input, previous_response_id: first.id }
    const second = await openai.responses.create(asked)
    expect(await openai.responses.create(asked, { headers: { 'x-stainless-retry-count': '1' } })).toEqual(second)
    expect(await openai.responses.create(asked)).toEqual(second)
  })
})

describe('a thread that goes on in two ways', () => {
  test('stays that of its user in both', async ({ expect }) => {
    await served.script([says('A number?'), says('Three.'), says('Four.'), says('Eight.'), says('Sixteen.')])
    const first = await ask('Pick a number.', { user: 'ann' })
    await ask('Below four', { previous_response_id: first.id })
    const other = await ask('Above three', { previous_response_id: first.id })
    expect(other.output_text).toBe('Four.')
    const foreign = ask('Times two', { previous_response_id: other.id, user: 'bob' })
    await expect(foreign).rejects.toMatchObject({ status: 400, code: 'previous_response_not_found' })
    const eight = await ask('Times two', { previous_response_id: other.id, user: 'ann' })
    expect(eight.output_text).toBe('Eight.')
    const twice = await ask('Times four', { previous_response_id: other.id })
    expect(twice.output_text).toBe('Sixteen.')
  })
})

describe('a history that a client brings along', () => {
  const callOf = (id: string): Item => ({ type: 'function_call', call_id: id, name: 'find_order', arguments: '{}' })
  const asked = () => JSON.stringify(served.model.requests.at(-1)?.body)

  test('keeps calls that were made together together, with their results', async ({ expect }) => {
    await served.script([says('Both in Bonn.')])
    const hasId = (id: string) => expect.objectContaining({ id }) as unknown
    const input: Item[] = [
      { role: 'user', content: 'Orders 8 and 9?' },
      { role: 'assistant', content: 'I look.' },
      callOf('c8'),
      callOf('c9'),
      resultOf({ call_id: 'c8' }, 'Bonn (8)'),
      resultOf({ call_id: 'c9' }, 'Bonn (9)'),
    ]
    expect((await ask(input, { tools: [ORDER] })).output_text).toBe('Both in Bonn.')
    expect(served.model.requests.at(-1)?.body).toMatchObject({
      messages: expect.arrayContaining([
        expect.objectContaining({ content: 'I look.', tool_calls: [hasId('c8'), hasId('c9')] }),
        expect.objectContaining({ tool_call_id: 'c8', content: 'Bonn (8)' }),
        expect.objectContaining({ tool_call_id: 'c9', content: 'Bonn (9)' }),
      ]) as unknown,
    })
    expect(asked()).not.toContain('was interrupted')
  })

  test('with a result of no call in it is refused, words or not', async ({ expect }) => {
    const input: Item[] = [
      { role: 'user', content: 'Order 8?' },
      callOf('c8'),
      resultOf({ call_id: 'c7' }, 'Bonn'),
      { role: 'user', content: 'Well?' },
    ]
    const refused = { status: 400, code: 'invalid_input', param: 'input[2].call_id' }
    await expect(ask(input, { tools: [ORDER] })).rejects.toMatchObject(refused)
  })

  test('names a picture that cannot be read by its place, behind calls too', async ({ expect }) => {
    const input: Item[] = [
      { role: 'user', content: 'Orders?' },
      callOf('c8'),
      callOf('c9'),
      resultOf({ call_id: 'c8' }, 'Bonn'),
      resultOf({ call_id: 'c9' }, 'Bonn'),
      { role: 'user', content: [{ type: 'input_image', image_url: 'ftp://x/y.png', detail: 'auto' }] },
      { role: 'assistant', content: 'No.' },
      { role: 'user', content: 'Well?' },
    ]
    const refused = { status: 400, param: 'input[5].content[0].image_url' }
    await expect(ask(input, { tools: [ORDER] })).rejects.toMatchObject(refused)
  })
})

describe('a response that was deleted', () => {
  test('is gone on behind no more', async ({ expect }) => {
    await served.script([says('One.'), says('Two.'), says('Three.')])
    const unknown = { status: 400, param: 'previous_response_id', code: 'previous_response_not_found' }
    const alone = await ask('Deleted with its session.')
    await openai.responses.delete(alone.id)
    await expect(ask('And?', { previous_response_id: alone.id })).rejects.toMatchObject(unknown)
    const first = await ask('Deleted, but not the next.')
    const second = await ask('The next.', { previous_response_id: first.id })
    await openai.responses.delete(first.id)
    expect((await openai.responses.retrieve(second.id)).output_text).toBe('Three.')
    await expect(ask('And?', { previous_response_id: first.id })).rejects.toMatchObject(unknown)
    await openai.responses.delete(second.id)
    await expect(ask('And?', { previous_response_id: second.id })).rejects.toMatchObject(unknown)
    const [item] = first.output
    const reference: Item[] = [
      { type: 'item_reference', id: item?.id ?? '' },
      { role: 'user', content: 'And?' },
    ]
    await expect(ask(reference)).rejects.toMatchObject({ status: 400, param: 'input' })
    await expect(
      ask([{ type: 'item_reference', id: second.output[0]?.id ?? '' }, ...reference.slice(1)]),
    ).rejects.toMatchObject({ status: 400, param: 'input' })
    expect(served.model.requests).toHaveLength(3)
  })
})
