import { newState } from '../../src/domain/state.ts'
import type { ExpectStatic } from 'vitest'
import type { SessionEvent } from '../../src/domain/event.ts'
import type { Play } from './play.ts'
import { validateStrictHistory } from './strict-history.ts'

/** What holds for every session at any time, whatever happened in it. */
export async function expectSound(play: Play, expect: ExpectStatic): Promise<void> {
  expect(play.home.bugs(), 'no bug is reported').toEqual([])
  await expectStrictWire(play, expect)
  const events = await play.events()
  expect(
    events.map(({ seq }) => seq),
    'seqs are 1, 2, 3 … without gaps',
  ).toEqual(events.map((_, index) => index + 1))
  for (const event of events) {
    if (event.type === 'message') expect(event.message.seq, "a message's seq is its event's").toBe(event.seq)
  }
  expectOneResultEach(events, expect)
  expect(await play.home.storedState(play.id), 'the fold of the log is what is stored').toEqual(
    events.length === 0 ? expect.anything() : play.home.reduce(newState(0), events),
  )
}

/** No strict service would refuse a request of this session. */
export async function expectStrictWire(play: Play, expect: ExpectStatic): Promise<void> {
  for (const { body } of await play.asked()) {
    expect(validateStrictHistory(body.messages), JSON.stringify(body.messages.slice(1))).toEqual([])
    expect(
      body.messages.filter(({ role }) => role === 'system'),
      'one system message, the newest prompt',
    ).toHaveLength(1)
  }
}

/** Every call has exactly one result, or none while its run has not come to it. */
function expectOneResultEach(events: readonly SessionEvent[], expect: ExpectStatic): void {
  const messages = events.flatMap((event) => (event.type === 'message' ? [event.message] : []))
  const calls = messages.flatMap((message) => message.tool_calls ?? []).map(({ id }) => id)
  const results = messages.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [id]))
  expect(new Set(calls).size, 'ids of calls are never used twice').toBe(calls.length)
  expect(new Set(results).size, 'no call has two results').toBe(results.length)
  expect(
    results.filter((id) => !calls.includes(id)),
    'no result is without its call',
  ).toEqual([])
  const rests = events.findLast(({ type }) => type === 'run-end' || type === 'run-pause' || type === 'run-resume')
  if (rests?.type === 'run-end') expect(results.toSorted(), 'every call has its result').toEqual(calls.toSorted())
}
