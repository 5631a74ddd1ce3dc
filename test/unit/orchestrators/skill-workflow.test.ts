import { afterAll, beforeAll, describe } from 'vitest'
import { type NewSkill, skillDefinition } from '../../../src/domain/skill.ts'
import { type NodeHome, nodeHome } from '../../support/node-home.ts'
import { LAST, plan, task, tasksOf } from '../../support/planned.ts'
import { errorOf, responseOf } from '../../support/play.ts'
import { claim } from '../../support/session-claims/claim.ts'
import { native } from '../../support/words.ts'
import { keepWorkflows } from '../../support/workflows.ts'

const WAIT = { form: 'wait' } as const
const config = { language: 'en', llm: { protocol: 'native' as const }, tools: { delegate: { enabled: true } } }
const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

describe('a skill that names a workflow', () => {
  let home: NodeHome
  const keep = (more: Partial<NewSkill>) =>
    home.putSkill(
      skillDefinition.parse({ name: 'guide', version: '1', description: 'Guides', workflow: 'flow', ...more }),
    )
  beforeAll(async () => {
    home = await nodeHome('sqlite')
    keepWorkflows(home, {
      inputs: CITY,
      steps: [{ id: 'say', type: 'agent', prompt: 'Describe {{ inputs.city }}' }],
    })
  })
  afterAll(() => home.close())

  claim(
    () => home,
    'runs that, with its inputs as the inputs of that',
    { config },
    async (play, expect) => {
      await keep({ inputs: [{ name: 'city', required: true }] })
      await play.model.script([task('Describe Oslo', 'It is cold.')])
      const { config: model } = await play.create().then(() => play.session())
      const run = { name: 'guide', input: { city: 'Oslo' }, config: model }
      await play.api.remove()
      expect(responseOf(await play.api.runSkill(play.id, 'default', run, WAIT))).toMatchObject({
        status: 'completed',
        result: 'It is cold.',
        skill_result: { success: true, content: 'It is cold.' },
      })
      expect(await play.session()).toMatchObject({
        orchestrator: 'workflow',
        skill: 'guide',
        workflow: { name: 'flow' },
      })
    },
  )

  claim(
    () => home,
    'without inputs gives it its words, and refuses those that do not fit',
    { config },
    async (play, expect) => {
      await keep({})
      await play.model.script([task('Describe Rome', 'It is warm.')])
      await play.create({ skill: 'guide', task: 'Rome' })
      expect(await play.session()).toMatchObject({ status: 'completed', result: 'It is warm.' })
      const refused = await errorOf(play.api.addMessage({ content: '{"town": 1}' }, WAIT))
      expect(refused).toMatchObject({ issues: [{ path: 'inputs.city' }] })
    },
  )

  claim(
    () => home,
    'works at a sub-task of a plan',
    { config },
    async (play, expect) => {
      await keep({ worker: true })
      await play.model.script([
        plan({ name: 'guide', description: 'Oslo' }),
        task('Describe Oslo', 'It is cold.'),
        ...LAST,
      ])
      await play.create({ orchestrator: 'plan', task: 'Travel' })
      expect(await play.session()).toMatchObject({ status: 'completed' })
      expect(await tasksOf(play)).toMatchObject([{ worker: 'guide', status: 'completed', result: 'It is cold.' }])
    },
  )

  claim(
    () => home,
    'works at a task that an agent gives away',
    { config },
    async (play, expect) => {
      await keep({ worker: true })
      await play.model.script([
        native('delegate', { task: 'Oslo', to: 'guide' }),
        task('Describe Oslo', 'It is cold.'),
        native('finish', { reason: 'done' }),
      ])
      await play.create({ task: 'Travel' })
      expect(await play.session()).toMatchObject({ status: 'completed' })
      expect(await tasksOf(play)).toMatchObject([{ worker: 'guide', status: 'completed', result: 'It is cold.' }])
    },
  )

  claim(
    () => home,
    'has the words of what it is given as its task, not those of the user',
    { config },
    async (play, expect) => {
      keepWorkflows(home, { name: 'told', steps: [{ id: 'say', type: 'agent', prompt: 'Do: {{ task }}' }] })
      await keep({ workflow: 'told', worker: true })
      await play.model.script([
        native('delegate', { task: 'Only Oslo', to: 'guide' }),
        task('Do: Only Oslo', 'It is cold.'),
        native('delegate', { task: 'Only Rome', to: 'workflow/told' }),
        task('Do: Only Rome', 'It is warm.'),
        native('finish', { reason: 'done' }),
      ])
      await play.create({ task: 'Travel' })
      expect(await tasksOf(play)).toMatchObject([{ result: 'It is cold.' }, { result: 'It is warm.' }])
    },
  )

  claim(
    () => home,
    'is refused where the workflow is gone',
    { config },
    async (play, expect) => {
      await keep({ workflow: 'none' })
      expect(await errorOf(play.api.create(play.id, 'default', { skill: 'guide', task: 'Oslo' }, WAIT))).toMatchObject({
        issues: [{ path: 'workflow' }],
      })
      await play.create()
    },
  )
})
