import { texts } from '../language.ts'
import { Icon } from './icon.tsx'

/** To the sessions, where there is no room to show them beside. */
export function BackLink() {
  const { back } = texts()
  return (
    <a class="back" href="#/" title={back}>
      <Icon name="back" />
      <span class="unseen">{back}</span>
    </a>
  )
}
