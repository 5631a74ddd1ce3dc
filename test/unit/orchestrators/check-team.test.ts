import { describe, test } from 'vitest'
import { TEAM_FILES } from '../../../configs/teams/index.ts'
import { teamInput, type TeamRole } from '../../../src/domain/team.ts'
import { teamIssues, teamWarnings } from '../../../src/orchestrators/team/check.ts'
import { shippedTeam } from '../../../src/orchestrators/team/given.ts'

const HERE = {
  hasTool: (name: string) => name === 'web_access' || name === 'web_search',
  hasModel: (alias: string) => alias === 'good',
  isTeam: (name: string) => name === 'a-team',
  hasSkill: (name: string) => name === 'translate',
}

interface Given {
  watch?: string[] | string
  actions?: object[]
  [field: string]: unknown
}

function rolesOf(...given: Given[]): TeamRole[] {
  const roles = given.map((role, index) => ({
    name: `R${index}`,
    profile: 'P',
    watch: [],
    actions: [{ name: `Act${index}`, instruction: 'do it' }],
    ...role,
  }))
  return teamInput.parse({ roles }).roles ?? []
}

const pathsOf = (...roles: Given[]) => teamIssues(rolesOf(...roles), HERE).map(({ path }) => path)
const warningsOf = (...roles: Given[]) => teamWarnings(rolesOf(...roles)).map(({ path }) => path)

describe('a team is checked as a whole', () => {
  test.for<[string, Given[], string[]]>([
    ['the user always speaks, and * is everybody', [{ watch: ['UserRequirement'] }, { watch: '*' }], []],
    ['a watch for what nobody does', [{ watch: ['UserRequirement', 'Act9'] }], ['team.roles.0.watch.1']],
    ['a watch for what another does', [{ watch: ['Act1'] }, {}], []],
    [
      'a tool that is not there',
      [{ actions: [{ name: 'A', instruction: 'x', tools: ['web_access', 'no'] }] }],
      ['team.roles.0.actions.0.tools.1'],
    ],
    ['a model that is not there', [{ model: 'good' }, { model: 'bad' }], ['team.roles.1.model']],
    ['a skill that is not there', [{ skill: 'translate' }, { skill: 'bad' }], ['team.roles.1.skill']],
  ])('%s', ([, roles, paths], { expect }) => {
    expect(pathsOf(...roles)).toEqual(paths)
  })

  test.for<[string, object, string]>([
    [
      'a role twice',
      {
        roles: [{}, {}].map(() => ({ name: 'A', profile: 'P', watch: [], actions: [{ name: 'X', instruction: 'x' }] })),
      },
      'roles.1.name',
    ],
    [
      'an action twice',
      { roles: [{ name: 'A', profile: 'P', watch: [], actions: [1, 2].map(() => ({ name: 'X', instruction: 'x' })) }] },
      'roles.0.actions.1.name',
    ],
    ['no role at all', { roles: [] }, 'roles'],
    ['neither a name nor roles', { n_round: 2 }, 'roles'],
    ['more rounds than there may be', { name: 'software', n_round: 1_001 }, 'n_round'],
  ])('%s has its path', ([, team, path], { expect }) => {
    const parsed = teamInput.safeParse(team)
    expect(parsed.error?.issues.map((issue) => issue.path.join('.'))).toEqual([path])
  })
})

describe('a team is warned of', () => {
  test.for<[string, Given[], string[]]>([
    ['nothing, where everybody is reached', [{ watch: ['UserRequirement'] }, { watch: ['Act0'] }], []],
    ['a role that hears nothing', [{ watch: ['UserRequirement'] }, {}], ['roles.1']],
    ['roles that only hear each other', [{ watch: ['Act1'] }, { watch: ['Act0'] }], ['roles.0', 'roles.1']],
    [
      'a role that hears what a plan comes past, and not what it comes to',
      [
        {
          watch: '*',
          react_mode: 'plan_and_act',
          actions: [
            { name: 'A', instruction: 'x' },
            { name: 'B', instruction: 'x' },
          ],
        },
        { watch: ['A'] },
        { watch: ['B'] },
      ],
      ['roles.1'],
    ],
    ['a role that would hear itself alone', [{ watch: ['Act0'] }], ['roles.0']],
    [
      'nobody who is addressed',
      [{ watch: ['UserRequirement'], actions: [{ name: 'A', instruction: 'x', send_to: ['R1'] }] }, {}],
      [],
    ],
    [
      'an addressee that there is not',
      [{ watch: '*', actions: [{ name: 'A', instruction: 'x', send_to: ['user', 'R9'] }] }],
      ['roles.0.actions.0.send_to.1'],
    ],
  ])('%s', ([, roles, paths], { expect }) => {
    expect(warningsOf(...roles)).toEqual(paths)
  })
})

describe('a shipped team', () => {
  test.for(TEAM_FILES.map((file) => [file.name, file] as const))(
    '%s is whole in both languages',
    ([, file], { expect }) => {
      const [chinese, english] = [shippedTeam(file, 'zh-CN'), shippedTeam(file, 'en')]
      for (const { roles } of [chinese, english]) {
        expect(teamIssues(roles, HERE)).toEqual([])
        expect(teamWarnings(roles)).toEqual([])
      }
      const shapeOf = ({ roles }: typeof chinese) =>
        roles.map(({ name, watch, actions }) => [
          name,
          watch,
          actions.map((action) => [action.name, action.tools, action.output]),
        ])
      expect(shapeOf(english)).toEqual(shapeOf(chinese))
      const textsOf = ({ roles }: typeof chinese) =>
        roles.flatMap(({ goal, actions }) => [goal ?? '', ...actions.map(({ instruction }) => instruction)])
      expect(textsOf(chinese).filter((text) => !/\p{Script=Han}/u.test(text))).toEqual([])
      expect(textsOf(english).filter((text) => /\p{Script=Han}/u.test(text))).toEqual([])
    },
  )
})
