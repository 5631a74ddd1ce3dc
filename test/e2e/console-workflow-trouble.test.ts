import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { seriousFaults, startStage, type Stage } from '../support/console.ts'
import { formOf, stepOf } from '../support/workflow-form.ts'

/** What is wrong in a workflow that is written, or is to be lost of it, is told. */

let stage: Stage

beforeAll(async () => {
  stage = await startStage({ html: '<h1>Facts</h1>' })
})
afterAll(() => stage.close())

test('a press that leaves a field reaches its button, whatever is told of the field', async ({ expect }) => {
  const { page, errors, close } = await stage.open({}, '/#/setup/workflows')
  await page.getByRole('button', { name: 'New', exact: true }).press('Enter')
  const form = formOf(page)
  await form.getByRole('button', { name: 'Start from an example' }).press('Enter')
  await form.getByLabel('Name *', { exact: true }).fill('pressed')
  await stepOf(page, 'words').getByLabel('Task *').fill('Greet {{ steps.wrods.output }}.')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.locator('.field-problem').first().waitFor()
  expect(errors).toEqual([])
  await close()
})

test('names and references that would not work are told at their fields', async ({ expect }) => {
  const { page, errors, close } = await stage.open({}, '/#/setup/workflows')
  await page.getByRole('button', { name: 'New', exact: true }).press('Enter')
  const form = formOf(page)
  await form.getByRole('button', { name: 'Start from an example' }).press('Enter')
  await form.getByLabel('Name *', { exact: true }).fill('told')
  const inputName = (number: number) => form.getByRole('textbox', { name: `Inputs ${number}: Name`, exact: true })
  const told = async (field: Locator) => {
    const [last = ''] = ((await field.getAttribute('aria-describedby')) ?? '').split(' ').toReversed()
    const text = page.locator(`[id="${last}"]:not(.hint)`)
    return (await text.count()) === 0 ? '' : text.innerText()
  }

  // A reference is told of once one has left the field, and again no more once it is right.
  const task = stepOf(page, 'words').getByLabel('Task *')
  await task.fill('Greet {{ inputs.whom }}.')
  expect(await told(task)).toBe('')
  await task.press('Tab')
  await expect.poll(() => told(task)).toContain('no input named “whom”')
  await task.fill('Greet {{ inputs.who }}.')
  await task.press('Tab')
  await expect.poll(() => told(task)).toBe('')

  // A name that is taken stays as it is typed, and keeps the form from being saved as something else.
  await form.getByRole('button', { name: 'Add a field : Inputs' }).press('Enter')
  await page.keyboard.type('who')
  await page.keyboard.press('Tab')
  await expect.poll(() => told(inputName(2))).toContain('“who” is already taken')
  expect(await inputName(2).inputValue()).toBe('who')
  await form.getByRole('button', { name: 'Save' }).press('Enter')
  await expect.poll(() => inputName(2).and(page.locator(':focus[aria-invalid=true]')).count()).toBe(1)
  await page.keyboard.press('Control+a')
  await page.keyboard.type('bad name!')
  await page.keyboard.press('Tab')
  await expect.poll(() => told(inputName(2))).toContain('Expressions cannot use this name')

  await stepOf(page, 'agree').locator('.step-body > details > summary').click()
  const id = stepOf(page, 'agree').getByLabel('Step name *')
  await id.fill('words')
  await id.press('Tab')
  await expect.poll(() => told(id)).toContain('“words” is already taken')
  await id.fill('agree')
  await id.press('Tab')
  await expect.poll(() => id.getAttribute('aria-invalid')).toBe(null)

  // All that is wrong is told at once; what is but a warning does not keep it from being saved.
  await form.getByLabel('Description *').fill('')
  await form.getByLabel('Name *', { exact: true }).fill('no name!')
  await stepOf(page, 'agree').getByLabel('What to approve *').fill('{{ steps.wrods.output }}')
  await form.getByRole('button', { name: 'Save' }).press('Enter')
  await expect
    .poll(() => form.locator('.field-problem').allInnerTexts())
    .toEqual([
      'Use up to 64 letters, digits, - and _, starting with a letter or a digit.',
      'This field is required.',
      'There is no step named “wrods”. Correct the name.',
    ])
  expect(await seriousFaults(page)).toEqual([])
  await form.getByLabel('Name *', { exact: true }).fill('told')
  await form.getByLabel('Description *').fill('Tells.')
  await stepOf(page, 'agree').getByLabel('What to approve *').fill('{{ steps.words.output }}')
  await form.getByRole('button', { name: 'Save' }).press('Enter')
  await form.waitFor({ state: 'detached' })
  expect(Object.keys(Object((await stage.client.workflows.get('told')).inputs)['properties'])).toEqual([
    'who',
    'bad name!',
  ])
  expect(errors).toEqual([])
  await close()
})

test('what is taken away can be had back, and nothing typed is lost without a question', async ({ expect }) => {
  const { page, errors, close } = await stage.open({}, '/#/setup/workflows')
  const asked: string[] = []
  const answers = [false, true]
  page.removeAllListeners('dialog')
  page.on('dialog', (dialog) => {
    asked.push(dialog.message())
    void (answers.shift() === false ? dialog.dismiss() : dialog.accept())
  })
  await page.getByRole('button', { name: 'New', exact: true }).press('Enter')
  const form = formOf(page)
  await form.getByRole('button', { name: 'Start from an example' }).press('Enter')
  await stepOf(page, 'words').getByRole('button', { name: 'Remove: words' }).press('Enter')
  await stepOf(page, 'words').waitFor({ state: 'detached' })
  await stepOf(page, 'agree').getByLabel('What to approve *').fill('Send it?')
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).press('Enter')
  await stepOf(page, 'words').waitFor()
  await expect.poll(() => stepOf(page, 'words').getByLabel('Task *').and(page.locator(':focus')).count()).toBe(1)
  expect(await stepOf(page, 'agree').getByLabel('What to approve *').inputValue()).toBe('Send it?')
  await form.getByRole('button', { name: 'Remove who' }).press('Enter')
  await page.locator('.toast').getByText('“who” was removed.').waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).press('Enter')
  await expect.poll(() => form.getByLabel('required: who').isChecked()).toBe(true)

  // A draft that is there again says so.
  await page.reload()
  await page.getByRole('button', { name: 'New', exact: true }).press('Enter')
  await form.getByText('These are your unsaved changes from before.').waitFor()
  await form.getByRole('button', { name: 'Cancel' }).press('Enter')
  await expect.poll(() => asked).toEqual(['Discard your changes?'])
  await stepOf(page, 'words').waitFor()
  await form.getByRole('button', { name: 'Start over' }).press('Enter')
  await stepOf(page, 'words').waitFor({ state: 'detached' })
  await form.getByLabel('Description *').fill('Mine')
  await form.getByRole('button', { name: 'Cancel' }).press('Enter')
  await form.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'New', exact: true }).press('Enter')
  await form.getByLabel('Description *').waitFor()
  expect([await form.getByLabel('Description *').inputValue(), await form.locator('.form-notice').count()]).toEqual([
    '',
    0,
  ])
  await form.getByRole('button', { name: 'Cancel' }).press('Enter')
  await form.waitFor({ state: 'detached' })
  expect(asked).toHaveLength(2)
  expect(errors).toEqual([])
  await close()
})

test('one that is built in says that a copy is made, which gives way to it again', async ({ expect }) => {
  const { page, errors, close } = await stage.open({}, '/#/setup/workflows')
  const card = page.locator('.resource').filter({ has: page.getByText('page-digest', { exact: true }) })
  await card.getByRole('button', { name: 'Edit' }).press('Enter')
  const form = formOf(page)
  await form.getByText('Saving makes your own copy under the same name').waitFor()
  await form.getByLabel('Description *').fill('My digest')
  await form.getByRole('button', { name: 'Save as a copy' }).press('Enter')
  await form.waitFor({ state: 'detached' })
  await card.getByText('My digest').waitFor()
  await card.getByRole('button', { name: 'Edit' }).press('Enter')
  await form.getByRole('button', { name: 'Save', exact: true }).waitFor()
  expect(await form.locator('.form-notice').count()).toBe(0)
  await card.getByRole('button', { name: 'Delete' }).press('Enter')
  await card.getByText('built in').waitFor()
  expect((await stage.client.workflows.get('page-digest')).source).toBe('shipped')
  expect(errors).toEqual([])
  await close()
})

test('a name that is changed in the text of a workflow is told once, beside it', async ({ expect }) => {
  await stage.client.workflows.put('fixed', {
    description: 'Stays.',
    steps: [{ id: 'a', type: 'set', values: { x: 1 } }],
  })
  const { page, errors, close } = await stage.open({ viewport: { width: 1440, height: 900 } }, '/#/setup/workflows')
  const card = page.locator('.resource').filter({ has: page.getByText('fixed', { exact: true }) })
  await card.getByRole('button', { name: 'Edit' }).press('Enter')
  const form = formOf(page)
  await form.getByText('Everything, as YAML').click()
  const text = form.getByLabel('Workflow as YAML')
  await text.fill((await text.inputValue()).replace('name: fixed', 'name: other name!'))
  await form.getByText('The name stays fixed: it cannot be changed here.').waitFor()
  await form.getByRole('button', { name: 'Save' }).press('Enter')
  await expect.poll(() => text.and(page.locator(':focus')).count()).toBe(1)
  expect(await form.locator('.problem').allInnerTexts()).toEqual(['The name stays fixed: it cannot be changed here.'])
  expect(await form.getByLabel('Name', { exact: true }).inputValue()).toBe('fixed')
  await text.fill((await text.inputValue()).replace('name: other name!', 'name: fixed').replace('x: 1', 'x: 2'))
  // Every kind of an input has room for its name.
  await form.getByRole('button', { name: 'Add a field : Inputs' }).press('Enter')
  const kind = form.getByLabel('Inputs 1: Kind')
  await kind.selectOption('Whole number')
  const isWhole = `((one) => {
    const { width } = one.getBoundingClientRect()
    one.style.width = 'max-content'
    return one.getBoundingClientRect().width <= width + 1
  })(document.querySelector('.schema-row select'))`
  expect(await page.evaluate(isWhole)).toBe(true)
  await form.getByRole('button', { name: 'Save' }).press('Enter')
  await form.waitFor({ state: 'detached' })
  expect(errors).toEqual([])
  await close()
})
