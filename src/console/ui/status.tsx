import { texts } from '../language.ts'

/** A status by colour and by word. */
export function StatusMark({ status }: { status: string }) {
  return (
    <span class="status" data-status={status}>
      {texts().status[status] ?? status}
    </span>
  )
}
