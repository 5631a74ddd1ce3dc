/* oxlint-disable unicorn/no-thenable -- `then` is a field of the format */
import { afterAll, beforeAll, describe } from 'vitest'
import { type NodeHome, nodeHome } from '../../support/node-home.ts'
import { responseOf } from '../../support/play.ts'
import { claim as claimOf } from '../../support/session-claims/claim.ts'
import { Deeds, deedTools, does, keepWorkflows } from '../../support/workflows.ts'

describe('how far a run is', () => {
  let home: NodeHome
  const deeds = new Deeds()
  const config = { language: 'en', tools: { do_it: { permission: 'allow' as const } } }
  const claim = (name: string, setting: object, body: Parameters<typeof claimOf>[3]) =>
    claimOf(() => home, name, { config, ...setting }, body)
  beforeAll(async () => {
    home = await nodeHome('memory', deedTools(deeds))
  })
  afterAll(() => home.close())

  claim(
    'by a workflow is the share of its steps that are done, each list a part of its step',
    {},
    async (play, expect) => {
      keepWorkflows(home, {
        steps: [
          does('a'),
          { id: 'each', type: 'map', over: '[1, 2, 3, 4]', steps: [does('one', 'item {{ item }}')] },
          { id: 'ask', type: 'wait', approval: 'Go on?' },
          {
            id: 'gate',
            type: 'if',
            condition: 'true',
            then: [does('b'), { id: 'and', type: 'wait', approval: 'And now?' }],
          },
        ],
      })
      const started = await play.create({ workflow: 'flow', task: 'go' })
      expect(started).toMatchObject({ status: 'interrupted', progress: 50, stage: 'running' })
      expect(await play.decide({ decision: 'approve' })).toMatchObject({ progress: 87, stage: 'running' })
      expect(await play.decide({ decision: 'approve' })).toMatchObject({
        status: 'completed',
        progress: 100,
        stage: 'ended',
      })
      expect(await play.session()).toMatchObject({ progress: 100, stage: 'ended', workflow: { stage: 'ended' } })
    },
  )

  claim('counts items that are done, and is 100 only at a good end', {}, async (play, expect) => {
    deeds.failures.set('item 3', 1)
    keepWorkflows(home, {
      steps: [{ id: 'each', type: 'map', over: '[1, 2, 3, 4]', steps: [does('one', 'item {{ item }}')] }],
    })
    const failed = await play.create({ workflow: 'flow', task: 'go' })
    expect(failed).toMatchObject({ status: 'failed', progress: 50, stage: 'ended' })
    expect(responseOf(await play.api.retryStep('each[2]', { form: 'wait' }))).toMatchObject({ progress: 100 })
  })

  claim('is nothing where a map has no list to begin with', {}, async (play, expect) => {
    keepWorkflows(home, { steps: [{ id: 'each', type: 'map', over: '"no list"', steps: [does('one')] }] })
    const failed = await play.create({ workflow: 'flow', task: 'go' })
    expect(failed).toMatchObject({ status: 'failed', progress: 0, stage: 'ended' })
  })

  claim('by a workflow that is undone says so', {}, async (play, expect) => {
    deeds.failures.set('bad', 1)
    keepWorkflows(home, { steps: [does('a', 'a', { rollback: [does('undo')] }), does('bad'), does('never')] })
    expect(await play.create({ workflow: 'flow', task: 'go' })).toMatchObject({ progress: 33, stage: 'rolled_back' })
  })

  claim(
    'with a team is the rounds that are done, until nobody has anything to do',
    { script: ['A text.'] },
    async (play, expect) => {
      const action = { name: 'Write', instruction: 'Write it.' }
      const roles = [
        {
          name: 'Ann',
          profile: 'Writer',
          goal: '',
          watch: ['UserRequirement'],
          actions: [action],
          react_mode: 'by_order' as const,
        },
      ]
      expect(await play.create({ team: { roles, n_round: 4 } })).toMatchObject({ progress: 0, stage: 'ready' })
      expect(await play.send('Write about ships')).toMatchObject({ status: 'completed', progress: 100, stage: 'ended' })
    },
  )

  claim('is not said of an agent alone', { script: ['Hello.'] }, async (play, expect) => {
    const session = await play.create({ task: 'hi' })
    expect(session).not.toHaveProperty('progress')
    expect(session).not.toHaveProperty('stage')
  })
})
