import { afterAll, beforeAll } from 'vitest'
import { type NodeHome, nodeHome } from '../../support/node-home.ts'
import { claim } from '../../support/session-claims/claim.ts'
import { native } from '../../support/words.ts'

let home: NodeHome
beforeAll(async () => {
  home = await nodeHome('memory', [], { ends_by_reply: 'never' })
})
afterAll(() => home.close())

claim(
  () => home,
  'the server says when a reply is the answer, and the session has the last word',
  { config: { llm: { protocol: 'native' } }, script: ['一', native('finish', { reason: '好' }), '二'] },
  async (play, expect) => {
    await play.create()
    expect(await play.send('甲')).toMatchObject({ status: 'completed', result: '好', ended_by: 'finish' })
    const own = await play.send('乙', { ends_by_reply: 'always' })
    expect(own).toMatchObject({ status: 'completed', result: '二', ended_by: 'reply' })
  },
)
