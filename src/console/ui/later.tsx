import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { texts } from '../language.ts'

interface Props<P extends object> {
  load: () => Promise<ComponentType<P>>
  props: P
}

/** A view whose script is loaded when it is first shown. After a deploy its old name may be gone: then the page is loaded anew. */
export function Later<P extends object>({ load, props }: Props<P>) {
  const view = useSignal<{ Shown: ComponentType<P> } | null>(null)
  const failed = useSignal(false)
  useEffect(() => {
    load().then(
      (Shown) => (view.value = { Shown }),
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
