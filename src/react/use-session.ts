import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import {
  type Action,
  type Client,
  type DecisionInput,
  liveSession,
  makeCalls,
  NO_SESSION,
  type SessionInput,
  type SessionSnapshot,
  type TaskMessage,
  type WhenBusy,
} from '../client/index.ts'
import { type ClientGiven, useClient } from './client-given.ts'

/** How a session is made by the first message, where no id is given. `tools`: functions that all messages offer to the model, and that run here. */
export type SessionOptions = Omit<SessionInput, 'task'>

/** A session, and what can be done with it. Each act rejects with `ApiProblem` where the server refuses it. */
export interface SessionHook extends SessionSnapshot {
  /** Gives a task or a message; makes the session if there is none. */
  send: (
    content: TaskMessage['content'],
    options?: Omit<TaskMessage, 'content'> & { whenBusy?: WhenBusy },
  ) => Promise<void>
  decide: (pendingId: string, decision: DecisionInput) => Promise<void>
  approve: (pendingId: string, options?: Omit<DecisionInput, 'decision'>) => Promise<void>
  reject: (pendingId: string, feedback?: string) => Promise<void>
  answer: (pendingId: string, answer: string) => Promise<void>
  cancel: () => Promise<void>
  /** Goes on with a run that rests, failed or was ended by a limit. */
  resume: () => Promise<void>
}

const nothing = () => () => {}
const none = () => NO_SESSION

/** Follows a session and acts on it. Without an id the first `send` makes one. `client`: one, or what makes one (its address and key). */
export function useSession(client: ClientGiven, id?: string | null, options: SessionOptions = {}): SessionHook {
  const known = useClient(client)
  const { made, making, begin } = useMade(known, id)
  const sessionId = id ?? made
  const store = useMemo(() => (sessionId === null ? null : liveSession(known, sessionId)), [known, sessionId])
  const view = useSyncExternalStore(store?.subscribe ?? nothing, store?.get ?? none, none)
  const latest = useRef(options)
  useEffect(() => {
    latest.current = options
  })
  const [problem, setProblem] = useState<Error | null>(null)
  useEffect(() => {
    const { tools } = latest.current
    if (tools === undefined || view.pending.length === 0) return
    makeCalls(known, view, tools).then(() => setProblem(null), setProblem)
  }, [known, view])

  const act = useCallback(
    async (action: Action, whenBusy?: WhenBusy) => {
      const target = sessionId ?? (await making.current)
      if (target === null) throw new Error('there is no session yet: send a message first')
      await known.sessions.start(target, action, whenBusy === undefined ? {} : { whenBusy })
    },
    [known, sessionId, making],
  )

  const acts = useMemo(() => {
    const decide = (pendingId: string, decision: DecisionInput) => act({ type: 'decide', pendingId, decision })
    const send: SessionHook['send'] = async (content, { whenBusy, ...more } = {}) =>
      sessionId === null && making.current === null
        ? begin({ ...latest.current, ...more, task: content })
        : act({ type: 'message', content, tools: latest.current.tools, ...more }, whenBusy)
    return {
      send,
      decide,
      approve: (pendingId: string, more: Omit<DecisionInput, 'decision'> = {}) =>
        decide(pendingId, { ...more, decision: 'approve' }),
      reject: (pendingId: string, feedback?: string) =>
        decide(pendingId, { decision: 'reject', ...(feedback === undefined ? {} : { feedback }) }),
      answer: (pendingId: string, answer: string) => decide(pendingId, { decision: 'answer', answer }),
      cancel: async () => {
        if (sessionId !== null) await known.sessions.cancel(sessionId)
      },
      resume: () => act({ type: 'continue' }),
    }
  }, [known, sessionId, act, begin, making])

  return useMemo(() => ({ ...view, problem: view.problem ?? problem, ...acts }), [view, problem, acts])
}

/** The session that the first message made, while the server is the same and no session is named. */
function useMade(client: Client, id: string | null | undefined) {
  const [made, setMade] = useState<{ client: Client; id: string } | null>(null)
  const making = useRef<Promise<string> | null>(null)
  useEffect(
    () => () => {
      making.current = null
      setMade(null)
    },
    [client, id],
  )
  const begin = useCallback(
    async (input: SessionInput) => {
      const own = client.sessions.begin(input).then(({ id: begun }) => begun)
      making.current = own
      try {
        const begun = await own
        if (making.current === own) setMade({ client, id: begun })
      } catch (error) {
        if (making.current === own) making.current = null
        throw error
      }
    },
    [client],
  )
  return { made: made?.client === client ? made.id : null, making, begin }
}
