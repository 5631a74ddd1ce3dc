import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import * as z from 'zod'
import { startStage, type Stage } from '../../support/console.ts'
import { ms, type Case, type Result } from '../harness/result.ts'
import { median } from '../harness/rounds.ts'

const FEW = 1_000
const TIMES = 10
const ROUNDS_MAX = 3
const GROWTH_MAX = 2
/** What people take for at once: a key's letter is to be seen by then. */
const TYPING_MS_MAX = 100
const KEYS = 40

const metrics = z.object({ metrics: z.array(z.object({ name: z.string(), value: z.number() })) })

/** Script time of the page for one answer of 10,000 deltas, and for ten of 1,000; how long a key takes meanwhile; and, on a
 *  processor throttled four times, the script of a frame of such an answer and how long a session of 3,000 messages takes to open. */
export const consoleStream: Case = {
  name: 'console',
  run: async (rounds) => {
    const stage = await startStage({ html: '' })
    const { page } = await stage.open()
    await scriptMsOf(stage, page, FEW)
    const ratios: number[] = []
    const many: number[] = []
    const few: number[] = []
    for (let round = 0; round < Math.min(rounds, ROUNDS_MAX); round++) {
      many.push(await scriptMsOf(stage, page, FEW * TIMES))
      let sum = 0
      for (let time = 0; time < TIMES; time++) sum += await scriptMsOf(stage, page, FEW)
      few.push(sum)
      ratios.push((many.at(-1) ?? NaN) / sum)
    }
    const typing = await typingMs(stage, page)
    const frames = await frameScripts(stage, page)
    const opening = await openingMs(stage, page)
    await stage.close()
    return [growth(many, few, ratios), typed(typing), framed(frames), opened(opening)]
  },
}

function growth(many: number[], few: number[], ratios: number[]): Result {
  return {
    name: 'console, script of 10,000 deltas (10 × 1,000)',
    ours: ms(median(many)),
    floor: ms(median(few)),
    ratio: median(ratios),
    spread: [Math.min(...ratios), Math.max(...ratios)],
    goal: GROWTH_MAX,
  }
}

function typed(worst: number): Result {
  const name = `console, a key while it streams (slowest of ${KEYS})`
  return { name, ours: ms(worst), floor: ms(TYPING_MS_MAX), ratio: worst / TYPING_MS_MAX, spread: null, goal: 1 }
}

/** Words with paragraphs, lists and code, in so many pieces. */
function pieces(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    if (index % 400 === 399) return '\n\n```js\nlet a = 1\n```\n\n'
    if (index % 60 === 59) return '.\n\n'
    return ` **word** ${index}`
  })
}

/** Its id. */
async function begin(stage: Stage, page: Page, count: number, chunk_delay_ms = 0): Promise<string> {
  await stage.script([
    { chunks: pieces(count), chunk_delay_ms, tool_calls: [{ name: 'finish', arguments: { reason: 'Done.' } }] },
  ])
  const { session_id: id } = await stage.client.sessions.begin(
    { task: `Say ${count}` },
    { key: `${count}-${performance.now()}` },
  )
  await page.goto(`${stage.url}/#/inbox`)
  await page.goto(`${stage.url}/#/s/${id}`)
  return id
}

/** Milliseconds of script until an answer of so many deltas has been shown. */
async function scriptMsOf(stage: Stage, page: Page, count: number): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const before = await scriptSeconds(session)
  await begin(stage, page, count)
  await page.locator('.session-header', { hasText: `Say ${count}` }).waitFor()
  await isOver(page)
  const spent = ((await scriptSeconds(session)) - before) * 1_000
  await session.detach()
  return spent
}

/** The end of a long answer may be far below what is seen: its view stays where it begins. */
const isOver = (page: Page) => page.locator('.session-header', { hasText: 'Completed' }).waitFor()

interface Sender {
  send(method: 'Performance.getMetrics'): Promise<unknown>
}

async function scriptSeconds(session: Sender): Promise<number> {
  const { metrics: found } = metrics.parse(await session.send('Performance.getMetrics'))
  return found.find(({ name }) => name === 'ScriptDuration')?.value ?? NaN
}

const WATCH_KEY = `void (shown = new Promise((done) => document.querySelector('.composer textarea').addEventListener(
  'input', ({ timeStamp }) => requestAnimationFrame(() => setTimeout(() => done(performance.now() - timeStamp))), { once: true })))`

/** From a key's press to the frame that shows its letter, the slowest of many, while an answer is written. */
async function typingMs(stage: Stage, page: Page): Promise<number> {
  await begin(stage, page, FEW * TIMES, 1)
  const field = page.locator('.composer textarea')
  await page.locator('.reply').waitFor()
  await field.focus()
  const waits: number[] = []
  for (let index = 0; index < KEYS; index++) {
    await page.evaluate(WATCH_KEY)
    await page.keyboard.press('x')
    waits.push(await page.evaluate<number>('shown'))
  }
  return Math.max(...waits)
}

const THROTTLE = 4
/** Half of a frame at 60 a second. */
const FRAME_MS_MAX = 8
const OPENING_MS_MAX = 1_000
const MESSAGES = 3_000
const LOOK_MS = 500

/** Does what is done on a processor so many times slower. */
async function throttled<T>(page: Page, work: () => Promise<T>): Promise<T> {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: THROTTLE })
  const value = await work()
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  await session.detach()
  return value
}

/** Milliseconds of the page's thread in script, in each frame while an answer of 10,000 deltas comes, a millisecond apart. */
async function frameScripts(stage: Stage, page: Page): Promise<number[]> {
  return throttled(page, async () => {
    const id = await begin(stage, page, FEW * TIMES, 1)
    await page.locator('.reply').waitFor()
    await stage.browser.startTracing(page, {
      categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline.frame'],
    })
    // Asked of the server: whoever waits in the page looks there at every frame.
    while (await isRunning(stage, id)) await setTimeout(LOOK_MS)
    const recorded = JSON.parse((await stage.browser.stopTracing()).toString())
    return scriptsOf(trace.parse(recorded).traceEvents)
  })
}

const isRunning = async (stage: Stage, id: string) =>
  (await stage.client.json<{ status: string }>({ path: `/v1/sessions/${id}` })).status === 'in_progress'

const trace = z.object({
  traceEvents: z.array(
    z.object({
      name: z.string(),
      ph: z.string(),
      ts: z.number(),
      dur: z.number().optional(),
      tdur: z.number().optional(),
      tid: z.number(),
    }),
  ),
})
type Traced = z.infer<typeof trace>['traceEvents']

/** What runs script on its own account; one within another counts once. */
const SCRIPT = new Set([
  'FunctionCall',
  'EvaluateScript',
  'v8.callFunction',
  'TimerFire',
  'FireAnimationFrame',
  'RunMicrotasks',
  'EventDispatch',
])

function scriptsOf(events: Traced): number[] {
  const begins = events.filter(({ name }) => name === 'BeginMainThreadFrame').toSorted((a, b) => a.ts - b.ts)
  const thread = mostFrequent(begins.map(({ tid }) => tid))
  const frames = begins.filter(({ tid }) => tid === thread).map(({ ts }) => ts)
  const spent = frames.map(() => 0)
  let end = 0
  let frame = 0
  for (const { ts, dur = 0, tdur = 0 } of events
    .filter(({ name, ph, tid }) => ph === 'X' && tid === thread && SCRIPT.has(name))
    .toSorted((a, b) => a.ts - b.ts)) {
    if (ts < end) continue
    end = ts + dur
    while (frame + 1 < frames.length && (frames[frame + 1] ?? Infinity) <= ts) frame++
    spent[frame] = (spent[frame] ?? 0) + tdur / 1_000
  }
  return spent
}

function mostFrequent(values: readonly number[]): number {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? NaN
}

/** From the click on a long session in the list to its last message. */
async function openingMs(stage: Stage, page: Page): Promise<number> {
  const messages = Array.from({ length: MESSAGES }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `Message number ${index}.\n\n${'Some **more** of it. '.repeat(index % 7)}`,
  }))
  const body = { object: 'session.export', version: 1, session: { title: 'Long', messages } }
  const { id } = await stage.client.json<{ id: string }>({ method: 'POST', path: '/v1/sessions/import', body })
  const waits = await throttled(page, async () => {
    const all: number[] = []
    for (let round = 0; round < ROUNDS_MAX; round++) {
      await page.goto(`${stage.url}/#/inbox`)
      await page.locator('.session-header').waitFor({ state: 'detached' })
      all.push(await page.evaluate<number>(untilShown(id)))
    }
    return all
  })
  return median(waits)
}

const untilShown = (id: string) => `new Promise((done) => {
  const began = performance.now()
  location.hash = '#/s/${id}'
  const look = () => document.body.innerText.includes('Message number ${MESSAGES - 1}.')
    ? requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)))
    : requestAnimationFrame(look)
  look()
})`

function framed(scripts: readonly number[]): Result {
  const sorted = scripts.toSorted((a, b) => a - b)
  const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? NaN
  const name = `console, script of a frame, ${THROTTLE} times throttled (95th of a hundred of ${sorted.length})`
  const spread: [number, number] = [median(sorted) / FRAME_MS_MAX, (sorted.at(-1) ?? NaN) / FRAME_MS_MAX]
  return { name, ours: ms(p95), floor: ms(FRAME_MS_MAX), ratio: p95 / FRAME_MS_MAX, spread, goal: 1 }
}

function opened(wait: number): Result {
  const name = `console, opening ${MESSAGES} messages, ${THROTTLE} times throttled`
  return { name, ours: ms(wait), floor: ms(OPENING_MS_MAX), ratio: wait / OPENING_MS_MAX, spread: null, goal: 1 }
}
