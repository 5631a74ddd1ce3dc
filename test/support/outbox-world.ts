import { callbackFrom } from '../../src/callbacks/callback.ts'
import { Outbox } from '../../src/callbacks/outbox.ts'
import type { Callback, CallbackEvent, News } from '../../src/domain/callback.ts'
import { newCallback, type NewCallback } from '../../src/domain/callback-input.ts'
import type { Random } from '../../src/domain/ports.ts'
import { createGuardedFetch } from '../../src/net/guarded-fetch.ts'
import type { Database } from '../../src/store/database.ts'

export const HOUR = 60 * 60_000
export const START = Date.parse('2026-03-10T12:00:00Z')

/** What a receiver was sent. */
export interface Received {
  url: string
  id: string
  headers: Headers
  body: {
    type: string
    timestamp: string
    data: { session_id: string; run_id: string | null; [more: string]: unknown }
  }
  /** Time on the clock of the world. */
  time: number
}

/** An outbox whose time goes on when a test says so; receivers answer from within the test. */
export interface World {
  outbox: Outbox
  now(): number
  /** Everything that was sent, failed tries too. */
  sent: Received[]
  /** Whether somebody wants to be told. */
  watched: boolean[]
  /** Callbacks that were said to be switched off, each as often as it was said. */
  off: string[]
  add(input?: Partial<NewCallback>): Promise<Callback>
  /** Time goes on by so much; alarms that fall due ring, each when it should. */
  pass(ms: number): Promise<void>
  /** Ring an alarm that is due, and wait for nothing. */
  ring(): void
  /** Resolves once what was sent is as it should be. */
  until(isSo: (sent: readonly Received[]) => boolean): Promise<void>
  /** Let go of what hangs. */
  end(): Promise<void>
}

/** `hangs`: it never answers. */
export type Receiver = (received: Received) => Response | Promise<Response> | 'hangs'

export interface WorldOptions {
  start?: number
  random?: Random
}

const OVER = new TypeError('the test is over')

export function openWorld(
  db: Database,
  receiver: Receiver,
  { start = START, random = () => 0.5 }: WorldOptions = {},
): World {
  let now = start
  let alarm: number | null = null
  const under = new Set<Promise<unknown>>()
  const sent: Received[] = []
  const watched: boolean[] = []
  const off: string[] = []
  const looking = new Set<() => void>()
  const hanging: ((why: Error) => void)[] = []
  let isOver = false
  const outbox = new Outbox({
    db,
    now: () => now,
    random,
    fetch: createGuardedFetch({
      publicFetch: async (url, init) => {
        const headers = new Headers(init?.headers)
        const body = JSON.parse(typeof init?.body === 'string' ? init.body : '') as Received['body']
        const received = { url, id: headers.get('webhook-id') ?? '', headers, body, time: now }
        sent.push(received)
        for (const look of looking) look()
        const answer = receiver(received)
        if (answer !== 'hangs') return answer
        if (isOver) throw OVER
        return new Promise<Response>((_, reject) => hanging.push(reject))
      },
      privateFetch: null,
      allowPrivateHosts: [],
    }),
    language: 'en',
    publicUrl: null,
    mintLink: async (tenant, sessionId, { id }) => `/links/${tenant}.${sessionId}.${id}`,
    alarm: { set: (time) => void (alarm = time) },
    keepAlive: (work) => {
      under.add(work)
      void work.finally(() => under.delete(work))
    },
    watch: async (_tenant, on) => void watched.push(on),
    switchedOff: ({ id }) => void off.push(id),
    report: (error) => {
      throw error
    },
  })
  const ring = () => {
    if (alarm === null || alarm > now) return
    alarm = null
    outbox.wake()
  }
  const rest = async () => {
    while (under.size > 0) await Promise.all(under)
  }
  return {
    outbox,
    now: () => now,
    sent,
    watched,
    off,
    ring,
    add: async (input = {}) => {
      const parsed = newCallback.parse({ url: 'https://receiver.example/in', events: ['run.completed'], ...input })
      const callback = callbackFrom(parsed, { tenant: 'default', origin: 'https://yaa.example' }, now)
      const made = await outbox.create(callback, null)
      if (!made.ok) throw new Error(JSON.stringify(made.error))
      return made.value.value.callback
    },
    pass: async (ms) => {
      const end = now + ms
      await rest()
      for (let due = alarm; due !== null && due <= end; due = alarm) {
        now = Math.max(now, due)
        ring()
        await rest()
      }
      now = end
    },
    until: (isSo) =>
      new Promise((resolve) => {
        const look = () => {
          if (!isSo(sent)) return
          looking.delete(look)
          resolve()
        }
        looking.add(look)
        look()
      }),
    end: async () => {
      // What hangs is cut, and tries that begin behind it end at once.
      isOver = true
      for (const cut of hanging.splice(0)) cut(OVER)
      await rest()
    },
  }
}

/** News of a run that ended. */
export function news(sessionId: string, seq: number, time: number, event: CallbackEvent = 'run.completed'): News {
  const data = {
    session_id: sessionId,
    run_id: `run_${seq}`,
    title: 'a task',
    user: null,
    status: 'completed',
    finish_reason: 'completed',
    result: `result ${seq}`,
  } as const
  return { event, sessionId, seq, time, data }
}

export const ok = () => new Response('ok')
export const answers = (status: number, headers: Record<string, string> = {}) => new Response('no', { status, headers })
