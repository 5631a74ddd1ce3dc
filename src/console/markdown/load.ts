import { signal } from '@preact/signals'
import type { MarkdownFlow } from './flow.ts'

/** What shows Markdown, once it is loaded: with the first conversation. */
export const flow = signal<typeof MarkdownFlow | null>(null)

let loading: Promise<void> | null = null

export function loadMarkdown(): void {
  loading ??= import('./flow.ts').then(
    ({ MarkdownFlow: loaded }) => void (flow.value = loaded),
    () => void (loading = null),
  )
}
