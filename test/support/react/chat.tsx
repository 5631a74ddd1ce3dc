import { useChat } from '@ai-sdk/react'
import {
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai'
import { StrictMode, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'

/** The page of the tests of `useChat`: `?server=&key=` say where, `#id` which chat. It keeps its messages for the next load, as apps do; with `load` it
 *  begins with those that the server has. */
const asked = new URLSearchParams(location.search)
const api = `${asked.get('server') ?? ''}/v1/ai-sdk/chat`
const headers = { authorization: `Bearer ${asked.get('key') ?? ''}` }
const id = location.hash.slice(1)
const tools = {
  read_kettle: {
    description: 'Reads a kettle of the page.',
    inputSchema: { type: 'object', properties: { kettle: { type: 'string' } }, required: ['kettle'] },
  },
}
const kept = (): UIMessage[] => JSON.parse(sessionStorage.getItem(id) ?? '[]') as UIMessage[]
/** What the server has of the chat. */
const held = async (): Promise<UIMessage[]> => {
  const answer = await fetch(`${api}/${encodeURIComponent(id)}`, { headers })
  return ((await answer.json()) as { messages: UIMessage[] }).messages
}
const first = asked.has('load') ? await held() : kept()
/** Kettles that were read. */
const read: string[] = []

function Part({ part, answer }: { part: UIMessage['parts'][number]; answer: (id: string, approved: boolean) => void }) {
  if (part.type === 'text') return <span className="text">{part.text}</span>
  if (part.type === 'source-url') return <a href={part.url}>{part.url}</a>
  if (!isToolUIPart(part)) return null
  const { state, approval } = part
  return (
    <span className="tool">
      {state}
      {state === 'approval-requested' && (
        <>
          <button onClick={() => answer(approval?.id ?? '', true)}>Approve</button>
          <button onClick={() => answer(approval?.id ?? '', false)}>Refuse</button>
        </>
      )}
    </span>
  )
}

function Chat() {
  const [messages] = useState(first)
  const chat = useChat({
    id,
    messages,
    resume: true,
    transport: new DefaultChatTransport({ api, headers, body: { tools } }),
    sendAutomaticallyWhen: (options) =>
      lastAssistantMessageIsCompleteWithApprovalResponses(options) ||
      lastAssistantMessageIsCompleteWithToolCalls(options),
    onToolCall: ({ toolCall }) => {
      const { kettle } = toolCall.input as { kettle: string }
      read.push(kettle)
      const { toolCallId } = toolCall
      if (kettle === 'blue') void chat.addToolOutput({ tool: 'read_kettle', toolCallId, output: { celsius: 100 } })
      else
        void chat.addToolOutput({
          tool: 'read_kettle',
          toolCallId,
          state: 'output-error',
          errorText: 'no such kettle',
        })
    },
  })
  useEffect(() => sessionStorage.setItem(id, JSON.stringify(chat.messages)), [chat.messages])
  const send = (form: FormData) => {
    const text = form.get('text')
    if (typeof text === 'string') void chat.sendMessage({ text })
  }
  const stop = async () => {
    await fetch(`${api}/${encodeURIComponent(id)}/stop`, { method: 'POST', headers })
    await chat.stop()
  }
  const answer = (approval: string, approved: boolean) =>
    void chat.addToolApprovalResponse({ id: approval, approved, ...(approved ? {} : { reason: 'not this' }) })
  return (
    <>
      <form action={send}>
        <input name="text" aria-label="Message" />
        <button>Send</button>
      </form>
      <button onClick={() => void stop()}>Stop</button>
      <button onClick={() => void chat.regenerate()}>Regenerate</button>
      <p className="status">{chat.status}</p>
      <p className="error">{chat.error?.message}</p>
      <p className="read">{read.join(' ')}</p>
      <ol>
        {chat.messages.map(({ id: key, role, parts }) => (
          <li key={key} className={role}>
            {parts.map((part, index) => (
              <Part key={`${key}-${String(index)}`} part={part} answer={answer} />
            ))}
          </li>
        ))}
      </ol>
    </>
  )
}

const root = document.querySelector('main')
if (root)
  createRoot(root).render(
    <StrictMode>
      <Chat />
    </StrictMode>,
  )
