import { describe } from 'vitest'
import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import type { SessionConfig } from '../../../src/domain/config.ts'
import { said, task, tasksOf } from '../planned.ts'
import { native } from '../words.ts'
import { claim, type GetHome } from './claim.ts'

const CONFIG: SessionConfig = { language: 'en', llm: { protocol: 'native' }, tools: { delegate: { enabled: true } } }
const FINISH = native('finish', { reason: 'all done' })

/** A script in which the agent itself says these things in order, and whoever is given a task says others. */
const script = (...steps: StepInput[]) => ({ config: CONFIG, script: steps })

/** What an agent gives away. */
export function delegationClaims(home: GetHome): void {
  describe('a task that an agent gives away', () => {
    waitingClaims(home)
    backgroundClaims(home)
    refusalClaims(home)
  })
}

function waitingClaims(home: GetHome): void {
  claim(
    home,
    'is a branch, whose answer is the result of the call',
    script(
      native('delegate', { task: 'Find the capital\nof France' }),
      said('Find the capital', 'It is Paris.'),
      FINISH,
    ),
    async (play, expect) => {
      await play.create()
      expect(await play.send('Travel plans')).toMatchObject({ status: 'completed', result: 'all done' })
      expect(await tasksOf(play)).toMatchObject([
        { worker: 'self', name: 'Find the capital', status: 'completed', result: 'It is Paris.' },
      ])
      const asked = await play.asked()
      expect(asked).toHaveLength(3)
      const names = (n: number) => (asked[n]?.body.tools ?? []).map(({ function: { name } }) => name)
      expect(names(0)).toEqual(expect.arrayContaining(['delegate', 'task_status', 'cancel_task', 'web_access']))
      expect(names(1)).not.toContain('delegate')
      expect(names(1)).toContain('web_access')
      expect(JSON.stringify(asked[1]?.body)).not.toContain('Travel plans')
      expect(JSON.stringify(asked[2]?.body)).toContain('It is Paris.')
      const events = await play.events()
      expect(events.filter(({ type }) => type === 'task-start' || type === 'task-end')).toHaveLength(2)
      expect(events.filter((event) => event.type === 'tool-start' && event.tool === 'delegate')).toHaveLength(1)
    },
  )

  claim(
    home,
    'waits for a human where a call of it does, and goes on with the decision',
    {
      config: CONFIG,
      script: (page) => [
        native('delegate', { task: 'Read the page' }),
        said('Read the page', native('web_access', { url: page('article') })),
        said('Read the page', 'It has four chapters.'),
        FINISH,
      ],
    },
    async (play, expect) => {
      await play.create()
      const rested = await play.send('Tell me of the page')
      const [given] = await tasksOf(play)
      expect(rested).toMatchObject({ status: 'interrupted', pending: [{ type: 'approval', scope: given?.id }] })
      expect(given?.status).toBe('waiting')
      expect(await play.decide({ decision: 'approve' })).toMatchObject({ status: 'completed', result: 'all done' })
      const result = (await play.messages()).find(({ tool_name: tool }) => tool === 'delegate')
      expect(result?.content).toContain('four chapters')
    },
  )

  claim(
    home,
    'to a team is the work of its roles, within the run',
    script(native('delegate', { task: 'Argue it out', to: 'team/debate' }), { hang: true }, { hang: true }),
    async (play, expect) => {
      await play.create()
      const sent = play.send('Should we?')
      const start = await play.event('task-start')
      expect(start.task).toMatchObject({ worker: 'team/debate', name: 'Argue it out' })
      expect(await play.event('round-start')).toMatchObject({ scope: start.scope })
      await play.cancel()
      expect(await sent).toMatchObject({ status: 'cancelled' })
      expect(await tasksOf(play)).toMatchObject([{ status: 'cancelled' }])
    },
  )

  claim(
    home,
    'to the model alone has no tools',
    script(native('delegate', { task: 'Translate it', to: 'llm_tool' }), said('Translate it', 'Bonjour'), FINISH),
    async (play, expect) => {
      await play.create()
      expect(await play.send('Greet them')).toMatchObject({ status: 'completed' })
      expect((await play.asked())[1]?.body.tools).toBeUndefined()
    },
  )
}

function backgroundClaims(home: GetHome): void {
  const background = (task: string) => native('delegate', { task, background: true })

  claim(
    home,
    'in the background goes on beside the agent, which may wait for it',
    script(background('Look it up'), task('Look it up', 'Found.'), native('task_status', { wait: true }), FINISH),
    async (play, expect) => {
      await play.create()
      expect(await play.send('Start')).toMatchObject({ status: 'completed', result: 'all done' })
      const results = (await play.messages()).filter(({ kind }) => kind === 'tool_result')
      expect(results.map(({ tool_name: tool }) => tool)).toEqual(['delegate', 'task_status', 'finish'])
      expect(results[0]?.content).toMatch(/tsk_\w+ is under way/)
      expect(results[1]?.content).toMatch(/completed[\s\S]*Found\./)
      expect(await tasksOf(play)).toMatchObject([{ status: 'completed', result: 'Found.' }])
    },
  )

  claim(
    home,
    'that is open when the agent has its answer is cancelled',
    script(background('Never ends'), { when: { last_contains: 'Never ends' }, hang: true }, FINISH),
    async (play, expect) => {
      await play.create()
      expect(await play.send('Start')).toMatchObject({ status: 'completed', result: 'all done' })
      expect(await tasksOf(play)).toMatchObject([{ status: 'cancelled' }])
    },
  )
}

function refusalClaims(home: GetHome): void {
  claim(
    home,
    'to nobody that there is is a failed call, which names those that there are',
    script(
      native('delegate', { task: 'x', to: 'nobody' }),
      native('task_status', {}),
      native('cancel_task', { task_id: 'tsk_none' }),
      FINISH,
    ),
    async (play, expect) => {
      await play.create()
      expect(await play.send('Start')).toMatchObject({ status: 'completed' })
      const results = (await play.messages()).filter(({ kind }) => kind === 'tool_result')
      expect(results[0]?.content).toMatch(/no worker "nobody"[\s\S]*self[\s\S]*team\/software/)
      const ends = (await play.events()).flatMap((event) => (event.type === 'tool-end' ? [event.ok] : []))
      expect(ends).toEqual([false, false, false, true])
    },
  )
}
