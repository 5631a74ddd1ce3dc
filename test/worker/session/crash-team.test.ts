/// <reference types="@cloudflare/vitest-plugin/types" />
import { describe, test } from 'vitest'
import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import { startPlay } from '../../support/play.ts'
import { expectSound } from '../../support/sound.ts'
import { die } from './die.ts'
import { workerHome } from './worker-home.ts'

const role = (name: string, watch: string[], action: string, more = {}) => ({
  name,
  profile: name,
  watch,
  actions: [{ name: action, instruction: `做${action}`, ...more }],
  react_mode: 'by_order' as const,
})
const does = (action: string, content: string, more: Partial<StepInput & object> = {}): StepInput => ({
  when: { contains: `做${action}` },
  content,
  ...more,
})

describe('a team whose isolate dies', () => {
  test('in a round: only the roles that had not finished act again', async ({ expect }) => {
    const script = [does('Left', '左'), does('Right', '', { hang: true }), does('Right', '右'), does('Join', '合')]
    const play = await startPlay(workerHome, { script })
    await play.create({
      team: {
        roles: [
          role('L', ['UserRequirement'], 'Left'),
          role('R', ['UserRequirement'], 'Right'),
          role('J', ['Left', 'Right'], 'Join'),
        ],
      },
    })
    const waiting = play.send('开始').catch((error: unknown) => String(error))
    await play.event('team-message', (await play.event('team-message')).seq)
    await play.asked(2)
    await die(play)
    expect(await waiting).toContain('the isolate died')
    await play.session()
    expect(await play.event('run-end')).toMatchObject({ status: 'completed', result: '合' })
    const asked = (await play.asked()).map(({ body }) => body.messages.map(({ content }) => content).join('\n'))
    expect(asked.filter((text) => text.includes('做Left'))).toHaveLength(1)
    expect(asked.filter((text) => text.includes('做Right'))).toHaveLength(2)
    const { team } = await play.session()
    expect(team?.history.map(({ content }) => content)).toEqual(['开始', '左', '右', '合'])
    expect(team?.round).toBe(2)
    await expectSound(play, expect)
  })

  test('in the plan of a role: only the sub-tasks that had not ended are done again', async ({ expect }) => {
    const find = (description: string) => ({ name: 'Find', description })
    const script: StepInput[] = [
      { when: { last_contains: '查甲' }, content: '甲好' },
      { when: { last_contains: '查乙' }, hang: true },
      { when: { last_contains: '查乙' }, content: '乙好' },
      JSON.stringify({ plan: [find('查甲'), find('查乙')] }),
      JSON.stringify({ plan: [] }),
      '总结',
    ]
    const play = await startPlay(workerHome, { script })
    await play.create({
      team: { roles: [{ ...role('P', ['UserRequirement'], 'Find'), react_mode: 'plan_and_act' }] },
    })
    const waiting = play.send('开始').catch((error: unknown) => String(error))
    await play.event('task-end')
    await play.asked(3)
    await die(play)
    expect(await waiting).toContain('the isolate died')
    await play.session()
    expect(await play.event('run-end')).toMatchObject({ status: 'completed', result: '总结' })
    const asked = (await play.asked()).map(({ body }) => body.messages.at(-1)?.content)
    expect(asked.filter((text) => text === '查甲')).toHaveLength(1)
    expect(asked.filter((text) => text === '查乙')).toHaveLength(2)
    expect(asked).toHaveLength(6)
    await expectSound(play, expect)
  })

  test('between a wait for a person and their word: the round goes on with it', async ({ expect }) => {
    const play = await startPlay(workerHome, { script: ['草稿', '完'] })
    await play.create({
      team: {
        roles: [
          role('W', ['UserRequirement'], 'Write'),
          { ...role('P', ['Write'], 'Check'), human: true },
          role('E', ['Check'], 'End'),
        ],
      },
    })
    await play.send('开始')
    await die(play)
    expect(await play.decide({ decision: 'answer', answer: '可以' })).toMatchObject({
      status: 'completed',
      result: '完',
    })
    expect(await play.asked()).toHaveLength(2)
    await expectSound(play, expect)
  })
})
