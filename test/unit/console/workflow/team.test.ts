import { describe, test } from 'vitest'
import {
  emptyInTeam,
  isOwnTeam,
  newAction,
  freshRole,
  renamedIn,
  teamFieldOf,
} from '../../../../src/console/workflow/team.ts'
import { frozen } from '../../../../src/lib/json.ts'

const words = { newRole: 'Role', newAction: 'Action' }
const poster = frozen({
  n_round: 3,
  roles: [
    {
      name: 'Writer',
      profile: 'Writer',
      watch: ['UserRequirement'],
      actions: [{ name: 'draft', instruction: 'Write.', send_to: ['Critic'] }],
    },
    {
      name: 'Critic',
      profile: 'Critic',
      watch: ['draft'],
      constraints: 'Be brief.',
      actions: [{ name: 'review', instruction: 'Look.' }],
    },
  ],
})

describe('a team that is written out in a step', () => {
  test('has roles and actions of free names, each role after the one before it', ({ expect }) => {
    const first = freshRole(words, {})
    expect(first).toEqual({
      name: 'Role 1',
      profile: '',
      watch: ['UserRequirement'],
      actions: [{ name: 'Action 1', instruction: '' }],
    })
    const second = freshRole(words, { roles: [{ ...first, name: 'Role 2' }] })
    expect(second).toMatchObject({ name: 'Role 3', watch: ['Action 1'], actions: [{ name: 'Action 2' }] })
    expect(newAction(words, poster)['name']).toBe('Action 3')
    expect([isOwnTeam('debate'), isOwnTeam({ name: 'debate', n_round: 2 }), isOwnTeam(poster)]).toEqual([
      false,
      false,
      true,
    ])
  })

  test('has what others hear and whom they send to follow a new name', ({ expect }) => {
    expect(renamedIn(poster, 'action', 'draft', 'first draft')).toMatchObject({
      n_round: 3,
      roles: [
        { watch: ['UserRequirement'], actions: [{ name: 'first draft', send_to: ['Critic'] }] },
        { watch: ['first draft'], constraints: 'Be brief.' },
      ],
    })
    expect(renamedIn(poster, 'role', 'Critic', 'Judge')).toMatchObject({
      roles: [
        { name: 'Writer', actions: [{ name: 'draft', send_to: ['Judge'] }] },
        { name: 'Judge', profile: 'Critic', watch: ['draft'] },
      ],
    })
  })

  test('says which fields are empty, and which a refusal is of', ({ expect }) => {
    expect(emptyInTeam(poster)).toEqual([])
    expect(
      emptyInTeam({ roles: [{ name: 'A', profile: ' ', watch: [], actions: [{ name: 'a', instruction: '' }] }] }),
    ).toEqual(['roles.0.profile', 'roles.0.watch', 'roles.0.actions.0.instruction'])
    expect(
      ['roles.1.watch.0', 'roles.0.actions.1.instruction', 'roles.0.constraints', 'n_round', 'roles'].map(teamFieldOf),
    ).toEqual(['roles.1.watch', 'roles.0.actions.1.instruction', '', 'n_round', ''])
  })
})
