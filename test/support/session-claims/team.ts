import { describe } from 'vitest'
import type { Asked } from '../peers.ts'
import { claim, type GetHome } from './claim.ts'
import { type Action, role, team, does, setting, textOf, lastTextOf, stepsOf, historyOf } from './team-stage.ts'

/** Formats 7: roles hear messages and act upon them, round by round, under one budget. */
export function teamClaims(home: GetHome): void {
  describe('a team', () => {
    roundClaims(home)
    hearingClaims(home)
    turnClaims(home)
    choiceClaims(home)
    personClaims(home)
  })
}

function roundClaims(home: GetHome): void {
  claim(
    home,
    'by default takes three model calls in three rounds',
    setting('PRD内容', 'Design内容', 'Code内容'),
    async (play, expect) => {
      const created = await play.create({ team: { name: 'software' } })
      expect(created.orchestrator).toBe('team')
      const answer = await play.send('做一个2048游戏')
      expect(answer).toMatchObject({ status: 'completed', finish_reason: 'completed', result: 'Code内容', error: null })
      expect(answer.usage.model_calls).toBe(3)
      const asked = await play.asked()
      expect(asked).toHaveLength(3)
      for (const one of asked) expect(one.body.tools).toBeUndefined()
      expect(asked.map((one) => /做一个2048游戏/.test(textOf(one)))).toEqual([true, false, false])
      expect(lastTextOf(asked[1] as Asked)).toContain('PRD内容')
      expect(lastTextOf(asked[2] as Asked)).toContain('Design内容')
      const { team: shown } = await play.session()
      expect(shown).toMatchObject({
        name: 'software',
        n_round: 5,
        round: 3,
        idle: true,
        stop_reason: 'idle',
        investment: null,
        warnings: [],
        roles: [
          { name: 'Alice', profile: 'ProductManager', state: 'IDLE', watch: ['UserRequirement'] },
          { name: 'Bob', profile: 'Architect', state: 'IDLE' },
          { name: 'Charlie', profile: 'Engineer', state: 'IDLE' },
        ],
      })
      expect(shown?.history).toMatchObject([
        { role: 'user', sent_from: 'user', cause_by: 'UserRequirement', content: '做一个2048游戏', send_to: [] },
        { role: 'ProductManager', sent_from: 'Alice', cause_by: 'WritePRD', content: 'PRD内容' },
        { role: 'Architect', sent_from: 'Bob', cause_by: 'WriteDesign', content: 'Design内容' },
        { role: 'Engineer', sent_from: 'Charlie', cause_by: 'WriteCode', content: 'Code内容' },
      ])
    },
  )

  claim(
    home,
    'tells of its rounds, of every step of a role and of each message',
    setting('一', '二', '三'),
    async (play, expect) => {
      await play.create({ orchestrator: 'team' })
      await play.send('做一个2048游戏')
      expect(await stepsOf(play)).toEqual([
        ...['IDLE→HAS_NEWS', 'HAS_NEWS→HAS_TODO', 'HAS_TODO→EXECUTING'].map((step) => `Alice ${step}`),
        'Bob IDLE→HAS_NEWS',
        'Alice EXECUTING→IDLE',
        ...['HAS_NEWS→HAS_TODO', 'HAS_TODO→EXECUTING'].map((step) => `Bob ${step}`),
        'Charlie IDLE→HAS_NEWS',
        'Bob EXECUTING→IDLE',
        ...['HAS_NEWS→HAS_TODO', 'HAS_TODO→EXECUTING', 'EXECUTING→IDLE'].map((step) => `Charlie ${step}`),
      ])
      const events = await play.events()
      const rounds = events.flatMap((event) =>
        event.type === 'round-start'
          ? [`${event.round}: ${event.roles.join()}`]
          : event.type === 'round-end'
            ? [String(event.round)]
            : [],
      )
      expect(rounds).toEqual(['1: Alice', '1', '2: Bob', '2', '3: Charlie', '3'])
      const scoped = events.flatMap((event) => (event.type === 'message' && event.scope ? [event.message.kind] : []))
      expect(scoped).toEqual(['task', 'prompt', 'reply', 'task', 'prompt', 'reply', 'task', 'prompt', 'reply'])
      expect(events.filter(({ type }) => type === 'team-message').map(({ scope }) => scope)).toEqual([
        null,
        'Alice',
        'Bob',
        'Charlie',
      ])
    },
  )

  claim(
    home,
    'of several answers nobody waits for gives them all, joined by a blank line',
    setting(does('Left', '左'), does('Right', '右')),
    async (play, expect) => {
      await play.create(team(role('L', ['UserRequirement'], ['Left']), role('R', ['UserRequirement'], ['Right'])))
      const answer = await play.send('开始')
      expect(answer.result?.split('\n\n').toSorted()).toEqual(['右', '左'])
      expect((await play.session()).team?.round).toBe(1)
    },
  )

  claim(
    home,
    'hears of a second requirement, counts its rounds on and answers it alone',
    setting('一', '二', '三', '四', '五', '六'),
    async (play, expect) => {
      await play.create({ orchestrator: 'team' })
      await play.send('做一个2048游戏')
      expect(await play.send('换成贪吃蛇')).toMatchObject({ status: 'completed', result: '六' })
      const { team: shown } = await play.session()
      expect(shown).toMatchObject({ round: 6, message_count: 8 })
      expect(textOf((await play.asked())[3] as Asked)).not.toContain('2048')
    },
  )
}

function hearingClaims(home: GetHome): void {
  claim(
    home,
    'hears in the next round what is published in this one, all of it together',
    setting(does('Left', '左边'), does('Right', '右边'), does('Join', '合')),
    async (play, expect) => {
      await play.create(
        team(
          role('J', ['Left', 'Right'], ['Join']),
          role('L', ['UserRequirement'], ['Left']),
          role('R', ['UserRequirement'], ['Right']),
        ),
      )
      expect(await play.send('开始')).toMatchObject({ status: 'completed', result: '合' })
      const asked = await play.asked()
      expect(asked).toHaveLength(3)
      expect(lastTextOf(asked[2] as Asked)).toMatch(/左边\n右边|右边\n左边/)
    },
  )

  claim(
    home,
    'hears everything with *, but nobody hears themselves unless they are addressed',
    setting(does('Talk', '话'), does('Note', '记一'), does('Note', '记二')),
    async (play, expect) => {
      await play.create(team(role('T', ['UserRequirement'], ['Talk']), role('N', ['*'], ['Note'])))
      expect(await play.send('开始')).toMatchObject({ status: 'completed', result: '记一\n\n记二' })
      expect((await historyOf(play)).map(({ sent_from: from }) => from).toSorted()).toEqual(['N', 'N', 'T', 'user'])
    },
  )

  claim(
    home,
    'delivers to whom a message names, and says whom there is not',
    setting(does('Talk', '话'), does('Hear', '听到')),
    async (play, expect) => {
      const talk: Action = { name: 'Talk', instruction: '做Talk', send_to: ['H', 'Nobody'] }
      await play.create(team(role('T', ['UserRequirement'], [talk]), role('H', [], ['Hear'])))
      expect(await play.send('开始')).toMatchObject({ status: 'completed', result: '听到' })
      expect((await historyOf(play))[1]).toMatchObject({ send_to: ['H', 'Nobody'], undelivered: ['Nobody'] })
      expect(await play.event('error')).toMatchObject({ code: 'unknown_addressee', scope: 'T' })
      expect((await play.session()).team?.warnings).toMatchObject([{ path: 'roles.0.actions.0.send_to.1' }])
    },
  )

  claim(home, 'in which nobody hears the user is done at once', setting(), async (play, expect) => {
    await play.create(team(role('H', [], ['Hear'])))
    expect(await play.send('开始')).toMatchObject({ status: 'completed', result: null })
    expect((await play.session()).team).toMatchObject({ round: 0, warnings: [{ path: 'roles.0' }] })
    expect(await play.asked()).toHaveLength(0)
  })
}

function turnClaims(home: GetHome): void {
  claim(
    home,
    'runs all actions of a turn in order, and later ones know what came before',
    setting(does('First', '甲'), does('Second', '乙'), does('Listen', '完')),
    async (play, expect) => {
      await play.create(team(role('W', ['UserRequirement'], ['First', 'Second']), role('L', ['Second'], ['Listen'])))
      expect(await play.send('开始吧')).toMatchObject({ status: 'completed', result: '甲\n\n完' })
      const asked = await play.asked()
      expect(lastTextOf(asked[1] as Asked)).toMatch(/开始吧[^]*甲/)
      expect((await historyOf(play)).map(({ cause_by: cause }) => cause)).toEqual([
        'UserRequirement',
        'First',
        'Second',
        'Listen',
      ])
      expect(await stepsOf(play)).toContain('W EXECUTING→HAS_TODO')
    },
  )

  claim(home, 'says who a role is in its prompt', setting(does('Work', '好')), async (play, expect) => {
    await play.create(
      team(role('Ann', ['UserRequirement'], ['Work'], { goal: '写得短', constraints: ['不用英文', '不超过十字'] })),
    )
    await play.send('开始')
    const [asked] = await play.asked()
    expect(asked?.body.messages[0]?.content).toMatch(/Ann[^]*Ann-profile[^]*写得短[^]*不用英文[^]*不超过十字/)
  })

  claim(
    home,
    'asks again for an answer that says nothing',
    setting('<思考>想想</思考>', '好'),
    async (play, expect) => {
      await play.create(team(role('W', ['UserRequirement'], ['Work'])))
      expect(await play.send('开始')).toMatchObject({ status: 'completed', result: '好' })
    },
  )
}

function choiceClaims(home: GetHome): void {
  const chooser = role('R', ['UserRequirement'], ['One', 'Two', 'Three'], { react_mode: 'react' })

  claim(
    home,
    'has the model choose among numbered actions, again after each, none of them twice',
    setting('2', '丙', '0', '甲', '-1'),
    async (play, expect) => {
      await play.create(team(chooser))
      expect(await play.send('开始')).toMatchObject({ status: 'completed', result: '丙\n\n甲' })
      const asked = await play.asked()
      expect(asked).toHaveLength(5)
      expect(lastTextOf(asked[0] as Asked)).toMatch(/0\. One[^]*1\. Two[^]*2\. Three[^]*-1/)
      expect(lastTextOf(asked[2] as Asked)).toMatch(/开始[^]*丙[^]*0, 1 或 -1/)
      expect(lastTextOf(asked[4] as Asked)).toMatch(/ 1 或 -1/)
      expect((await play.session()).team?.roles[0]?.state).toBe('IDLE')
    },
  )

  claim(home, 'takes -1 at once for nothing to do', setting('-1'), async (play, expect) => {
    await play.create(team(chooser))
    expect(await play.send('开始')).toMatchObject({ status: 'completed', result: null })
    expect((await stepsOf(play)).at(-1)).toBe('R HAS_NEWS→IDLE')
  })

  claim(home, 'runs no action twice that the model names twice', setting('1', '乙', '1'), async (play, expect) => {
    await play.create(team(chooser))
    expect(await play.send('开始')).toMatchObject({ status: 'completed', result: '乙' })
    expect(await play.event('error')).toMatchObject({ code: 'unknown_action', scope: 'R' })
  })

  claim(home, 'is never asked with one action', setting(does('Only', '好')), async (play, expect) => {
    await play.create(team(role('R', ['UserRequirement'], ['Only'], { react_mode: 'react' })))
    expect(await play.send('开始')).toMatchObject({ status: 'completed', result: '好' })
    expect(await play.asked()).toHaveLength(1)
  })
}

function personClaims(home: GetHome): void {
  const people = team(
    role('W', ['UserRequirement'], ['Write']),
    role('P', ['Write'], ['Check'], { human: true }),
    role('E', ['Check'], ['End']),
  )

  claim(
    home,
    'with a person waits for their word, which is their message',
    setting(does('Write', '草稿'), does('End', '完')),
    async (play, expect) => {
      await play.create(people)
      expect(await play.send('开始')).toMatchObject({ status: 'interrupted', finish_reason: 'waiting_feedback' })
      const item = await play.pending()
      expect(item).toMatchObject({ type: 'question', scope: 'P' })
      expect(item.question).toMatch(/做Check[^]*草稿/)
      expect((await play.session()).team?.roles[1]).toMatchObject({ state: 'EXECUTING' })
      const answer = await play.decide({ decision: 'answer', answer: '可以' })
      expect(answer).toMatchObject({ status: 'completed', result: '完' })
      expect((await historyOf(play))[2]).toMatchObject({ sent_from: 'P', cause_by: 'Check', content: '可以' })
    },
  )

  claim(
    home,
    'takes a message for the answer of the person that it waits for',
    setting(does('Write', '草稿'), does('End', '完')),
    async (play, expect) => {
      await play.create(people)
      await play.send('开始')
      expect(await play.send('就这样')).toMatchObject({ status: 'completed', result: '完' })
      expect((await historyOf(play)).map(({ content }) => content)).toEqual(['开始', '草稿', '就这样', '完'])
    },
  )

  claim(
    home,
    'goes on without the word of a person who refuses',
    setting(does('Write', '草稿')),
    async (play, expect) => {
      await play.create(people)
      await play.send('开始')
      expect(await play.decide({ decision: 'reject' })).toMatchObject({ status: 'completed', result: null })
    },
  )
}
