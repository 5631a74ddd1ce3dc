import { afterAll, beforeAll, test } from 'vitest'
import { seriousFaults, smallTargets, startStage, tooWide, type Stage } from '../support/console.ts'
import { formOf, LOOKS, stepOf } from '../support/workflow-form.ts'

let stage: Stage

beforeAll(async () => {
  stage = await startStage({ html: '<h1>Facts</h1>' })
})
afterAll(() => stage.close())

test.for(LOOKS)(
  'at %i px, %s and in %s all kinds of steps have room, and keep nobody out',
  async ([width, colorScheme, locale], { expect }) => {
    const isPhone = width === 390
    const options = { viewport: { width, height: 844 }, colorScheme, locale, hasTouch: isPhone }
    const { page, errors, close } = await stage.open(options, '/#/setup/workflows')
    const says = (en: string, zh: string) => (locale === 'zh-CN' ? zh : en)
    await page.getByRole('button', { name: says('New', '新建'), exact: true }).click()
    await formOf(page)
      .getByRole('button', { name: says('Start from an example', '从示例开始') })
      .click()
    await stepOf(page, 'agree').waitFor()
    const kinds = says(
      'Agent,Tool,Condition,Choice,For each,Side by side,Wait,Workflow,Values',
      '智能体,工具,条件,多路选择,逐项处理,并行,等待,工作流,赋值',
    )
    for (const [index, kind] of kinds.split(',').entries()) {
      await formOf(page)
        .getByRole('button', { name: says('Add a step : Steps', '添加步骤 : 步骤'), exact: true })
        .click()
      await formOf(page)
        .locator('.add-step')
        .getByRole('button', { name: new RegExp(`^${kind}`) })
        .click()
      await formOf(page)
        .locator('.step-list > ol > li')
        .nth(index + 2)
        .waitFor()
    }
    // Another way to wait is chosen by keys alone: the step stays open, and the choice is gone on from.
    const ways = stepOf(page, 'wait_1').locator('.step-main select').first()
    await ways.focus()
    for (const way of ['question', 'for_ms']) {
      await page.keyboard.press('ArrowDown')
      await expect.poll(() => ways.and(page.locator(':focus')).inputValue()).toBe(way)
    }
    if (!isPhone) expect(await page.evaluate('document.documentElement.scrollHeight <= innerHeight')).toBe(true)
    const folds = formOf(page).locator('.step-body > details > summary')
    for (let index = 0; index < (await folds.count()); index++) await folds.nth(index).click()
    expect(await seriousFaults(page)).toEqual([])
    expect([await tooWide(page), isPhone ? await smallTargets(page) : []]).toEqual([[], []])
    await formOf(page)
      .getByRole('button', { name: says('Save', '保存') })
      .click()
    await page.locator(':focus[aria-invalid=true]').waitFor()
    expect(await seriousFaults(page)).toEqual([])
    await formOf(page)
      .getByRole('button', { name: says('Cancel', '取消') })
      .click()
    expect(errors).toEqual([])
    await close()
  },
)
