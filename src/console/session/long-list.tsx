import { useSignal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { texts } from '../language.ts'
import { Icon } from '../ui/marks.tsx'
import { Heights } from './heights.ts'

interface Props<T> {
  items: readonly T[]
  keyOf: (item: T) => string
  /** Another function whenever items are others or look otherwise: a row is made once with each. */
  children: (item: T) => ComponentChildren
  /** Called when one nears the beginning. */
  onStart?: (() => void) | undefined
  label: string
  foot?: ComponentChildren
  /** What was asked last, and what was answered to it: one begins to read an answer that is there where it begins. */
  latest?: Latest
}

interface Latest {
  asked: string | undefined
  answer: { key: string; isLive: boolean } | undefined
}

const GUESS_PX = 72
/** Rows are there so far outside of what is seen. */
const MARGIN_PX = 800
/** So near to the end one is taken to be there, and stays there. */
const END_PX = 40

/** Where one is in a list. */
interface Place {
  top: number
  view: number
  /** The end is followed. */
  isAtEnd: boolean
  /** The one who looks went there, and not the list itself. */
  isWanted: boolean
  /** The row that stays where it is, and so far below its begin the view begins. */
  anchor: string
  below: number
  /** Where the list itself scrolled to. */
  set: number
  /** The end is in sight, followed or not. */
  seesEnd: boolean
  last: string | undefined
  asked: string | undefined
  /** The answer whose begin was gone to, or that was watched while it was written. */
  answer: string | undefined
}

const START: Place = {
  top: 0,
  view: 800,
  isAtEnd: true,
  isWanted: false,
  anchor: '',
  below: 0,
  set: NaN,
  seesEnd: true,
  last: undefined,
  asked: undefined,
  answer: undefined,
}

/** Goes where what is new is read: to the end of what is written while one is there, to the begin of an answer that is there at once. */
function follow(
  place: Place,
  keys: readonly string[],
  { asked, answer }: Latest,
  offsetOf: (index: number) => number,
): void {
  const last = keys.at(-1)
  const isAsked = place.asked !== undefined && asked !== place.asked
  const isRead = answer !== undefined && place.anchor === answer.key
  if (isAsked || (place.seesEnd && last !== place.last && !isRead))
    Object.assign(place, { isAtEnd: true, isWanted: false })
  Object.assign(place, { last, asked })
  if (!answer || answer.key === place.answer) return
  place.answer = answer.key
  if (answer.isLive || !place.isAtEnd) return
  const index = keys.indexOf(answer.key)
  if (index >= 0) Object.assign(place, { isAtEnd: false, anchor: answer.key, below: 0, top: offsetOf(index) })
}

/** The rows that are there: from the first up to before the last. */
function rangeOf(heights: Heights, { isAtEnd, top, view }: Place): [first: number, last: number] {
  const [above, below] = isAtEnd ? [heights.total - view, heights.total] : [top, top + view]
  return [heights.indexAt(Math.max(0, above - MARGIN_PX)), heights.indexAt(below + MARGIN_PX) + 1]
}

/** Where the list scrolls to at its end: what asks there is read from where it begins, also where it is higher than what one sees. */
function endOf(element: HTMLElement, { isWanted }: Place): number {
  const end = element.scrollHeight - element.clientHeight
  const asking = isWanted ? null : element.querySelector('.pending')
  if (!asking) return end
  return Math.min(end, element.scrollTop + asking.getBoundingClientRect().top - element.getBoundingClientRect().top)
}

/** The keyboard of a phone takes half of the room: who writes in a row sees the field. */
function showWriting(room: HTMLElement): void {
  const field = document.activeElement
  if (field?.matches('input, textarea, select') && room.contains(field)) field.scrollIntoView({ block: 'nearest' })
}

/** A list of which only what is seen, and a little around it, is in the page. What one looks at stays where it is when rows come
 *  before it or change their height; who is at the end stays at the end. */
export function LongList<T>({ items, keyOf, children, onStart, label, foot, latest }: Props<T>) {
  const room = useRef<HTMLDivElement>(null)
  const heights = useMemo(() => new Heights(GUESS_PX), [])
  const place = useMemo(() => ({ ...START }), [])
  const drawn = useSignal(0)
  const isAtEnd = useSignal(true)
  void drawn.value
  const keys = useMemo(() => items.map(keyOf), [children])
  heights.keys = keys
  if (latest) follow(place, keys, latest, (index) => heights.offset(index))
  const [first, last] = rangeOf(heights, place)
  const above = heights.offset(first)
  const below = heights.total - heights.offset(last)
  /** Whether the rows that are drawn are still those to be drawn, and where they were. */
  const isSame = () => {
    const [begin, end] = rangeOf(heights, place)
    return (
      begin === first &&
      end === last &&
      heights.offset(first) === above &&
      heights.total - heights.offset(last) === below
    )
  }

  const measured = useRef(() => {})
  const observer = useMemo(
    () =>
      new ResizeObserver((entries) => {
        let changed = false
        for (const { target, borderBoxSize } of entries) {
          if (!(target instanceof HTMLElement) || !target.isConnected) continue
          changed = heights.measure(target.dataset['key'] ?? '', borderBoxSize[0]?.blockSize ?? 0) || changed
        }
        if (changed) measured.current()
      }),
    [],
  )

  const rows = useMemo(() => new Map<string, VNode>(), [children])
  const rowOf = (item: T) => {
    const key = keyOf(item)
    const row = rows.get(key) ?? (
      <Row key={key} name={key} observer={observer}>
        {children(item)}
      </Row>
    )
    rows.set(key, row)
    return row
  }

  const settle = () => {
    const element = room.current
    if (!element) return
    const index = keys.indexOf(place.anchor)
    const wanted = place.isAtEnd ? endOf(element, place) : heights.offset(index) - place.below
    if ((place.isAtEnd || index >= 0) && Math.abs(element.scrollTop - wanted) > 1) {
      element.scrollTop = wanted
      place.set = element.scrollTop
    }
    look(element)
  }
  const look = (element: HTMLElement) => {
    place.seesEnd = element.scrollHeight - element.scrollTop - element.clientHeight < END_PX
    if (isAtEnd.value !== place.seesEnd) isAtEnd.value = place.seesEnd
  }
  useLayoutEffect(settle)
  // The last row grows with each frame in which something is written: mostly the rows that are there stay the same.
  measured.current = () => {
    if (isSame()) settle()
    else drawn.value += 1
  }
  useLayoutEffect(() => {
    const element = room.current
    if (!element) return
    const view = new ResizeObserver(() => {
      place.view = element.clientHeight
      drawn.value += 1
      requestAnimationFrame(() => showWriting(element))
    })
    view.observe(element)
    return () => {
      view.disconnect()
      observer.disconnect()
    }
  }, [])

  /** What is seen now is what stays where it is. */
  const stayAt = (isAtEnd: boolean) => {
    const index = heights.indexAt(place.top)
    const [anchor, below] = [keys[index] ?? '', heights.offset(index) - place.top]
    Object.assign(place, { set: NaN, isAtEnd, isWanted: isAtEnd, anchor, below })
  }
  // Who unfolds something looks at it: what it shows comes below, also at the end.
  const onClick = ({ target }: MouseEvent) => {
    if (!room.current || !(target instanceof Element) || !target.closest('summary')) return
    place.top = room.current.scrollTop
    stayAt(false)
  }
  const onScroll = () => {
    const element = room.current
    if (!element) return
    place.top = element.scrollTop
    // The browser says a frame later that the list itself scrolled. Rows may have grown by then: what one looks at is the same.
    const isOwn = Math.abs(place.top - place.set) < 1
    if (!isOwn) stayAt(element.scrollHeight - place.top - element.clientHeight < END_PX)
    look(element)
    if (place.top < MARGIN_PX) onStart?.()
    if (!isOwn || !isSame()) drawn.value += 1
  }
  const toEnd = () => {
    Object.assign(place, { isAtEnd: true, isWanted: true })
    drawn.value += 1
  }
  const toStart = () => {
    Object.assign(place, { top: 0, isAtEnd: false, anchor: keys[0] ?? '', below: 0 })
    drawn.value += 1
  }
  // The browser's own way there is smooth, and ends where the rows ended before the new ones were measured.
  const onKeyDown = (event: KeyboardEvent) => {
    const { currentTarget, key, target } = event
    const isPlain = target === currentTarget && !event.ctrlKey && !event.metaKey && !event.altKey
    if (!isPlain || (key !== 'End' && key !== 'Home')) return
    event.preventDefault()
    if (key === 'End') toEnd()
    else toStart()
  }
  return (
    <div class="long-list">
      <div
        class="long-list-room"
        ref={room}
        onScroll={onScroll}
        onClick={onClick}
        onKeyDown={onKeyDown}
        tabIndex={0}
        role="log"
        aria-label={label}
        aria-live="off"
      >
        <div style={{ height: `${above}px` }} />
        {items.slice(first, last).map(rowOf)}
        <div style={{ height: `${below}px` }} />
        {foot}
      </div>
      {isAtEnd.value ? null : (
        <button type="button" class="to-end" title={texts().chat.latest} onClick={toEnd}>
          <Icon name="down" />
          <span class="unseen">{texts().chat.latest}</span>
        </button>
      )}
    </div>
  )
}

interface RowProps {
  name: string
  observer: ResizeObserver
  children: ComponentChildren
}

function Row({ name, observer, children }: RowProps) {
  const row = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = row.current
    if (!element) return
    observer.observe(element)
    return () => observer.unobserve(element)
  }, [])
  return (
    <div class="row" data-key={name} ref={row}>
      {children}
    </div>
  )
}
