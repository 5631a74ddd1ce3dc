import { language } from '../language.ts'

const EN = {
  groups: {
    models: 'Models and limits',
    tools: 'Tools and skills',
    triggers: 'Automation',
    access: 'Access',
  },
  choose: 'Go to',
  /** What a part is for, where there is nothing in it. */
  whatFor: {
    'mcp-servers':
      'An MCP server brings in the tools of another service, such as an issue tracker or a database. Enter its address, and its tools are there for the next task.',
    'openapi-tools':
      'An API with an OpenAPI document becomes a set of tools, one for each operation. Enter the address of the document.',
    connections:
      'A connection stores a key or a grant, encrypted, for one address. Tools, APIs and models use it by its name.',
    webhooks: 'A webhook starts a task when another service sends something, such as a new issue.',
    schedules: 'A schedule starts a task by itself: each morning, every hour, or once.',
    callbacks: 'A callback tells another service, Slack or Feishu when a run ends or asks for a decision.',
    keys: 'A key lets another program or person use this server, within the permissions and limits that you give it.',
    memory:
      'What is remembered of a user: preferences, conversations and tasks. Enter who it is, as tasks name them, to read it and to delete it.',
  } as Record<string, string>,
}
type NavTexts = typeof EN

const ZH: NavTexts = {
  groups: { models: '模型与限制', tools: '工具与技能', triggers: '自动化', access: '访问' },
  choose: '前往',
  whatFor: {
    'mcp-servers': 'MCP 服务带来其他服务的工具，例如工单或数据库。填写它的地址，下一个任务就能使用这些工具。',
    'openapi-tools': '带有 OpenAPI 文档的接口会成为工具，每个操作一个。填写文档的地址即可。',
    connections: '连接为指定的地址加密保存密钥或授权。工具、接口和模型通过名称使用它。',
    webhooks: '其他服务发来内容（例如新工单）时，Webhook 会启动一个任务。',
    schedules: '定时任务会自动运行：每天早上、每小时，或只运行一次。',
    callbacks: '运行结束或需要决定时，回调会通知其他服务、Slack 或飞书。',
    keys: '密钥让其他程序或人使用此服务，权限和限制由你决定。',
    memory: '对用户的记忆：偏好、对话和任务。输入任务中使用的用户名，即可查看和删除。',
  },
}

export const navTexts = (): NavTexts => (language.value === 'en' ? EN : ZH)
