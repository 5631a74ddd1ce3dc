// `npm run screenshots [-- --only NAME,NAME --all --axe --dark --zh --phone --width PX --png --out FOLDER]`: pictures of the console's states,
// of a server with a scripted model. states.ts has the states, world.ts the sessions that they show.
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { BrowserContextOptions, Page, PageScreenshotOptions } from 'playwright-core'
import { seriousFaults, startStage, type Stage } from '../support/console.ts'
import { spreadOverDays } from './over-days.ts'
import { fillSetUp } from './set-up.ts'
import { KEPT, OTHERS, type State } from './states.ts'
import { makeWorld, type World } from './world.ts'

const PRICE = { prompt_per_mtok: 4, completion_per_mtok: 12, currency: 'CNY' }
const BUDGETS = { tenant: { month: { max_cost: { amount: 90, currency: 'CNY' } } } }
const PAGE = '<title>The harbour</title><h1>The harbour</h1><p>It opens at six in summer and at seven in winter.</p>'
const WIDE = { width: 1200, height: 760 }
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
/** Of JPEG: a picture is to be small. */
const QUALITY = 62

process.env['YAA_TEST_FONTS'] ??= resolve('test/screenshots/fonts.conf')
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'docs/images' },
    only: { type: 'string' },
    /** Another look than that which is kept. */
    png: { type: 'boolean', default: false },
    /** Say what keeps people out of a state, and what is wider than its window. */
    axe: { type: 'boolean', default: false },
    /** Also of what is only looked at. */
    all: { type: 'boolean', default: false },
    dark: { type: 'boolean', default: false },
    zh: { type: 'boolean', default: false },
    phone: { type: 'boolean', default: false },
    width: { type: 'string' },
  },
})

const listed = values.all ? [...KEPT, ...OTHERS] : KEPT
const wanted = listed.filter(({ name }) => !values.only || values.only.split(',').some((one) => name.startsWith(one)))
mkdirSync(values.out, { recursive: true })
const first = wanted.filter(({ isFirstMinute }) => isFirstMinute)
const others = wanted.filter(({ isFirstMinute }) => !isFirstMinute)
if (first.length > 0) await taken(first, { models: {}, default_model: 'built-in' })
if (others.length > 0) await taken(others, { budgets: BUDGETS }, makeWorld)

async function taken(
  states: readonly State[],
  config: Record<string, unknown>,
  makeIt?: (stage: Stage) => Promise<World>,
): Promise<void> {
  const stage = await startStage({ html: PAGE, price: PRICE, config })
  let end = async () => {}
  try {
    const world = (await makeIt?.(stage)) ?? ({} as World)
    if (makeIt) end = await fillSetUp(stage)
    for (const state of states) await take(state, stage, world)
  } finally {
    await end()
    await stage.close()
  }
}

async function take(state: State, stage: Stage, world: World): Promise<void> {
  const { page, errors, close } = await stage.open(lookOf(state), `/${state.address(world)}`)
  try {
    await page.route(/\/v1\/sessions\?/, spreadOverDays)
    await page.reload()
    await page.locator('main').waitFor()
    await page.waitForTimeout(1_500)
    await state.act?.(page, stage, world)
    await page.waitForTimeout(700)
    await page.screenshot(fileOf(state))
    const faults = values.axe ? [...(await seriousFaults(page)), ...(await overflowOf(page))] : []
    console.log([state.name, ...errors, ...faults].join('\n  '))
  } catch (error) {
    console.log(state.name, String(error).slice(0, 400))
    await page.screenshot(fileOf(state))
  } finally {
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await close()
  }
}

async function overflowOf(page: Page): Promise<string[]> {
  const tooWide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  return tooWide > 0 ? [`${tooWide} px wider than the window`] : []
}

/** What is kept is small; what is only looked at is sharp. */
function fileOf({ name }: State): PageScreenshotOptions {
  if (values.png) return { path: join(values.out, `${name}.png`), type: 'png' }
  return { path: join(values.out, `${name}.jpg`), type: 'jpeg', quality: QUALITY }
}

function lookOf({ isPhone, isDark, isChinese }: State): BrowserContextOptions {
  const room = isPhone || values.phone ? PHONE : { viewport: { ...WIDE, width: Number(values.width ?? WIDE.width) } }
  return {
    ...room,
    colorScheme: isDark || values.dark ? 'dark' : 'light',
    locale: isChinese || values.zh ? 'zh-CN' : 'en-US',
  }
}
