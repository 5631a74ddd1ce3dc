import type { Page } from 'playwright-core'
import type { Stage } from '../support/console.ts'
import type { World } from './world.ts'

/** A state of the console that a picture is kept of. */
export interface State {
  name: string
  /** Of a server that has the built-in model alone. */
  isFirstMinute?: true
  isPhone?: true
  isDark?: true
  isChinese?: true
  address: (world: World) => string
  /** How one comes to it from its address. */
  act?: (page: Page, stage: Stage, world: World) => Promise<void>
}

const session =
  (name: keyof World, tab = '') =>
  (world: World) =>
    `#/s/${world[name]}${tab}`
const setup = (part: string, act?: State['act']): State => ({
  name: `setup-${part}`,
  address: () => `#/setup/${part}`,
  ...(act ? { act } : {}),
})
const PHONE_ZH = { isPhone: true, isDark: true, isChinese: true } as const

/** Those that are kept in docs/images. */
export const KEPT: readonly State[] = [
  { name: 'first-minute', isFirstMinute: true, address: () => '#/' },
  { name: 'first-minute-phone', isFirstMinute: true, ...PHONE_ZH, address: () => '#/' },
  {
    name: 'composer',
    address: () => '#/new',
    act: async (page) => {
      const picture = await drawnPicture(page)
      await page.locator('input[type=file]').setInputFiles([
        { name: 'harbour.png', mimeType: 'image/png', buffer: Buffer.from(picture, 'base64') },
        { name: 'minutes-of-monday.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(182_000) },
      ])
      await page
        .locator('.new-task textarea')
        .fill('Compare the picture with the minutes, and say what is missing in them.')
      await page.locator('select.chip-choice').nth(1).selectOption({ index: 1 })
    },
  },
  {
    name: 'running',
    address: () => '#/new',
    act: async (page, stage) => {
      await stage.script([
        {
          reasoning: 'The page first, then the answer.',
          tool_calls: [{ name: 'list_files', arguments: {} }],
        },
        {
          content:
            'The harbour opens at six in summer and at seven in winter. On holidays it stays closed, and then one goes to the',
          chunks: 12,
          hold_after: 9,
        },
      ])
      await page.locator('.new-task textarea').fill('When does the harbour open?')
      await page.locator('.new-task button[type=submit]').click()
      await page.locator('.reply', { hasText: 'in summer' }).waitFor()
      await page.waitForTimeout(2_500)
    },
  },
  { name: 'answer', address: session('answer') },
  {
    name: 'answer-dark',
    isDark: true,
    address: session('answer'),
    act: async (page) => {
      await page.locator('.chart img').waitFor()
      await page.mouse.move(740, 400)
      await page.mouse.wheel(0, 900)
      await page.waitForTimeout(500)
    },
  },
  { name: 'answer-phone', ...PHONE_ZH, address: session('answerZh') },
  { name: 'approval', address: session('approval') },
  { name: 'approval-phone', ...PHONE_ZH, address: session('approvalZh') },
  { name: 'form', address: session('form') },
  { name: 'refused', address: session('refused'), act: (page) => page.locator('.call summary').first().click() },
  { name: 'failed', address: session('failed') },
  { name: 'plan', address: session('plan', '/plan') },
  { name: 'team', address: session('team', '/team') },
  {
    name: 'workflow',
    address: session('workflow', '/workflow'),
    act: (page) => page.locator('[data-step="each"]').click(),
  },
  {
    name: 'files',
    address: session('files', '/files'),
    act: (page) => page.getByRole('button', { name: 'tea.md' }).first().click(),
  },
  {
    name: 'sessions',
    address: () => '#/',
    act: async (page) => {
      await page.locator('.sessions .group button').first().click()
      for (const index of [0, 2]) await page.locator('.select-entry').nth(index).click()
    },
  },
  {
    name: 'share',
    address: session('refused'),
    act: async (page) => {
      await page.locator('.reply footer.acts button').nth(3).click()
      await page.locator('.share .primary').click()
      await page.locator('.share-made').waitFor()
    },
  },
  { name: 'inbox', address: () => '#/inbox' },
  { name: 'palette', address: () => '#/', act: (page) => page.keyboard.press('Control+k') },
  setup('models'),
  setup('settings'),
  setup('audit'),
  { name: 'spend', address: () => '#/spend' },
]

/** Those that are only looked at. */
export const OTHERS: readonly State[] = [
  { name: 'question', address: session('question') },
  {
    name: 'keys',
    address: () => '#/inbox',
    act: async (page) => {
      await page.locator('main').click()
      await page.keyboard.press('?')
    },
  },
  {
    name: 'undo',
    address: session('failed'),
    act: async (page) => {
      await page.locator('.session-header summary').click()
      await page.locator('.menu-room button').last().click()
      await page.locator('.toast').waitFor()
    },
  },
  {
    name: 'feedback',
    address: session('refused'),
    act: (page) => page.locator('.reply footer.acts button').nth(2).click(),
  },
  setup('connections'),
  setup('mcp-servers'),
  setup('openapi-tools'),
  setup('skills'),
  setup('workflows'),
  setup('webhooks'),
  setup('schedules'),
  setup('callbacks'),
  setup('keys'),
  { name: 'connect', address: () => '#/connect' },
  { name: 'setup-new-webhook', address: () => '#/setup/webhooks', act: opensNew },
  { name: 'setup-new-key', address: () => '#/setup/keys', act: opensNew },
  { name: 'setup-new-schedule', address: () => '#/setup/schedules', act: opensNew },
  { name: 'setup-new-api', address: () => '#/setup/openapi-tools', act: opensNew },
  { name: 'setup-new-workflow', address: () => '#/setup/workflows', act: opensNew },
  {
    name: 'setup-workflow-steps',
    address: () => '#/setup/workflows',
    act: async (page) => {
      await opensNew(page)
      await page.locator('.workflow-form .begin button').click()
    },
  },
  { name: 'setup-new-callback', address: () => '#/setup/callbacks', act: opensNew },
  {
    name: 'setup-workflow-run',
    address: () => '#/setup/workflows',
    act: (page) => page.locator('.resource', { hasText: 'digest' }).locator('.trial summary').first().click(),
  },
  {
    name: 'setup-new-model',
    address: () => '#/setup/models',
    act: (page) => page.locator('.part-head .primary').click(),
  },
  { name: 'spend-model', address: () => '#/spend', act: (page) => page.locator('.switch button').nth(1).click() },
  { name: 'home-phone', isPhone: true, address: () => '#/' },
  { name: 'plan-phone', ...PHONE_ZH, address: session('plan', '/plan') },
  { name: 'workflow-phone', ...PHONE_ZH, address: session('workflow', '/workflow') },
  { name: 'team-phone', isPhone: true, address: session('team', '/team') },
  { name: 'files-phone', isPhone: true, address: session('files', '/files') },
  { name: 'failed-phone', ...PHONE_ZH, address: session('failed') },
  { name: 'settings-phone', ...PHONE_ZH, address: () => '#/setup/settings' },
  { name: 'spend-phone', ...PHONE_ZH, address: () => '#/spend' },
  { name: 'audit-phone', isPhone: true, address: () => '#/setup/audit' },
  { name: 'memory', address: () => '#/setup/memory' },
]

async function opensNew(page: Page): Promise<void> {
  await page.locator('.resources .acts .primary').first().click()
}

/** A picture as somebody may attach it. */
async function drawnPicture(page: Page): Promise<string> {
  const drawn = await page.evaluate<string>(`(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 320, height: 320 })
    const at = canvas.getContext('2d')
    const sky = at.createLinearGradient(0, 0, 0, 320)
    sky.addColorStop(0, '#f2c48d')
    sky.addColorStop(0.6, '#d9795d')
    sky.addColorStop(0.61, '#2f5d6b')
    sky.addColorStop(1, '#16323c')
    at.fillStyle = sky
    at.fillRect(0, 0, 320, 320)
    at.fillStyle = '#23211d'
    at.fillRect(60, 150, 130, 44)
    at.fillRect(150, 90, 8, 62)
    return canvas.toDataURL('image/png').split(',')[1]
  })()`)
  return drawn
}
