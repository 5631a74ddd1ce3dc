import { describe } from 'vitest'
import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import type { Asked } from '../peers.ts'
import { errorOf, responseOf } from '../play.ts'
import { claim, type GetHome } from './claim.ts'
import { role, team, does, setting, textOf, lastTextOf, historyOf, roundsOf, TEN } from './team-stage.ts'

/** What ends a team, and how it goes on. */
export function teamBoundClaims(home: GetHome): void {
  describe('a team', () => {
    failureClaims(home)
    boundClaims(home)
  })
}

function failureClaims(home: GetHome): void {
  const both = team(role('L', ['UserRequirement'], ['Left']), role('R', ['UserRequirement'], ['Right']))
  const broken: StepInput = { when: { contains: '做Left' }, status: 400, body: { error: { message: 'no such thing' } } }

  claim(
    home,
    'in which a role fails keeps what the others of its round did, and goes on at that role',
    setting(broken, does('Right', '右'), does('Left', '左')),
    async (play, expect) => {
      await play.create(both)
      const failed = await play.send('开始')
      expect(failed).toMatchObject({ status: 'failed', finish_reason: 'failed', error: { code: 'model_rejected' } })
      expect(failed.error?.detail).toContain('no such thing')
      expect((await historyOf(play)).map(({ content }) => content)).toEqual(['开始', '右'])
      expect((await play.session()).team).toMatchObject({
        round: 1,
        roles: [{ state: 'EXECUTING' }, { state: 'IDLE' }],
      })
      expect(await play.carryOn()).toMatchObject({ status: 'completed', result: '右\n\n左', error: null })
      expect(await play.asked()).toHaveLength(3)
      expect((await play.session()).team?.round).toBe(1)
      expect(await roundsOf(play)).toEqual(['start 1', 'run failed', 'end 1', 'run completed'])
    },
  )

  claim(
    home,
    'that failed takes up what it had heard when something new is said',
    setting(broken, does('Right', '右'), does('Left', '左'), does('Right', '右二')),
    async (play, expect) => {
      await play.create(both)
      await play.send('开始')
      expect(await play.send('再来')).toMatchObject({ status: 'completed' })
      const again = (await play.asked()).filter((one) => textOf(one).includes('做Left')).at(-1)
      expect(lastTextOf(again as Asked)).toContain('开始\n再来')
      expect(await roundsOf(play)).toEqual(['start 1', 'run failed', 'end 1', 'start 2', 'end 2', 'run completed'])
    },
  )

  claim(
    home,
    'that is cancelled gives up what it had heard',
    { script: [does('Left', '左', { hang: true }), does('Right', '右', { hang: true }), '三', '四'] },
    async (play, expect) => {
      await play.create(both)
      const sent = play.send('开始')
      await play.asked(2)
      await play.cancel()
      expect(await sent).toMatchObject({ status: 'cancelled' })
      expect((await play.session()).team).toMatchObject({ idle: true, roles: [{ state: 'IDLE' }, { state: 'IDLE' }] })
      expect(await roundsOf(play)).toEqual(['start 1', 'end 1', 'run cancelled'])
      await play.send('再来')
      expect(textOf((await play.asked())[2] as Asked)).not.toContain('开始')
    },
  )
}

function boundClaims(home: GetHome): void {
  claim(
    home,
    'that talks for ever ends with its rounds, and goes on with more of them',
    setting(...['一', '二', '三', '四', '五'].map((content) => ({ content }))),
    async (play, expect) => {
      await play.create({ team: { roles: PING_PONG, n_round: 3 } })
      const ended = await play.send('开始')
      expect(ended).toMatchObject({ status: 'failed', finish_reason: 'max_rounds', error: { code: 'max_rounds' } })
      expect(ended.result).toBe('三')
      expect((await play.session()).team).toMatchObject({ round: 3, stop_reason: 'max_rounds', idle: false })
      const more = responseOf(await play.api.continue({ n_round: 2 }, { form: 'wait' }))
      expect(more).toMatchObject({ status: 'failed', finish_reason: 'max_rounds', result: '五' })
      expect((await play.session()).team).toMatchObject({ round: 5, stop_reason: 'max_rounds' })
      expect(await play.asked()).toHaveLength(5)
    },
  )

  claim(
    home,
    'that says the same again and again is stuck',
    { script: [does('Ping', 'ping', { repeat: true }), does('Pong', 'pong', { repeat: true })] },
    async (play, expect) => {
      await play.create({ team: { roles: PING_PONG, n_round: 100 }, config: { limits: { max_iterations: 100 } } })
      expect(await play.send('开始')).toMatchObject({
        status: 'failed',
        finish_reason: 'stuck',
        error: { code: 'team_in_circles' },
      })
      expect((await play.session()).team?.round).toBe(6)
    },
  )

  claim(
    home,
    'rests at the bound of its request and goes on in the next',
    setting('一', '二', '三'),
    async (play, expect) => {
      await play.create({ orchestrator: 'team', config: { limits: { max_iterations: 2 } } })
      expect(await play.send('开始')).toMatchObject({ status: 'in_progress' })
      expect(await play.asked()).toHaveLength(2)
      expect(await play.carryOn()).toMatchObject({ status: 'completed', result: '三' })
    },
  )

  claim(
    home,
    'spends no more than was invested, and goes on with more',
    {
      script: [
        { content: '一', usage: TEN },
        { content: '二', usage: TEN },
        { content: '三', usage: TEN },
      ],
      config: { model: 'priced', llm: { max_tokens: 500 } },
    },
    async (play, expect) => {
      await play.create({ team: { name: 'software', investment: { amount: 0.012, currency: 'CNY' } } })
      const ended = await play.send('开始')
      expect(ended).toMatchObject({ status: 'failed', finish_reason: 'no_money', error: { code: 'no_money' } })
      expect(ended.result).toBe('一')
      expect(await play.asked()).toHaveLength(1)
      const { team: shown } = await play.session()
      expect(shown).toMatchObject({
        stop_reason: 'no_money',
        investment: { amount: 0.012, currency: 'CNY' },
        roles: [{ name: 'Alice', cost: { currency: 'CNY' } }, { cost: null }, { cost: null }],
      })
      expect(shown?.spent?.amount).toBeCloseTo(ended.usage.cost?.amount ?? 0)
      expect((shown?.spent?.amount ?? 0) + (shown?.left?.amount ?? 0)).toBeCloseTo(0.012)
      const more = await play.api.continue({ investment: { amount: 1, currency: 'CNY' } }, { form: 'wait' })
      expect(responseOf(more)).toMatchObject({ status: 'completed', result: '三' })
      expect(await play.asked()).toHaveLength(3)
      expect((await play.session()).team?.investment?.amount).toBe(1)
    },
  )

  claim(
    home,
    'holds money for every call that is under way',
    {
      script: [does('Left', '左', { usage: TEN }), does('Right', '右', { usage: TEN })],
      config: { model: 'priced', llm: { max_tokens: 500 } },
    },
    async (play, expect) => {
      const roles = [role('L', ['UserRequirement'], ['Left']), role('R', ['UserRequirement'], ['Right'])]
      await play.create({ team: { roles, investment: { amount: 0.012, currency: 'CNY' } } })
      expect(await play.send('开始')).toMatchObject({ finish_reason: 'no_money', result: '左' })
      expect(await play.asked()).toHaveLength(1)
      const more = await play.api.continue({ investment: { amount: 1, currency: 'CNY' } }, { form: 'wait' })
      expect(responseOf(more)).toMatchObject({ status: 'completed', result: '左\n\n右' })
    },
  )

  claim(home, 'takes no investment that a model has no price for', setting(), async (play, expect) => {
    const input = {
      team: { name: 'software', investment: { amount: 1, currency: 'CNY' } },
      config: { model: 'scripted' },
    }
    const refused = await errorOf(play.api.create(play.id, 'default', input, { form: 'wait' }))
    expect(refused).toMatchObject({ code: 'unpriced_model', issues: [{ path: 'team.roles.0.model' }, {}, {}] })
    await play.create()
  })
}

const PING_PONG = [role('A', ['UserRequirement', 'Pong'], ['Ping']), role('B', ['Ping'], ['Pong'])]
