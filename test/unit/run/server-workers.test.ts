import { afterAll, beforeAll, describe } from 'vitest'
import { type McpTestServer, startMcpServer } from '../../support/mcp-server.ts'
import { registerTestTools } from '../../support/mcp-tools.ts'
import { type NodeHome, nodeHome } from '../../support/node-home.ts'
import { isPlanner, LAST, plan, planned, said, tasksOf, textOf } from '../../support/planned.ts'
import { claim } from '../../support/session-claims/claim.ts'
import { native } from '../../support/words.ts'

const WHY = '无法连接到该 MCP 服务，或连接中途断开。'
const GONE = `stars 的工具现在不可用，子任务没有执行：${WHY}`

let home: NodeHome
let server: McpTestServer
beforeAll(async () => {
  server = await startMcpServer({ era: 'modern', register: registerTestTools })
  const { url } = server
  home = await nodeHome('memory', [], {
    mcp_servers: {
      stars: { url: 'http://127.0.0.1:1/mcp', description: '看星星' },
      desk: { url, description: '做杂事' },
      silent: { url },
    },
  })
})
afterAll(async () => {
  await home.close()
  await server.close()
})

describe('a server that says what it is for', () => {
  claim(
    () => home,
    'is a worker, and its sub-task is given its tools and those that steer, none of another server',
    {
      config: { llm: { protocol: 'native' } },
      script: [
        plan({ name: 'desk', description: '复述一句' }),
        said('复述一句', native('desk__look_up', { word: '好话' })),
        said('复述一句', '复述了好话'),
        ...LAST,
      ],
    },
    async (play, expect) => {
      await planned(play)
      expect(await play.send('说点什么')).toMatchObject({ status: 'completed', result: '完' })
      const asked = await play.asked()
      const names = asked[1]?.body.tools?.map(({ function: { name } }) => name) ?? []
      expect(names).toContain('desk__look_up')
      expect(names.filter((name) => !name.startsWith('desk__')).toSorted()).toEqual(['ask', 'finish', 'rethink'])
      expect(asked[0] && textOf(asked[0])).not.toContain('silent')
      expect(server.calls()).toMatchObject([{ name: 'look_up', arguments: { word: '好话' } }])
      expect(await tasksOf(play)).toMatchObject([{ worker: 'desk', status: 'completed', result: '复述了好话' }])
    },
  )

  claim(
    () => home,
    'but cannot be reached fails its sub-task, which the model does not do in its place, and the planner is told',
    { script: [plan({ name: 'stars', description: '数星星' }), ...LAST] },
    async (play, expect) => {
      await planned(play)
      expect(await play.send('今晚有多少星星')).toMatchObject({ status: 'completed', result: '完' })
      expect(await tasksOf(play)).toMatchObject([
        { worker: 'stars', status: 'failed', result: null, error: expect.stringContaining(GONE) },
      ])
      const asked = await play.asked()
      expect(asked.map(isPlanner)).toEqual([true, true, false])
      expect(asked[0] && textOf(asked[0])).toContain(`- \`stars\`: 看星星（现在不可用，交给它的任务会失败：${WHY}）`)
      expect(asked[0] && textOf(asked[0])).toContain('- `desk`: 做杂事\n')
      expect(asked[1] && textOf(asked[1])).toContain(GONE)
      expect(asked.map((one) => textOf(one).includes(`\n- stars: ${WHY}`))).toEqual([false, false, true])
    },
  )
})
