import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { type SessionHook, usePending, useSession } from '../../../src/react/index.ts'

/** The page of the tests of `yaa/react`: `?server=&key=` say where, `#ses_…` which session. */
const asked = new URLSearchParams(location.search)
const given = () => ({ server: asked.get('server') ?? '', key: asked.get('key') ?? '' })

function Conversation({ session, name }: { session: SessionHook; name: string }) {
  const { messages, pending, status, plan, problem } = session
  return (
    <section aria-label={name}>
      <p className="status">{status}</p>
      <p className="problem">{problem?.message}</p>
      <ol>
        {messages.map(({ id, role, text, isWriting }) => (
          <li key={id} className={role} aria-busy={isWriting}>
            {text}
          </li>
        ))}
      </ol>
      <ul className="plan">
        {plan?.tasks.map(({ id, name: task, status: state }) => (
          <li key={id}>{`${task}: ${state}`}</li>
        ))}
      </ul>
      {pending.map(({ id, tool, question }) => (
        <p key={id} className="pending">
          {tool ?? question}
          <button onClick={() => void session.approve(id)}>Approve</button>
          <button onClick={() => void session.reject(id, 'not this')}>Refuse</button>
        </p>
      ))}
    </section>
  )
}

/** A function of the page that the model may call. */
const kettles: string[] = []
const tools = {
  read_kettle: {
    parameters: { type: 'object', properties: { kettle: { type: 'string' } }, required: ['kettle'] },
    execute: ({ kettle }: Record<string, unknown>) => {
      kettles.push(String(kettle))
      if (kettle === 'broken') throw new Error('no such kettle')
      return { degrees: 100, asked: kettles.length }
    },
  },
}

function Chat() {
  const [id, setId] = useState(() => location.hash.slice(1) || null)
  const [fault, setFault] = useState('')
  const session = useSession(given(), id, { title: 'from a page', tools })
  if (session.id !== null) location.hash = session.id
  const send = async (form: FormData) => {
    const text = form.get('text')
    if (typeof text === 'string') await session.send(text).catch((error: Error) => setFault(error.name))
  }
  return (
    <>
      <form action={(form) => void send(form)}>
        <input name="text" aria-label="Message" />
        <button>Send</button>
      </form>
      <button onClick={() => void session.cancel()}>Cancel</button>
      <button onClick={() => void session.resume()}>Resume</button>
      <button onClick={() => setId(location.hash.slice(1))}>Open</button>
      <button onClick={() => setId(null)}>New</button>
      <p className="fault">{fault}</p>
      <Conversation session={session} name="one" />
      {session.id !== null && <Second id={session.id} />}
    </>
  )
}

/** Another component on the same session, with options of its own. */
function Second({ id }: { id: string }) {
  return <Conversation session={useSession(given(), id)} name="two" />
}

function Inbox() {
  const { items, isLoading, decide } = usePending(given())
  return (
    <section aria-label="inbox" aria-busy={isLoading}>
      {items.map((item) => (
        <p key={item.id}>
          {item.tool}
          <button onClick={() => void decide(item, { decision: 'approve' })}>Yes</button>
        </p>
      ))}
    </section>
  )
}

function App() {
  const [shown, setShown] = useState(true)
  return (
    <>
      <button onClick={() => setShown(!shown)}>Toggle</button>
      {shown && <Chat />}
      {shown && <Inbox />}
    </>
  )
}

const root = document.querySelector('main')
if (root)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
