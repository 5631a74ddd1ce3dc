import { useSignal, useSignalEffect, type Signal } from '@preact/signals'
import { useCallback, useEffect, useRef } from 'preact/hooks'
import { Unreachable } from '../../client/client.ts'
import { client, errorText, isUnreached } from '../api.ts'
import type { ComponentType } from 'preact'
import { loadViewTexts, texts } from '../language.ts'

interface Loaded<T> {
  value: Signal<T | null>
  problem: Signal<string | null>
  reload: () => Promise<void>
}

/** What the server says to a question, asked when it is first shown and whenever `on` is another; and again, once the server can be
 *  reached, where it could not. */
export function useLoaded<T>(ask: () => Promise<T>, on: readonly unknown[] = []): Loaded<T> {
  const value = useSignal<T | null>(null)
  const problem = useSignal<string | null>(null)
  const isUnasked = useRef(false)
  const reload = useCallback(async () => {
    isUnasked.current = false
    try {
      value.value = await ask()
      problem.value = null
    } catch (error) {
      problem.value = errorText(error)
      isUnasked.current = error instanceof Unreachable
    }
  }, on)
  const newest = useRef(reload)
  newest.current = reload
  useEffect(() => void reload(), [reload])
  useSignalEffect(() => {
    if (!isUnreached.value && isUnasked.current) void newest.current()
  })
  return { value, problem, reload }
}

interface Props<P extends object> {
  load: () => Promise<ComponentType<P>>
  props: P
}

/** A view whose script is loaded when it is first shown. After a deploy its old name may be gone: then the page is loaded anew. So it is,
 *  by itself, once a server answers again that did not: a script that could not be read is never asked for again by its page. */
export function Later<P extends object>({ load, props }: Props<P>) {
  const view = useSignal<{ Shown: ComponentType<P> } | null>(null)
  const failed = useSignal(false)
  useEffect(() => (failed.value ? reloadOnceBack() : undefined), [failed.value])
  useEffect(() => {
    Promise.all([load(), loadViewTexts()]).then(
      ([Shown]) => (view.value = { Shown }),
      () => (failed.value = true),
    )
  }, [])
  if (failed.value)
    return (
      <p class="empty">
        <button type="button" onClick={() => location.reload()}>
          {texts().retry}
        </button>
      </p>
    )
  if (view.value === null) return <p class="empty">{texts().loading}</p>
  const { Shown } = view.value
  return <Shown {...props} />
}

/** Loads the page anew when a server that does not answer just now does again; gives what ends that. Not while somebody types. */
function reloadOnceBack(): () => void {
  let isOver = false
  const hasEnded = () => isOver
  const wait = async () => {
    if (!(await untilBack(hasEnded))) return
    while (!hasEnded() && isTyping()) await pause()
    if (!hasEnded()) location.reload()
  }
  void wait()
  return () => void (isOver = true)
}

const isTyping = () => document.activeElement?.matches('input, textarea, select') ?? false

/** Asks the server until it answers; whether it did not at first. */
export async function untilBack(hasEnded = () => false): Promise<boolean> {
  let wasAway = false
  while (!hasEnded() && !(await answers())) {
    wasAway = true
    await pause()
  }
  return wasAway
}

async function answers(): Promise<boolean> {
  try {
    await client.peek().health()
  } catch (error) {
    return !(error instanceof Unreachable)
  }
  return true
}

const LOOK_MS = 3_000
const pause = () => new Promise((done) => setTimeout(done, LOOK_MS))
