import { withHiddenShown } from '../../lib/hidden-characters.ts'
import { isObject } from '../../lib/json.ts'
import { viewTexts } from '../language.ts'
import { issueText } from './facts.tsx'

/** What a server offers: its tools by name, with what each is for; or why there are none. Why it was not reached stands among its facts. */
export function ServerTools({ server }: { server: Record<string, unknown> }) {
  const t = viewTexts().setup
  const { status } = server
  const whyNone: Readonly<Record<string, string>> = { ok: t.noTools, error: t.toolsUnknown, disabled: t.toolsOff }
  const tools = partsOf(server['tools'], 'name', 'description')
  const warnings = partsOf(server['warnings'], 'tool', 'message')
  const told = warnings.map(({ name, text }) => (
    <p class="field-warning" key={name + text}>
      {issueText({ path: name, message: t.leftOut(text) })}
    </p>
  ))
  if (tools.length === 0)
    return (
      <>
        <p class="hint">{whyNone[String(status)] ?? t.toolsUnread}</p>
        {told}
      </>
    )
  return (
    <details class="trial">
      <summary>{t.tools(tools.length)}</summary>
      {status === 'error' ? <p class="hint">{t.toolsBefore}</p> : null}
      <ul class="tool-list">
        {tools.map(({ name, text }) => (
          <li key={name}>
            <code>{name}</code> {text}
          </li>
        ))}
      </ul>
      {told}
    </details>
  )
}

/** Names with what is said of each: the words of others, shown as they are. */
function partsOf(value: unknown, name: string, text: string): { name: string; text: string }[] {
  const shown = (one: unknown) => (typeof one === 'string' ? withHiddenShown(one) : '')
  return (Array.isArray(value) ? value : []).flatMap((one: unknown) =>
    isObject(one) ? [{ name: shown(one[name]), text: shown(one[text]) }] : [],
  )
}
