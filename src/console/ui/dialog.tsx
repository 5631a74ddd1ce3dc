import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { texts } from '../language.ts'
import { Later } from './loaded.tsx'
import { Icon } from './marks.tsx'

interface Opened {
  /** What it is for, to tell one from the next. */
  name: string
  label: string
  /** The page that it was opened above. */
  address: string
  Content: () => preact.JSX.Element
}

const opened = signal<Opened | null>(null)

/** Shows a view over the page; its script is loaded when it is first shown. */
export function showDialog<P extends object>(
  { name, label }: Pick<Opened, 'name' | 'label'>,
  load: () => Promise<ComponentType<P>>,
  props: P,
): void {
  opened.value = { name, label, address: location.hash, Content: () => <Later load={load} props={props} /> }
}

/** The name of what is shown over the page; null: nothing is. */
export const shownDialog = (): string | null => opened.value?.name ?? null

/** The next key finds it closed: the browser tells of that later only. */
export function closeDialog(): void {
  document.querySelector<HTMLDialogElement>('dialog[open]')?.close()
  opened.value = null
}

/** What was opened since the page changed stays. */
function closeWithPage(): void {
  if (opened.peek()?.address !== location.hash) closeDialog()
}

/** Where it is shown. Escape, a click beside it, or another page ends it; who was in a field before is there again. */
export function DialogRoom() {
  const room = useRef<HTMLDialogElement>(null)
  const content = opened.value
  useLayoutEffect(() => {
    if (content && !room.current?.open) room.current?.showModal()
    // Who was in a field is there again, but types nothing: the caret went with the field of the dialog.
    const field = content ? null : document.querySelector<HTMLElement>('input:focus, textarea:focus')
    field?.blur()
    field?.focus({ preventScroll: true })
  }, [content])
  useEffect(() => {
    addEventListener('hashchange', closeWithPage)
    return () => removeEventListener('hashchange', closeWithPage)
  }, [])
  if (content === null) return null
  const { name, label, Content } = content
  return (
    <dialog
      key={name}
      ref={room}
      class="dialog"
      data-name={name}
      aria-label={label}
      onClose={() => {
        // What was closed may have opened another, or the same anew.
        if (opened.value === content && !room.current?.open) opened.value = null
      }}
      onClick={(event) => event.target === room.current && closeDialog()}
    >
      <div class="dialog-room">
        <button type="button" class="quiet dialog-close" onClick={closeDialog} title={texts().close}>
          <Icon name="cross" />
          <span class="unseen">{texts().close}</span>
        </button>
        <Content key={name} />
      </div>
    </dialog>
  )
}
