import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { SessionEvent } from '../../../src/domain/event.ts'
import type { SessionData } from '../../../src/domain/session.ts'
import { newId } from '../../../src/lib/id.ts'
import { type NodeHome, nodeHome } from '../../support/node-home.ts'
import { valueOf } from '../../support/play.ts'

const FOLDER = 'test/contract/replay'

interface Recorded {
  name: string
  text: string
  end: (SessionEvent & { type: 'run-end' }) | undefined
}

/** Logs whose runs end without a word of what with. */
const recorded = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map((name): Recorded => {
    const text = readFileSync(`${FOLDER}/${name}`, 'utf8')
    const { events } = JSON.parse(text) as { events: SessionEvent[] }
    return { name, text, end: events.findLast((event) => event.type === 'run-end') }
  })
  .filter(({ end }) => end !== undefined && !('ended_by' in end))

let home: NodeHome
beforeAll(async () => {
  home = await nodeHome('sqlite')
})
afterAll(() => home.close())

async function taken(text: string): Promise<SessionData> {
  const id = newId('ses', Date.now())
  const body = new Blob([text]).stream()
  const made = await valueOf(home.session(id).import(id, 'default', body, { bytesMax: 10_000_000, keepConfig: true }))
  return new Response(made.body).json<SessionData>()
}

describe('a session that the release before wrote', () => {
  test('is among the recorded ones, ended and failed', ({ expect }) => {
    const statuses = recorded.map(({ end }) => end?.status)
    expect(statuses).toEqual(expect.arrayContaining(['completed', 'failed', 'cancelled']))
  })

  test.for(recorded)('shows its end, as far as its log says it: $name', async ({ text, end }, { expect }) => {
    const { result, error, ended_by: by } = await taken(text)
    expect({ result, by }).toEqual({ result: end?.result, by: null })
    if (end?.error === null) expect(error).toBeNull()
    else
      expect(error).toEqual({
        ...end?.error,
        message: expect.stringMatching(/./),
        hint: expect.stringMatching(/./),
      })
    expect(home.bugs()).toEqual([])
  })
})
