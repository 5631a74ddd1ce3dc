import { describe, test } from 'vitest'
import { createClient, type Client } from '../../../src/client/client.ts'
import { own } from '../../support/own-document.ts'

const LINK = { scope: 'read' } as const
const CALLBACK = { url: 'https://hooks.example', events: ['run.completed' as const] }
const SCHEDULE = { name: 's', cron: '0 9 * * *', task: 't' }

/** What the client has for an operation of the OpenAPI document. */
const VERBS: Record<string, (client: Client) => unknown> = {
  getHealth: (c) => c.health(),
  openLink: (c) => c.links.open('TOKEN'),
  decideByLink: (c) => c.links.decide('TOKEN', { decision: 'approve' }),
  importSession: (c) => c.sessions.import({}),
  exportSession: (c) => c.sessions.export('ID'),
  forkSession: (c) => c.sessions.fork('ID', 3),
  listSessionFiles: (c) => c.files.list('ID'),
  getSessionFile: (c) => c.files.get('ID', 'PATH'),
  putSessionFile: (c) => c.files.put('ID', 'PATH', 'text'),
  deleteSessionFile: (c) => c.files.delete('ID', 'PATH'),
  cancelSessionTask: (c) => c.sessions.cancelTask('ID', 'TASK'),
  retrySessionTask: (c) => c.sessions.retryTask('ID', 'TASK'),
  retrySessionWorkflowStep: (c) => c.sessions.retryStep('ID', 'STEP'),
  createSessionTeamMessage: (c) => c.sessions.tellTeam('ID', { content: 'hello' }),
  listSessionTeamMessages: (c) => c.sessions.teamMessages('ID'),
  createSessionLink: (c) => c.links.create('ID', LINK),
  listSessionLinks: (c) => c.links.list('ID'),
  deleteSessionLink: (c) => c.links.delete('ID', 'LINK'),
  createSession: (c) => c.sessions.create({ task: 't' }),
  listSessions: (c) => c.sessions.list(),
  listPending: (c) => c.sessions.waiting(),
  cancelSessions: (c) => c.sessions.cancelMany({ ids: ['ID'] }),
  getSession: (c) => c.sessions.get('ID'),
  updateSession: (c) => c.sessions.patch('ID', { title: 't' }),
  deleteSession: (c) => c.sessions.delete('ID'),
  createSessionMessage: (c) => c.sessions.send('ID', { content: 'hello' }),
  rateMessage: (c) => c.sessions.rate('ID', 'MESSAGE', { rating: 'good' }),
  listSessionMessages: (c) => c.sessions.messages('ID'),
  continueSession: (c) => c.sessions.continue('ID'),
  decidePending: (c) => c.sessions.decide('ID', 'PENDING_ID', { decision: 'approve' }),
  cancelSession: (c) => c.sessions.cancel('ID'),
  listSessionEvents: (c) => c.sessions.eventList('ID'),
  getResult: (c) => c.sessions.result('ID', 'CALL'),
  listUserMemoryPreferences: (c) => c.memory.preferences('USER'),
  getUserMemoryPreference: (c) => c.memory.preference('USER', 'KEY'),
  putUserMemoryPreference: (c) => c.memory.setPreference('USER', 'KEY', 'v'),
  deleteUserMemoryPreference: (c) => c.memory.deletePreference('USER', 'KEY'),
  listUserMemoryConversations: (c) => c.memory.conversations('USER'),
  listUserMemoryTasks: (c) => c.memory.tasks('USER'),
  deleteUserMemory: (c) => c.memory.clear('USER'),
  deleteUser: (c) => c.users.erase('USER'),
  exportUser: (c) => c.users.export('USER'),
  listUserJobs: (c) => c.users.jobs('USER'),
  getUserJob: (c) => c.users.job('USER', 'JOB'),
  getUsage: (c) => c.usage({ by: 'day' }),
  listAudit: (c) => c.audit.list(),
  verifyAudit: (c) => c.audit.verify(),
  getMetrics: (c) => c.metrics(),
  getMe: (c) => c.me(),
  listKeys: (c) => c.keys.list(),
  createKey: (c) => c.keys.create({ name: 'k', scopes: ['read'] }),
  getKey: (c) => c.keys.get('ID'),
  updateKey: (c) => c.keys.update('ID', { name: 'k' }),
  deleteKey: (c) => c.keys.delete('ID'),
  rotateLink: (c) => c.links.rotate(),
  listWorkflows: (c) => c.workflows.list(),
  createWorkflow: (c) => c.workflows.create({ name: 'w', description: 'd', steps: [] }),
  getWorkflow: (c) => c.workflows.get('NAME', 1),
  listWorkflowVersions: (c) => c.workflows.versions('NAME'),
  putWorkflow: (c) => c.workflows.put('NAME', { description: 'd', steps: [] }),
  deleteWorkflow: (c) => c.workflows.delete('NAME'),
  runWorkflow: (c) => c.workflows.run('NAME', { inputs: {} }),
  listConnections: (c) => c.connections.list(),
  createConnection: (c) => c.connections.create({ name: 'c', origin: 'https://api.example', secret: 's' }),
  getConnection: (c) => c.connections.get('NAME'),
  updateConnection: (c) => c.connections.update('NAME', { secret: 's' }),
  deleteConnection: (c) => c.connections.delete('NAME'),
  authorizeConnection: (c) => c.connections.authorize('NAME'),
  getBudget: (c) => c.budgets.get('USER'),
  creditBudget: (c) => c.budgets.credit('USER', { tokens: 1 }),
  getSettings: (c) => c.settings.get(),
  putSettings: (c) => c.settings.put({ limits: { max_iterations: 8 } }),
  updateSettings: (c) => c.settings.patch({ limits: null }),
  listSettingsVersions: (c) => c.settings.versions(),
  getSettingsVersion: (c) => c.settings.version('VERSION'),
  rollBackSettings: (c) => c.settings.rollBack(1),
  listSkills: (c) => c.skills(),
  createSkill: (c) => c.createSkill('---\nname: s\n---\n'),
  getSkill: (c) => c.skill('NAME'),
  putSkill: (c) => c.putSkill('NAME', { version: '1', description: 's' }),
  deleteSkill: (c) => c.deleteSkill('NAME'),
  runSkill: (c) => c.runSkill('NAME', { input: 'x' }),
  listTeams: (c) => c.teams(),
  listWebhooks: (c) => c.webhooks.list(),
  createWebhook: (c) => c.webhooks.create({ name: 'w', scheme: 'bearer', task_template: 't' }),
  getWebhook: (c) => c.webhooks.get('ID'),
  updateWebhook: (c) => c.webhooks.update('ID', { name: 'w' }),
  deleteWebhook: (c) => c.webhooks.delete('ID'),
  rotateWebhook: (c) => c.webhooks.rotate('ID'),
  listWebhookDeliveries: (c) => c.webhooks.deliveries('ID'),
  testWebhook: (c) => c.webhooks.test('ID', { body: '{}' }),
  listSchedules: (c) => c.schedules.list(),
  createSchedule: (c) => c.schedules.create(SCHEDULE),
  getSchedule: (c) => c.schedules.get('ID'),
  updateSchedule: (c) => c.schedules.update('ID', { name: 's' }),
  deleteSchedule: (c) => c.schedules.delete('ID'),
  listScheduleRuns: (c) => c.schedules.runs('ID'),
  testSchedule: (c) => c.schedules.run('ID'),
  listMcpServers: (c) => c.mcpServers.list(),
  createMcpServer: (c) => c.mcpServers.create({ name: 'm', url: 'https://mcp.example' }),
  getMcpServer: (c) => c.mcpServers.get('NAME'),
  updateMcpServer: (c) => c.mcpServers.update('NAME', {}),
  deleteMcpServer: (c) => c.mcpServers.delete('NAME'),
  refreshMcpServer: (c) => c.mcpServers.refresh('NAME'),
  listOpenapiTools: (c) => c.openApiTools.list(),
  createOpenapiTool: (c) => c.openApiTools.create({ name: 'shop', url: 'https://api.example/openapi.json' }),
  getOpenapiTool: (c) => c.openApiTools.get('NAME'),
  updateOpenapiTool: (c) => c.openApiTools.update('NAME', {}),
  deleteOpenapiTool: (c) => c.openApiTools.delete('NAME'),
  refreshOpenapiTool: (c) => c.openApiTools.refresh('NAME'),
  listCallbacks: (c) => c.callbacks.list(),
  createCallback: (c) => c.callbacks.create(CALLBACK),
  getCallback: (c) => c.callbacks.get('ID'),
  updateCallback: (c) => c.callbacks.update('ID', { name: 'c' }),
  deleteCallback: (c) => c.callbacks.delete('ID'),
  rotateCallback: (c) => c.callbacks.rotate('ID'),
  testCallback: (c) => c.callbacks.test('ID'),
  listCallbackDeliveries: (c) => c.callbacks.deliveries('ID'),
  getCallbackDelivery: (c) => c.callbacks.delivery('ID', 'DELIVERY'),
  retryCallbackDelivery: (c) => c.callbacks.retry('ID', 'DELIVERY'),
  listOrchestrators: (c) => c.orchestrators(),
  listTools: (c) => c.tools(),
  listModels: (c) => c.models(),
}

/** Operations that are not the client's, and why. */
const OTHERS: Record<string, string> = {
  getOAuthClient: 'read by authorisation servers',
  finishOAuth: 'where a browser comes back to',
  deliverWebhook: 'called by the sender, with its own signature',
  getDiagramRoom: 'a page',
  getAsset: 'a file of a page',
  getConsole: 'a page',
  getDocs: 'a page',
  getErrorDocs: 'a page',
  getOpenApi: 'the document itself',
  connectSession: 'a WebSocket, which no fetch opens: sessions.connect',
  runAgent: 'takes the whole history with each call; the client works with sessions',
  runAgentAtRoot: 'another name of runAgent',
  getModel: 'asked by clients of OpenAI; the list has all of it',
  postMcpMessage: 'the door of clients of MCP',
  getMcpStream: 'the door of clients of MCP',
  deleteMcpSession: 'the door of clients of MCP',
  getResourceMetadata: 'the door of clients of MCP',
  getMcpResourceMetadata: 'the door of clients of MCP',
  callA2a: 'the door of clients of A2A',
  cancelA2aTask: 'the door of clients of A2A',
  createA2aPushConfig: 'the door of clients of A2A',
  deleteA2aPushConfig: 'the door of clients of A2A',
  followA2aTask: 'the door of clients of A2A',
  getA2aExtendedCard: 'the door of clients of A2A',
  getA2aPushConfig: 'the door of clients of A2A',
  getA2aTask: 'the door of clients of A2A',
  getAgentCard: 'the door of clients of A2A',
  listA2aPushConfigs: 'the door of clients of A2A',
  listA2aTasks: 'the door of clients of A2A',
  sendA2aMessage: 'the door of clients of A2A',
  streamA2aMessage: 'the door of clients of A2A',
  subscribeToA2aTask: 'the door of clients of A2A',
  getUiChat: 'the door of clients of the AI SDK',
  resumeUiStream: 'the door of clients of the AI SDK',
  sendUiMessage: 'the door of clients of the AI SDK',
  stopUiChat: 'the door of clients of the AI SDK',
  runAgUi: 'the door of clients of AG-UI',
  runNamedAgUi: 'the door of clients of AG-UI',
  cancelThread: 'the door of clients of AG-UI',
  createChatCompletion: 'the door of clients of OpenAI',
  createResponse: 'the door of clients of OpenAI',
  getResponse: 'the door of clients of OpenAI',
  cancelResponse: 'the door of clients of OpenAI',
  deleteResponse: 'the door of clients of OpenAI',
  listResponseInputItems: 'the door of clients of OpenAI',
}

/** What a call sends first, as method and path with the names of the parameters in it. */
async function sentBy(verb: (client: Client) => unknown): Promise<string> {
  const sent: string[] = []
  const client = createClient({
    server: 'http://server',
    fetch: async (url, { method = 'GET' } = {}) => {
      sent.push(
        `${method} ${new URL(url).pathname.replaceAll(/(?<=\/)([A-Z_]+)(?=\/|$)/g, (name) => `{${name.toLowerCase()}}`)}`,
      )
      return Response.json({ object: 'list', data: [], next_cursor: null })
    },
  })
  await verb(client)
  return sent.join()
}

describe('the client and the OpenAPI document', () => {
  test('every operation has a verb, or is another caller’s with a reason', ({ expect }) => {
    const told = own.operations.map(({ operation }) => operation.operationId)
    expect([...Object.keys(VERBS), ...Object.keys(OTHERS)].toSorted()).toEqual(told.toSorted())
  })

  test.for(Object.entries(VERBS))('%s goes to the route of its operation', async ([id, verb], { expect }) => {
    const placed = own.operations.find(({ operation }) => operation.operationId === id)
    expect(await sentBy(verb)).toBe(`${placed?.method} ${placed?.path}`)
  })
})

test('the audit is exported as JSON lines, filtered, without a page', async ({ expect }) => {
  const sent: [string, unknown][] = []
  const client = createClient({
    server: 'http://server',
    fetch: async (url, init = {}) => {
      sent.push([url, new Headers(init.headers).get('accept')])
      return new Response('{"id":"aud_1"}\n')
    },
  })
  expect(await (await client.audit.export({ action: 'key.create' })).text()).toBe('{"id":"aud_1"}\n')
  expect(sent).toEqual([['http://server/v1/audit?action=key.create', 'application/x-ndjson']])
})
