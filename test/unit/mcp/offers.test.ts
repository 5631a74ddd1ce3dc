import { afterEach, beforeEach, describe, test, vi } from 'vitest'
import type { McpProbe, McpServer } from '../../../src/domain/mcp.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { failureKept } from '../../../src/mcp/failure.ts'
import { ListRequests, type McpOffer, Offers, type TenantProbes } from '../../../src/mcp/offers.ts'
import type { Probed } from '../../../src/mcp/probe.ts'

const { probeMs, loadMs, retryMs, listKeptMs, askLostMs } = LIMITS.mcp

const SERVER: McpServer = {
  name: 'words',
  url: 'https://words.example/mcp',
  headers: {},
  description: null,
  enabled: true,
  trustHints: false,
  origin: 'tenant',
  version: '1',
}

const TOOLS = [{ name: 'look_up', inputSchema: {} }]

function listed(tools = TOOLS): Probed {
  const time = Date.now()
  const probe = { version: '1', triedTime: time, listedTime: time, error: null, manner: null, tools, warnings: [] }
  return { probe, failure: null }
}

function failed(code: 'unreachable' | 'timeout', known: McpProbe | null = null): Probed {
  const { listedTime = null, tools = [] } = known ?? {}
  const kept = { version: '1', triedTime: Date.now(), listedTime, manner: null, tools, warnings: [] }
  return { probe: { ...kept, ...failureKept({ code }) }, failure: { code } }
}

/** A server whose answers the test gives, one for each time that it is asked. */
function serverToAsk(tenants: TenantProbes | null = null) {
  const asked: ((answer: Probed) => void)[] = []
  const knowns: (McpProbe | null)[] = []
  const offers = new Offers({ tenants, now: Date.now }, (_server, _asker, known) => {
    knowns.push(known)
    return new Promise((answer) => asked.push(answer))
  })
  const waits: string[] = []
  const offer = (signal?: AbortSignal): Promise<McpOffer> =>
    offers.offer('t', SERVER, {
      hold: () => {},
      msMax: probeMs,
      waits: (name) => waits.push(name),
      ...(signal ? { signal } : {}),
    })
  return { offers, offer, asked, waits, knowns }
}

/** What has become of a promise by now. */
async function stateOf(promise: Promise<unknown>): Promise<'open' | 'there' | 'rejected'> {
  let state: 'open' | 'there' | 'rejected' = 'open'
  promise.then(
    () => (state = 'there'),
    () => (state = 'rejected'),
  )
  await vi.advanceTimersByTimeAsync(0)
  return state
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a list of a server of the config', () => {
  const waiting = { hold: () => {}, msMax: probeMs }
  const of = (headers: Record<string, string>): McpServer => ({ ...SERVER, headers, origin: 'config' })

  test('is found by each tenant for itself, as its grant may have opened it', async ({ expect }) => {
    const { offers, asked } = serverToAsk()
    const [one, two] = [offers.offer('one', of({}), waiting), offers.offer('two', of({}), waiting)]
    await vi.advanceTimersByTimeAsync(100)
    expect(asked).toHaveLength(2)
    asked[0]?.(listed([{ name: 'of_one', inputSchema: {} }]))
    asked[1]?.(listed())
    expect([(await one).probe.tools, (await two).probe.tools].map((tools) => tools.map(({ name }) => name))).toEqual([
      ['of_one'],
      ['look_up'],
    ])
  })

  test('is one for all where its headers say who we are', async ({ expect }) => {
    const { offers, asked } = serverToAsk()
    const server = of({ Authorization: 'Bearer ours' })
    const both = [offers.offer('one', server, waiting), offers.offer('two', server, waiting)]
    await vi.advanceTimersByTimeAsync(100)
    expect(asked).toHaveLength(1)
    asked[0]?.(listed())
    await vi.advanceTimersByTimeAsync(100)
    for (const one of both) expect((await one).probe.tools).toEqual(TOOLS)
  })
})

describe('a list that nobody has', () => {
  test('is asked for by one, and waited for by all who need it', async ({ expect }) => {
    const { offer, asked, waits } = serverToAsk()
    const all = [offer(), offer(), offer()]
    await vi.advanceTimersByTimeAsync(probeMs - 1_000)
    expect(asked).toHaveLength(1)
    expect(waits).toEqual(['words', 'words', 'words'])
    all.push(offer())
    for (const one of all) expect(await stateOf(one)).toBe('open')
    asked[0]?.(listed())
    await vi.advanceTimersByTimeAsync(100)
    for (const one of all) expect(await one).toMatchObject({ probe: { error: null, tools: TOOLS } })
    expect(asked).toHaveLength(1)
  })

  test('is asked for once, also when all had looked first at what the tenant keeps', async ({ expect }) => {
    let reads = 0
    const keepProbe = vi.fn<TenantProbes['keepProbe']>(async () => {})
    const { offer, asked } = serverToAsk({ probe: async () => (reads++, null), keepProbe })
    const all = [offer(), offer(), offer()]
    await vi.advanceTimersByTimeAsync(100)
    expect([reads, asked.length]).toEqual([3, 1])
    asked[0]?.(listed())
    await vi.advanceTimersByTimeAsync(100)
    for (const one of all) expect((await one).probe.tools).toEqual(TOOLS)
    expect(keepProbe).toHaveBeenCalledTimes(1)
  })

  test('is waited for as long as its server has for it, by who came later no longer', async ({ expect }) => {
    const { offer, asked } = serverToAsk()
    const first = offer()
    await vi.advanceTimersByTimeAsync(4_000)
    const second = offer()
    await vi.advanceTimersByTimeAsync(probeMs - 4_001)
    expect([await stateOf(first), await stateOf(second)]).toEqual(['open', 'open'])
    asked[0]?.(failed('timeout'))
    await vi.advanceTimersByTimeAsync(100)
    const texts = failureKept({ code: 'timeout' })
    for (const one of [first, second]) expect(await one).toMatchObject({ probe: { listedTime: null, ...texts } })
  })

  test('keeps nobody longer than that, even if no end of the request is ever told', async ({ expect }) => {
    const { offer, asked } = serverToAsk()
    const first = offer()
    const second = offer()
    await vi.advanceTimersByTimeAsync(probeMs)
    for (const one of [first, second]) expect((await one).probe.error).toContain('no answer in time')
    expect(asked).toHaveLength(1)
  })

  test('is not waited for any more by one that is cancelled; the others have it', async ({ expect }) => {
    const { offer, asked } = serverToAsk()
    const leaving = new AbortController()
    const gone = [offer(leaving.signal), offer(leaving.signal)]
    const other = offer()
    await vi.advanceTimersByTimeAsync(100)
    leaving.abort(new Error('cancelled'))
    for (const one of gone) await expect(one).rejects.toThrow('cancelled')
    expect(await stateOf(other)).toBe('open')
    asked[0]?.(listed())
    await vi.advanceTimersByTimeAsync(100)
    expect((await other).probe.tools).toEqual(TOOLS)
    expect(asked).toHaveLength(1)
  })

  test('comes from a request of an administrator that is under way, too', async ({ expect }) => {
    const { offers, offer, asked } = serverToAsk()
    const refreshed = offers.refresh(SERVER, {
      tenant: 't',
      session: null,
      holder: null,
      by: null,
      language: 'en',
      canVisit: true,
    })
    const run = offer()
    await vi.advanceTimersByTimeAsync(100)
    asked[0]?.(listed())
    await vi.advanceTimersByTimeAsync(100)
    expect((await run).probe.tools).toEqual(TOOLS)
    expect((await refreshed).offer.probe.tools).toEqual(TOOLS)
    expect(asked).toHaveLength(1)
  })
})

describe('a server that is down', () => {
  test('is left alone for half a minute, and each who needs it meanwhile is told at once', async ({ expect }) => {
    const { offer, asked, waits } = serverToAsk()
    const first = offer()
    await vi.advanceTimersByTimeAsync(10)
    asked[0]?.(failed('unreachable'))
    expect((await first).probe.error).toContain('could not be reached')
    waits.length = 0
    for (const _ of [1, 2, 3]) {
      await vi.advanceTimersByTimeAsync(retryMs / 4)
      expect((await offer()).probe.error).toContain('could not be reached')
    }
    expect([asked.length, waits]).toEqual([1, []])
  })

  test('is had again by the next who needs it when it is back', async ({ expect }) => {
    const { offer, asked } = serverToAsk()
    const first = offer()
    await vi.advanceTimersByTimeAsync(10)
    asked[0]?.(failed('unreachable'))
    await first
    await vi.advanceTimersByTimeAsync(retryMs)
    const all = [offer(), offer()]
    await vi.advanceTimersByTimeAsync(loadMs / 2)
    asked[1]?.(listed())
    await vi.advanceTimersByTimeAsync(100)
    for (const one of all) expect(await stateOf(one)).toBe('there')
    for (const one of all) expect((await one).probe).toMatchObject({ error: null, tools: TOOLS })
    expect(asked).toHaveLength(2)
  })

  test('delays nobody for longer than a moment when it is asked again, and is told as before', async ({ expect }) => {
    const { offer, asked } = serverToAsk()
    const first = offer()
    await vi.advanceTimersByTimeAsync(10)
    asked[0]?.(failed('unreachable'))
    await first
    await vi.advanceTimersByTimeAsync(retryMs)
    const second = offer()
    await vi.advanceTimersByTimeAsync(loadMs - 1)
    expect(await stateOf(second)).toBe('open')
    await vi.advanceTimersByTimeAsync(1)
    expect((await second).probe.error).toContain('could not be reached')
    expect(asked).toHaveLength(2)
  })
})

describe('a list that is at hand', () => {
  async function known() {
    const it = serverToAsk()
    const first = it.offer()
    await vi.advanceTimersByTimeAsync(10)
    it.asked[0]?.(listed())
    await first
    it.waits.length = 0
    return it
  }

  test('is used while it is asked for anew, and stays where its server is down', async ({ expect }) => {
    const { offer, asked, waits, knowns } = await known()
    await vi.advanceTimersByTimeAsync(listKeptMs)
    for (const _ of [1, 2]) expect((await offer()).probe).toMatchObject({ error: null, tools: TOOLS })
    asked[1]?.(failed('unreachable', knowns[1]))
    await vi.advanceTimersByTimeAsync(10)
    expect((await offer()).probe).toMatchObject({ error: expect.stringContaining('reached'), tools: TOOLS })
    expect([asked.length, waits]).toEqual([2, []])
  })

  test('and was called old by its server is waited for by all, for a moment', async ({ expect }) => {
    const { offers, offer, asked, waits } = await known()
    offers.expire('t', SERVER)
    const all = [offer(), offer()]
    await vi.advanceTimersByTimeAsync(loadMs - 200)
    for (const one of all) expect(await stateOf(one)).toBe('open')
    expect([asked.length, waits]).toEqual([2, ['words', 'words']])
    const more = [{ name: 'recite', inputSchema: {} }]
    asked[1]?.(listed(more))
    await vi.advanceTimersByTimeAsync(100)
    for (const one of all) expect((await one).probe.tools).toEqual(more)
    offers.expire('t', SERVER)
    const last = offer()
    await vi.advanceTimersByTimeAsync(loadMs)
    expect((await last).probe).toMatchObject({ error: null, tools: more })
  })
})

describe('a request whose asker was taken away', () => {
  test('is made again by one of those who wait, and all have what comes of it', async ({ expect }) => {
    const { offer, asked } = serverToAsk()
    void offer()
    await vi.advanceTimersByTimeAsync(probeMs / 2)
    // What has become of it: nothing of it runs any more.
    vi.clearAllTimers()
    const all = [offer(), offer(), offer()]
    await vi.advanceTimersByTimeAsync(2 * askLostMs)
    expect(asked).toHaveLength(2)
    for (const one of all) expect(await stateOf(one)).toBe('open')
    asked[1]?.(listed())
    await vi.advanceTimersByTimeAsync(100)
    for (const one of all) expect((await one).probe.tools).toEqual(TOOLS)
  })

  test('is found lost by those who wait for it', async ({ expect }) => {
    const requests = new ListRequests(Date.now)
    void requests.during('a', () => new Promise(() => {}))
    await vi.advanceTimersByTimeAsync(probeMs / 2)
    // What has become of it: nothing of it runs any more.
    vi.clearAllTimers()
    const ends = [requests.end('a', probeMs), requests.end('a', probeMs)]
    await vi.advanceTimersByTimeAsync(askLostMs / 2)
    for (const one of ends) expect(await stateOf(one)).toBe('open')
    await vi.advanceTimersByTimeAsync(askLostMs)
    expect(await Promise.all(ends)).toEqual(['lost', 'lost'])
    expect(requests.isUnderWay('a')).toBe(false)
  })

  test('is over after a while where nobody waits for it', async ({ expect }) => {
    const requests = new ListRequests(Date.now)
    void requests.during('a', () => new Promise(() => {}))
    expect(requests.isUnderWay('a')).toBe(true)
    await vi.advanceTimersByTimeAsync(LIMITS.mcp.askedMsMax)
    expect(requests.isUnderWay('a')).toBe(false)
  })

  test('that is slow but lives is waited for', async ({ expect }) => {
    const requests = new ListRequests(Date.now)
    let done = () => {}
    void requests.during('a', () => new Promise<void>((end) => (done = end)))
    const ended = requests.end('a', probeMs)
    await vi.advanceTimersByTimeAsync(probeMs - 1_000)
    expect(await stateOf(ended)).toBe('open')
    done()
    await vi.advanceTimersByTimeAsync(100)
    expect(await ended).toBe('ended')
  })
})
