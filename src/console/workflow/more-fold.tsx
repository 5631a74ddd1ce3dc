import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'

interface Props {
  title: ComponentChildren
  /** It is open from the start. */
  isBegun?: boolean
  /** Something in it is to be seen now. */
  isWanted?: boolean
  kind?: string
  children: ComponentChildren
}

/** What is there once it is opened, and stays then. */
export function MoreFold({ title, isBegun = false, isWanted = false, kind = '', children }: Props) {
  const isOpen = useSignal(isBegun)
  const wasOpen = useRef(false)
  if (isWanted) isOpen.value = true
  wasOpen.current ||= isOpen.value
  return (
    <details
      class={`advanced ${kind}`}
      open={isOpen.value}
      onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}
    >
      <summary>{title}</summary>
      {wasOpen.current ? children : null}
    </details>
  )
}
