import { afterAll, beforeAll, test } from 'vitest'
import { seriousFaults, startStage, type Stage } from '../support/console.ts'
import { formOf, LOOKS, stepOf } from '../support/workflow-form.ts'

let stage: Stage

beforeAll(async () => {
  stage = await startStage({ html: '<h1>Facts</h1>' })
  await stage.client.workflows.put('inner', {
    description: 'Reads pages.',
    inputs: {
      type: 'object',
      properties: {
        page: { type: 'string', title: 'Page', description: 'What is read' },
        sentences: { type: 'integer', title: 'Sentences' },
        tone: { type: 'string', title: 'Tone', enum: ['dry', 'warm'] },
      },
      required: ['page'],
    },
    steps: [{ id: 'read', type: 'agent', prompt: 'Read {{ inputs.page }}' }],
  })
})
afterAll(() => stage.close())

const CALLS = {
  description: 'Calls another.',
  inputs: { type: 'object', properties: { who: { type: 'string' } } },
  steps: [{ id: 'call', type: 'workflow', workflow: 'inner', inputs: { page: 'https://x.test', odd: 1 } }],
}

test('what a workflow within another is given has a row for each input that it declares', async ({ expect }) => {
  // What it does not declare is refused by the server, which has to be seen to be mended.
  const { odd: _, ...inputs } = CALLS.steps[0]?.inputs ?? {}
  await stage.client.workflows.put('outer', { ...CALLS, steps: [{ ...CALLS.steps[0], inputs }] })
  const { page, errors, close } = await stage.open({}, '/#/setup/workflows')
  const card = page.locator('.resource').filter({ has: page.getByText('outer', { exact: true }) })
  await card.getByRole('button', { name: 'Edit' }).press('Enter')
  const step = stepOf(page, 'call')
  await expect.poll(() => step.getByLabel('Page *').inputValue()).toBe('https://x.test')
  await step.getByText('What is read').waitFor()
  await step.getByLabel('Page *').fill('')
  await step.getByRole('button', { name: 'inputs.who' }).press('Enter')
  expect(await step.getByLabel('Page *').inputValue()).toBe('{{ inputs.who }}')
  await step.getByLabel('Sentences').fill('3')
  await step.getByLabel('Tone').fill('dry')
  expect(await seriousFaults(page)).toEqual([])
  // An input that is given another name is called so by what speaks of it.
  await formOf(page).getByLabel('Inputs 1: Name').fill('person')
  await formOf(page).getByLabel('Inputs 1: Name').press('Tab')
  await expect.poll(() => step.getByLabel('Page *').inputValue()).toBe('{{ inputs.person }}')
  await formOf(page).getByRole('button', { name: 'Save' }).press('Enter')
  await formOf(page).waitFor({ state: 'detached' })
  expect((await stage.client.workflows.get('outer')).steps).toEqual([
    { ...CALLS.steps[0], inputs: { page: '{{ inputs.person }}', sentences: 3, tone: 'dry' } },
  ])
  expect(errors).toEqual([])
  await close()
})

test('a team is written out by its roles and what they do', async ({ expect }) => {
  await stage.client.workflows.put('poster', {
    description: 'Makes a poster.',
    steps: [{ id: 'make', type: 'agent', prompt: 'A poster', team: 'debate' }],
  })
  const { page, errors, close } = await stage.open({}, '/#/setup/workflows')
  const card = page.locator('.resource').filter({ has: page.getByText('poster', { exact: true }) })
  await card.getByRole('button', { name: 'Edit' }).press('Enter')
  const step = stepOf(page, 'make')
  const save = () => formOf(page).getByRole('button', { name: 'Save' }).press('Enter')
  await step.getByLabel('Team *').selectOption('A team of its own')
  const first = step.getByRole('group', { name: 'Role 1' })
  await first.getByLabel('Name *').first().fill('Writer')
  await save()
  await expect.poll(() => first.getByLabel('Role *').and(page.locator(':focus')).count()).toBe(1)
  await page.keyboard.type('Writer')
  await first.getByLabel('What it does *').fill('Write a draft.')
  await first.getByRole('group', { name: 'Action 1' }).getByLabel('Name *').fill('draft')
  await step.getByRole('button', { name: 'Add a role' }).press('Enter')
  const second = step.getByRole('group', { name: 'Role 2' })
  await expect.poll(() => second.getByLabel('Name *').first().and(page.locator(':focus')).count()).toBe(1)
  await page.keyboard.type('Critic')
  await second.getByLabel('Role *').fill('Critic')
  await second.getByLabel('What it does *').fill('Look at it.')
  expect(await second.getByLabel('draft').isChecked()).toBe(true)
  await first.getByRole('group', { name: 'Action 1' }).getByLabel('Name *').fill('first draft')
  await first.getByRole('group', { name: 'Action 1' }).getByLabel('Name *').press('Tab')
  await expect.poll(() => second.getByLabel('first draft').isChecked()).toBe(true)
  await second.getByLabel('A person does this').check()
  await step.getByLabel('Rounds at most').fill('0')
  expect(await seriousFaults(page)).toEqual([])
  await save()
  // What the server does not take stands at the field of the role.
  await expect.poll(() => step.getByLabel('Rounds at most').and(page.locator(':focus')).count()).toBe(1)
  await step.getByLabel('Rounds at most').fill('3')
  await save()
  await formOf(page).waitFor({ state: 'detached' })
  const [made] = (await stage.client.workflows.get('poster')).steps
  expect(Object(made).team).toMatchObject({
    n_round: 3,
    roles: [
      {
        name: 'Writer',
        profile: 'Writer',
        watch: ['UserRequirement'],
        actions: [{ name: 'first draft', instruction: 'Write a draft.' }],
      },
      {
        name: 'Critic',
        profile: 'Critic',
        watch: ['first draft'],
        human: true,
        actions: [{ name: 'Action 2', instruction: 'Look at it.' }],
      },
    ],
  })
  expect(errors).toEqual([])
  await close()
})

for (const [width, colorScheme, locale] of LOOKS)
  test(`at ${width} px, ${colorScheme} and in ${locale} a team has room, and keeps nobody out`, async ({ expect }) => {
    const { page, close } = await stage.open(
      { viewport: { width, height: 844 }, colorScheme, locale },
      '/#/setup/workflows',
    )
    const card = page.locator('.resource').filter({ has: page.getByText('poster', { exact: true }) })
    await card.getByRole('button', { name: /^(Edit|编辑|修改)/ }).press('Enter')
    await stepOf(page, 'make').getByRole('group').first().waitFor()
    expect(await seriousFaults(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
    await close()
  })
