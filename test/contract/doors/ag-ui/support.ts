import { type BaseEvent, HttpAgent, type Message, type RunAgentParameters } from '@ag-ui/client'
import type { Served } from '../../../support/served.ts'

/** Facts that tests read from a page. */
export const PAGE = '<title>Facts</title><h1>Facts</h1><p>Water boils at 100 degrees at sea level.</p>'

let threads = 0

export interface AgentOptions {
  name?: string
  key?: string
  threadId?: string
  messages?: Message[]
  state?: unknown
}

/** The protocol's own client, in a thread of its own. */
export function agentOf(served: Served, { name = 'yaa', key = served.key, ...more }: AgentOptions = {}): HttpAgent {
  threads += 1
  return new HttpAgent({
    url: `${served.url}/v1/ag-ui/${encodeURIComponent(name)}`,
    headers: { authorization: `Bearer ${key}` },
    threadId: more.threadId ?? `thread-${threads}-${Date.now()}`,
    initialMessages: more.messages ?? [],
    initialState: more.state ?? {},
  })
}

export type Event = BaseEvent & Record<string, unknown>

let words = 0

/** A message of the user. */
export function user(content: Extract<Message, { role: 'user' }>['content']): Message {
  words += 1
  return { id: `user-${words}`, role: 'user', content }
}

/** Runs an agent as it is and gives every event that passed the client's own checks. */
export async function run(agent: HttpAgent, parameters: RunAgentParameters = {}): Promise<Event[]> {
  const events: Event[] = []
  await agent.runAgent(parameters, {
    onEvent: ({ event }) => {
      events.push(event)
    },
  })
  return events
}

/** The same with something new that the user says. */
export async function say(
  agent: HttpAgent,
  content: Extract<Message, { role: 'user' }>['content'],
  parameters: RunAgentParameters = {},
): Promise<Event[]> {
  agent.addMessage(user(content))
  return run(agent, parameters)
}

export const typesOf = (events: readonly Event[]): string[] => events.map(({ type }) => type)

/** Those of a type. */
export const allOf = (events: readonly Event[], type: string): Event[] => events.filter((event) => event.type === type)

/** The last of a type. */
export function last(events: readonly Event[], type: string): Event {
  const found = allOf(events, type).at(-1)
  if (!found) throw new Error(`no ${type} in ${JSON.stringify(events)}`)
  return found
}

export const textOf = (events: readonly Event[]): string =>
  allOf(events, 'TEXT_MESSAGE_CONTENT')
    .map((event) => String(event['delta']))
    .join('')
