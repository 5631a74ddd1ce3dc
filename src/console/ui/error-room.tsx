import { Component, type ComponentChildren } from 'preact'
import { texts } from '../language.ts'

interface Props {
  children: ComponentChildren
}

/** A view that breaks leaves the rest of the page as it is. */
export class ErrorRoom extends Component<Props, { error: string | null }> {
  override state = { error: null as string | null }

  static override getDerivedStateFromError(error: unknown): { error: string } {
    return { error: error instanceof Error ? error.message : String(error) }
  }

  override render({ children }: Props, { error }: { error: string | null }) {
    if (error === null) return children
    return (
      <div class="empty" role="alert">
        <p>
          {texts().problem.unexpected}: {error}
        </p>
        <button type="button" onClick={() => location.reload()}>
          {texts().retry}
        </button>
      </div>
    )
  }
}
