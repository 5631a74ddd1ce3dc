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

/** Script time of the page for one answer of 10,000 deltas, and for ten of 1,000; and how long a key takes meanwhile. */
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
    await stage.close()
    return [growth(many, few, ratios), typed(typing)]
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

async function begin(stage: Stage, page: Page, count: number, chunk_delay_ms = 0): Promise<void> {
  await stage.script([
    { chunks: pieces(count), chunk_delay_ms, tool_calls: [{ name: 'finish', arguments: { reason: 'Done.' } }] },
  ])
  const { session_id: id } = await stage.client.sessions.begin(
    { task: `Say ${count}` },
    { key: `${count}-${performance.now()}` },
  )
  await page.goto(`${stage.url}/#/inbox`)
  await page.goto(`${stage.url}/#/s/${id}`)
}

/** Milliseconds of script until an answer of so many deltas has been shown. */
async function scriptMsOf(stage: Stage, page: Page, count: number): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const before = await scriptSeconds(session)
  await begin(stage, page, count)
  await page.locator('.session-header', { hasText: `Say ${count}` }).waitFor()
  await page.locator('.end-line').waitFor({ timeout: 60_000 })
  const spent = ((await scriptSeconds(session)) - before) * 1_000
  await session.detach()
  return spent
}

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
