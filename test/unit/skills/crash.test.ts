import { afterAll, beforeAll, describe, test } from 'vitest'
import { skillDefinition } from '../../../src/domain/skill.ts'
import { nodeHome, type NodeHome } from '../../support/node-home.ts'
import { startPlay } from '../../support/play.ts'
import { expectSound } from '../../support/sound.ts'
import { native } from '../../support/words.ts'

const SCHEMA = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }

describe('a run of a skill whose process dies', () => {
  let home: NodeHome
  beforeAll(async () => {
    home = await nodeHome('sqlite')
  })
  afterAll(() => home.close())

  const keep = (fields: Record<string, unknown>) =>
    home.putSkill(skillDefinition.parse({ name: 'mortal', version: '1', description: 'x', ...fields }))

  test('between two askings for the same answer asks as often as without, by the skill that it began with', async ({
    expect,
  }) => {
    const play = await startPlay(home, { script: ['{}', { hang: true }, '{"n":"x"}', '{"n":true}', '{"n":4}'] })
    await keep({ output_schema: SCHEMA, prompt: 'old' })
    const config = { llm: { model: play.model.name, protocol: 'native' as const } }
    void play.api.runSkill(play.id, 'default', { name: 'mortal', input: 'go', config }, { form: 'background' })
    await play.asked(2)
    await keep({ prompt: 'new' })
    home.kill(play.id)
    await play.session()
    const ended = await play.event('run-end')
    expect(ended).toMatchObject({ status: 'failed', result: '{"n":true}', error: { code: 'output_invalid' } })
    const asked = await play.asked()
    expect(asked).toHaveLength(4)
    expect(asked.every(({ body }) => body.messages[0]?.content?.includes('<角色>\nold\n'))).toBe(true)
    await expectSound(play, expect)
  })

  test('in the answer without tools makes that again, and no other call', async ({ expect }) => {
    const play = await startPlay(home, { script: [native('list_files', {}), { hang: true }, 'done'] })
    await keep({ tools: ['list_files'], max_tool_iterations: 1 })
    const config = { llm: { model: play.model.name, protocol: 'native' as const } }
    void play.api.runSkill(play.id, 'default', { name: 'mortal', input: 'go', config }, { form: 'background' })
    await play.asked(2)
    home.kill(play.id)
    await play.session()
    expect(await play.event('run-end')).toMatchObject({ status: 'completed', result: 'done' })
    expect((await play.asked()).map(({ body }) => body.tools !== undefined)).toEqual([true, false, false])
    await expectSound(play, expect)
  })
})
