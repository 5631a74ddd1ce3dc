import type { StreamEvent } from '../../client/client.ts'
import type { Input } from './input.ts'

export interface AsideOptions {
  input: Input
  prompt: string
  show: (event: StreamEvent) => void
  /** Takes away what is shown, so that the line has its place. */
  clear: () => void
  /** Shows again that the run works, once the line was said or left. */
  resume: () => void
  /** A line that is not empty; `isOver`: the run came to rest while it was written. */
  say: (line: string, isOver: boolean) => Promise<void>
}

/** A run that is shown while a person may type. */
export interface Aside {
  show: (event: StreamEvent) => void
  /** Once no line is being written, and the last was said. */
  said: () => Promise<void>
  close: () => void
}

/** What a person types while a run is shown: from the first key to the end of the line what happens is held back, then it is shown and
 *  the line is said. */
export function asideOf({ input, prompt, show, clear, resume, say }: AsideOptions): Aside {
  /** What happens while a line is written; null: none is. */
  let held: StreamEvent[] | null = null
  let done = Promise.resolve()
  const written = async (line: string | null) => {
    const shown = held ?? []
    held = null
    shown.forEach(show)
    const isOver = shown.some(isRest)
    if (line !== null && line !== '') await say(line, isOver)
    // Meanwhile the person may have begun another.
    if (!isOver && held === null) resume()
  }
  const close = input.overhear((ask) => {
    held = []
    clear()
    done = ask(prompt).then(written)
  })
  return {
    show: (event) => (held ? void held.push(event) : show(event)),
    said: async () => {
      for (let last; last !== done;) {
        last = done
        await last
      }
    },
    close,
  }
}

/** A run that rests between batches goes on. */
function isRest(event: StreamEvent): boolean {
  return event.type === 'run-end' || (event.type === 'run-pause' && event.status !== 'in_progress')
}
