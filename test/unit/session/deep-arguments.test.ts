import { afterAll, beforeAll, test } from 'vitest'
import type { SessionEvent } from '../../../src/domain/event.ts'
import { type NodeHome, nodeHome } from '../../support/node-home.ts'
import { startPlay, valueOf } from '../../support/play.ts'
import { exported, imported, sessionIn } from '../../support/session-claims/documents.ts'
import { native } from '../../support/words.ts'

let home: NodeHome
beforeAll(async () => {
  home = await nodeHome('sqlite')
})
afterAll(() => home.close())

/** A list in a list, so many times. */
const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))

async function played(levels: number) {
  const play = await startPlay(home, {
    script: [native('rethink', { reason: 'x', more: nested(levels) }), native('finish', { reason: 'ok' })],
    config: { llm: { protocol: 'native' } },
  })
  await play.create({ task: 'Think' })
  return play
}

test.for([30, 63, 200, 2_000])(
  'what a model nests %i levels deep comes back with the export',
  async (levels, { expect }) => {
    const play = await played(levels)
    const document = await exported(play)
    const copy = await sessionIn(await imported(play, document).made)
    expect(copy.messages.map(({ content, tool_calls: calls }) => [content, calls])).toEqual(
      (await play.messages()).map(({ content, tool_calls: calls }) => [content, calls]),
    )
  },
)

test('arguments nested deeper than anybody needs are none: the model is told, and they are not kept', async ({
  expect,
}) => {
  const [, reply, told] = (await (await played(200)).messages()).filter(({ kind }) => kind !== 'prompt')
  expect(reply?.tool_calls).toMatchObject([{ name: 'rethink', arguments: {} }])
  expect(JSON.stringify(told)).toMatch(/JSON/)
})

test('a log of an earlier release may be nested deeper', async ({ expect }) => {
  const play = await played(3)
  const document = await exported(play)
  const deep = { reason: 'x', more: nested(500) }
  const events = document.events.map((event): SessionEvent => {
    if (event.type !== 'message' || event.message.tool_calls?.[0]?.name !== 'rethink') return event
    const [call] = event.message.tool_calls
    return { ...event, message: { ...event.message, tool_calls: [{ ...call, arguments: deep }] } }
  })
  const { api, made } = imported(play, { ...document, events })
  await valueOf(made)
  const again = await exported({ api })
  expect(JSON.stringify(again.events)).toContain('['.repeat(500))
  await valueOf(imported(play, again).made)
})
