/* oxlint-disable unicorn/no-thenable -- `then` is a field of the format, and no function */
import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { seriousFaults, startStage, type Stage } from '../support/console.ts'
import { formOf, stepOf } from '../support/workflow-form.ts'

let stage: Stage

beforeAll(async () => {
  stage = await startStage({ html: '<h1>Facts</h1>' })
})
afterAll(() => stage.close())

/** Adds a step to a list, by the keyboard. */
async function add(list: Locator, label: string, type: RegExp): Promise<void> {
  await list.getByRole('button', { name: `Add a step : ${label}`, exact: true }).press('Enter')
  await list.getByRole('button', { name: type }).press('Enter')
}

/** What a field is told to be wrong with. */
async function wrongOf(field: Locator): Promise<string | null> {
  const ids = ((await field.getAttribute('aria-describedby')) ?? '').split(' ')
  const problem = ids.find((id) => id.endsWith('-problem'))
  return problem === undefined ? null : field.page().locator(`[id="${problem}"]`).innerText()
}

test('a workflow is made by its fields alone, and what is wrong in it stands at the field of its step', async ({
  expect,
}) => {
  const { page, errors, close } = await stage.open({ viewport: { width: 1440, height: 900 } }, '/#/setup/workflows')
  await page.getByRole('button', { name: 'New', exact: true }).press('Enter')
  const form = formOf(page)
  const field = (name: string) => form.getByRole('textbox', { name, exact: true })
  await form.getByRole('button', { name: 'Save' }).press('Enter')
  await expect.poll(() => wrongOf(form.getByLabel('Name *'))).toBe('This field is required.')
  await expect.poll(() => form.getByLabel('Name *').and(page.locator(':focus')).count()).toBe(1)
  await form.getByText('Add at least one step.').waitFor()
  await page.keyboard.type('post')
  await form.getByLabel('Description *').fill('Writes a post, and asks before it goes on')

  await form.getByRole('button', { name: 'Add a field : Inputs' }).press('Enter')
  await page.keyboard.type('topic')
  await page.keyboard.press('Tab')
  await field('Inputs 1: Label (optional)').fill('Topic')
  await form.getByLabel('required: topic').check()
  await form.getByRole('button', { name: 'Add a field : Inputs' }).press('Enter')
  await page.keyboard.type('tone')
  await form.getByLabel('Inputs 2: Kind').selectOption('One of …')
  await field('Inputs 2: Choices').press('a')
  await field('Inputs 2: Choices').press('Enter')
  await field('Inputs 2: Choices').fill('b')
  await field('Inputs 2: Choices').press('Tab')

  await add(form, 'Steps', /^Agent/)
  await expect.poll(() => stepOf(page, 'agent_1').getByLabel('Task *').and(page.locator(':focus')).count()).toBe(1)
  await page.keyboard.type('Write about ')
  await stepOf(page, 'agent_1').getByRole('button', { name: 'inputs.topic' }).press('Enter')
  await page.keyboard.type(' now.')
  await add(form, 'Steps', /^Wait/)
  await stepOf(page, 'wait_1').getByLabel('What to approve *').fill('Send it?')
  await add(form, 'Steps', /^Condition/)
  await stepOf(page, 'if_1').getByLabel('If *').press('a')
  await stepOf(page, 'if_1').getByLabel('If *').fill('')
  await stepOf(page, 'if_1').getByRole('button', { name: 'steps.wait_1.output' }).click()
  await page.keyboard.type('.approved')
  await add(stepOf(page, 'if_1'), 'Then', /^Tool/)
  await stepOf(page, 'tool_1').getByLabel('Tool *').fill('write_file')
  await stepOf(page, 'tool_1').getByLabel('Arguments: path').fill('post.md')
  await stepOf(page, 'tool_1').getByLabel('Arguments: content').fill('{{ steps.agent_1.result }}')
  expect(await seriousFaults(page)).toEqual([])

  await form.getByRole('button', { name: 'Save' }).press('Enter')
  const wrong = stepOf(page, 'tool_1').getByLabel('Arguments: path')
  await expect.poll(() => wrongOf(wrong)).toBe('content: write steps.agent_1.output, .status or .error')
  await stepOf(page, 'tool_1').getByLabel('Arguments: content').fill('{{ steps.agent_1.output }}')
  await expect.poll(() => wrongOf(wrong)).toBe(null)
  await form.getByRole('button', { name: 'Save' }).press('Enter')
  await form.waitFor({ state: 'detached' })
  const { inputs, steps, description } = await stage.client.workflows.get('post')
  expect({ inputs, steps, description }).toEqual({
    description: 'Writes a post, and asks before it goes on',
    inputs: {
      type: 'object',
      properties: { topic: { type: 'string', title: 'Topic' }, tone: { type: 'string', enum: ['a', 'b'] } },
      required: ['topic'],
    },
    steps: [
      { id: 'agent_1', type: 'agent', prompt: 'Write about {{ inputs.topic }} now.' },
      { id: 'wait_1', type: 'wait', approval: 'Send it?' },
      {
        id: 'if_1',
        type: 'if',
        condition: 'steps.wait_1.output.approved',
        then: [
          {
            id: 'tool_1',
            type: 'tool',
            tool: 'write_file',
            arguments: { path: 'post.md', content: '{{ steps.agent_1.output }}' },
          },
        ],
      },
    ],
  })
  expect(errors).toEqual([])
  await close()
})

const RICH = {
  description: 'Has what no field says.',
  inputs: {
    type: 'object',
    properties: { urls: { type: 'array', items: { type: 'string', format: 'uri' }, maxItems: 9 } },
  },
  output: { all: '{{ steps.each.output }}' },
  steps: [
    {
      id: 'each',
      type: 'map',
      over: 'inputs.urls',
      concurrency: 3,
      on_error: 'skip',
      steps: [
        { id: 'read', type: 'agent', prompt: 'Read {{ item }}', permissions: { web_access: 'allow' } },
        {
          id: 'ask',
          type: 'wait',
          question: { text: 'Go on?', options: ['yes', 'no'] },
          deadline_ms: 7_200_000,
          default: 'no',
        },
      ],
    },
    {
      id: 'both',
      type: 'parallel',
      branches: [
        [{ id: 'left', type: 'set', values: { n: 1, t: 'x' } }],
        [{ id: 'right', type: 'set', values: { a: [] } }],
      ],
    },
    {
      id: 'sort',
      type: 'switch',
      value: 'steps.left.output.n',
      cases: [{ equals: 1, steps: [{ id: 'one', type: 'set', values: { a: 1 } }] }],
      default: [{ id: 'rest', type: 'set', values: { a: 2 } }],
    },
  ],
}

test('one that is there is changed by its fields, and all that they do not say stays', async ({ expect }) => {
  await stage.client.workflows.put('rich', RICH)
  const before = await stage.client.workflows.get('rich')
  const { page, errors, close } = await stage.open({}, '/#/setup/workflows')
  const card = page.locator('.resource').filter({ has: page.getByText('rich', { exact: true }) })
  const edit = card.getByRole('button', { name: 'Edit' })
  const save = () => formOf(page).getByRole('button', { name: 'Save' }).press('Enter')
  await edit.press('Enter')
  await save()
  await formOf(page).waitFor({ state: 'detached' })
  const same = await stage.client.workflows.get('rich')
  expect([same.inputs, same.steps, same.output]).toEqual([before.inputs, before.steps, before.output])

  await edit.press('Enter')
  await stepOf(page, 'each')
    .getByRole('button', { name: /^1\s*For each/ })
    .press('Enter')
  await stepOf(page, 'read')
    .getByRole('button', { name: /^1\s*Agent/ })
    .press('Enter')
  await stepOf(page, 'read').getByText('Name, order, retries and undo').first().click()
  await expect.poll(() => stepOf(page, 'read').getByLabel('Permissions: web_access').inputValue()).toBe('allow')
  await stepOf(page, 'read').getByRole('button', { name: 'Add a tool : Permissions' }).press('Enter')
  await page.keyboard.type('http_request')
  await page.keyboard.press('Tab')
  await stepOf(page, 'read').getByLabel('Permissions: http_request').selectOption('never runs')
  await stepOf(page, 'read').getByLabel('Step name *').fill('page')
  await stepOf(page, 'read').getByLabel('Step name *').press('Tab')
  await stepOf(page, 'page').getByLabel('Retries').fill('2')
  await stepOf(page, 'page').getByRole('button', { name: 'Move down: page' }).press('Enter')
  await expect
    .poll(() => stepOf(page, 'page').getByRole('button', { name: 'Move up: page' }).and(page.locator(':focus')).count())
    .toBe(1)
  expect(await stepOf(page, 'page').getByLabel('Retries').inputValue()).toBe('2')
  await stepOf(page, 'ask')
    .getByRole('button', { name: /^1\s*Wait/ })
    .press('Enter')
  await stepOf(page, 'ask').getByLabel('Wait at most', { exact: true }).fill('3')
  await stepOf(page, 'both')
    .getByRole('button', { name: /^2\s*Side/ })
    .press('Enter')
  await stepOf(page, 'left')
    .getByRole('button', { name: /^1\s*Values/ })
    .press('Enter')
  await stepOf(page, 'left').getByLabel('Values: n', { exact: true }).fill('1.5')
  await formOf(page).getByText('Diagram').click()
  await expect.poll(() => page.locator('.picture .flow-node').count()).toBe(7)

  // What is no JSON is not lost, and not left out: it is gone to.
  await stepOf(page, 'page').getByText('This step, as JSON').click()
  const json = stepOf(page, 'page').getByRole('textbox', { name: 'This step, as JSON' })
  const text = await json.inputValue()
  await json.fill('{ "id"')
  await formOf(page).getByLabel('Description *').fill('Reads pages.')
  await save()
  await expect.poll(() => json.and(page.locator(':focus')).count()).toBe(1)
  await json.fill(text.replace('"Read ', '"See '))
  // It is a draft until it is saved.
  await page.reload()
  await card.getByRole('button', { name: 'Edit' }).press('Enter')
  expect(await formOf(page).getByLabel('Description *').inputValue()).toBe('Reads pages.')
  expect(await seriousFaults(page)).toEqual([])
  await save()
  await formOf(page).waitFor({ state: 'detached' })
  const [each, both, sort] = (await stage.client.workflows.get('rich')).steps
  const [map, parallel, choice] = before.steps
  const [read, ask] = Object(map).steps
  expect(each).toEqual({
    ...map,
    steps: [
      { ...ask, deadline_ms: 10_800_000 },
      {
        ...read,
        id: 'page',
        prompt: 'See {{ item }}',
        permissions: { web_access: 'allow', http_request: 'deny' },
        retry: { times: 2, delay_ms: 0, backoff: 1 },
      },
    ],
  })
  expect(both).toEqual({
    ...parallel,
    branches: [[{ ...Object(parallel).branches[0][0], values: { n: 1.5, t: 'x' } }], Object(parallel).branches[1]],
  })
  expect(sort).toEqual(choice)

  // One that is folded away opens with what is wrong in it, and stays so while that is mended.
  await edit.press('Enter')
  const head = stepOf(page, 'sort').getByRole('button', { name: /^3\s*Choice/ })
  const value = stepOf(page, 'sort').getByLabel('Value to compare *')
  await head.press('Enter')
  await value.fill('')
  await head.press('Enter')
  expect(await value.isVisible()).toBe(false)
  await save()
  await expect.poll(() => value.and(page.locator(':focus')).count()).toBe(1)
  await page.keyboard.type('task')
  await expect.poll(() => wrongOf(value)).toBe(null)
  expect(await value.inputValue()).toBe('task')
  expect(errors).toEqual([])
  await close()
})

test('a text that is no workflow keeps the fields away, and the fields follow one that is', async ({ expect }) => {
  const { page, errors, close } = await stage.open({}, '/#/setup/workflows')
  await page.getByRole('button', { name: 'New', exact: true }).press('Enter')
  const form = formOf(page)
  await form.getByText('Everything, as YAML').click()
  const text = form.getByLabel('Workflow as YAML')
  await text.fill('name: [')
  await form.getByRole('alert').getByText('This is not valid YAML').waitFor()
  await form.getByLabel('Description *').waitFor({ state: 'hidden' })
  await text.fill('# Of mine\nname: mine\ndescription: Mine\nsteps:\n  - { id: a, type: set, values: { x: 1 } }\n')
  await expect.poll(() => form.getByLabel('Description *').inputValue()).toBe('Mine')
  await page.reload()
  await page.getByRole('button', { name: 'New', exact: true }).press('Enter')
  await expect.poll(() => text.inputValue()).toContain('# Of mine')
  await form.getByLabel('Description *').fill('Yours')
  await expect.poll(() => text.inputValue()).toMatch(/^name: mine\ndescription: Yours\n/)
  await form.getByRole('button', { name: 'Cancel' }).press('Enter')
  await form.waitFor({ state: 'detached' })
  expect(errors).toEqual([])
  await close()
})
