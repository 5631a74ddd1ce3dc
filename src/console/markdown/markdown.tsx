import { useLayoutEffect, useRef } from 'preact/hooks'
import type { LiveText } from '../timeline/item.ts'
import { signal } from '@preact/signals'
import { withJsonLaidOut } from '../../lib/json.ts'
import type { MarkdownFlow } from './flow.ts'

/** A text as Markdown, whole or while it grows. Until what shows it is there, it is shown as it is. What was shown while it grew stays
 *  as it is when it is whole. */
export function Markdown({ text, isLive = false }: { text: string | LiveText; isLive?: boolean }) {
  const room = useRef<HTMLDivElement>(null)
  const grown = useRef<MarkdownFlow | null>(null)
  const Flow = flow.value
  const written = typeof text === 'string' ? text : text.whole
  const isLaidOut = !isLive && withJsonLaidOut(written) !== written
  useLayoutEffect(() => {
    if (!room.current) return
    const whole = isLaidOut ? withJsonLaidOut(written) : written
    if (!Flow) {
      room.current.textContent = whole
      return loadMarkdown()
    }
    const shown = new Flow(room.current, whole)
    grown.current = shown
    const stop = typeof text === 'string' ? undefined : text.listen((piece) => shown.append(piece))
    return () => {
      grown.current = null
      stop?.()
      shown.stop()
    }
  }, [text, isLaidOut, Flow])
  useLayoutEffect(() => {
    if (!isLive) grown.current?.finish()
  }, [text, isLive, isLaidOut, Flow])
  return <div class="markdown" ref={room} />
}

/** A text as it is, while it grows. */
export function PlainLive({ text }: { text: LiveText }) {
  const room = useRef<HTMLPreElement>(null)
  useLayoutEffect(() => {
    const node = document.createTextNode(text.whole)
    room.current?.replaceChildren(node)
    return text.listen((piece) => node.appendData(piece))
  }, [text])
  return <pre class="plain" ref={room} tabIndex={0} />
}

/** What shows Markdown, once it is loaded: with the first conversation. */
const flow = signal<typeof MarkdownFlow | null>(null)

let loading: Promise<void> | null = null

function loadMarkdown(): void {
  loading ??= import('./flow.ts').then(
    ({ MarkdownFlow: loaded }) => void (flow.value = loaded),
    () => void (loading = null),
  )
}
