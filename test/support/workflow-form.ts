import type { Locator, Page } from 'playwright-core'

/** Width in px, colours and language that a page is looked at in: a phone and a screen, each in the light and in the dark. */
export const LOOKS = [
  [390, 'light', 'en-US'],
  [390, 'dark', 'zh-CN'],
  [1440, 'dark', 'en-US'],
  [1440, 'light', 'zh-CN'],
] as const

/** The form of a workflow. */
export const formOf = (page: Page): Locator => page.locator('.workflow-form')

/** A step in it, by its name. */
export const stepOf = (page: Page, id: string): Locator => formOf(page).getByRole('article', { name: id, exact: true })
