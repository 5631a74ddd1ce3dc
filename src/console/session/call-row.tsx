import { useSignal } from '@preact/signals'
import { client, errorText } from '../api.ts'
import { durationText, numberText, texts } from '../language.ts'
import type { CallItem } from '../timeline/item.ts'
import { Attachments } from '../ui/attachments.tsx'
import { Icon } from '../ui/marks.tsx'
import { fencedPart } from '../../lib/fence.ts'

const SHOWN_CHARS_MAX = 120

/** A call of a tool, folded: what it is given, what it gave, how long it took, what was cut. */
export function CallRow({ call, rev, files }: { call: CallItem; rev: number; files: string | undefined }) {
  const isOpen = useSignal(false)
  return (
    <details class="call" data-status={call.status} onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>
        <Icon name="tool" /> <code class="name">{call.tool}</code>
        <span class="excerpt">{call.progress ?? excerptOf(call.arguments)}</span>
        {call.outside === null ? null : <OutsideTag />}
        <span class="state">{stateOf(call)}</span>
      </summary>
      {isOpen.value ? <CallBody call={call} rev={rev} files={files} /> : null}
    </details>
  )
}

function CallBody({ call, files }: { call: CallItem; rev: number; files: string | undefined }) {
  const t = texts().chat
  return (
    <div class="call-body">
      <h4>{t.arguments}</h4>
      <pre class="plain" tabIndex={0}>
        {JSON.stringify(call.arguments, null, 2)}
      </pre>
      {call.result === null ? null : (
        <>
          <h4>
            {t.result} <span class="dim">{numberText(call.result.length)}</span>
          </h4>
          <ResultText text={call.result} />
          <Attachments content={call.images} files={files} />
          <Rest truncated={call.truncated} />
        </>
      )}
    </div>
  )
}

/** What was cut of a result, and all of it on demand. */
function Rest({ truncated }: Pick<CallItem, 'truncated'>) {
  const whole = useSignal<string | null>(null)
  if (truncated === null) return null
  const { kept_length: kept, original_length: original, rest } = truncated
  const read = async () => {
    try {
      whole.value = await (await client.value.send({ path: rest ?? '', headers: { accept: 'text/plain' } })).text()
    } catch (error) {
      whole.value = errorText(error)
    }
  }
  return (
    <div class="rest">
      <p class="dim">
        {texts().chat.cut(numberText(kept), numberText(original))}{' '}
        {rest === null || whole.value !== null ? null : (
          <button type="button" class="link" onClick={() => void read()}>
            {texts().chat.rest}
          </button>
        )}
      </p>
      {whole.value === null ? null : <ResultText text={whole.value} />}
    </div>
  )
}

function excerptOf(args: Record<string, unknown>): string {
  const values = Object.entries(args).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return Object.keys(args).length === 1 ? text : `${name}=${text}`
  })
  return values.join(' ').slice(0, SHOWN_CHARS_MAX)
}

function stateOf({ status, ms }: CallItem): string {
  const t = texts().chat
  const took = ms === null ? '' : durationText(ms)
  switch (status) {
    case 'ok':
      return took
    case 'failed':
      return `${t.failed} ${took}`
    case 'running':
      return t.running
    case 'waiting':
      return t.waits
    case 'made':
      return ''
  }
}

/** Says of a result that it holds text which nobody here wrote, and why that matters. */
function OutsideTag() {
  const t = texts().chat
  return (
    <span class="tag outside-tag" title={t.untrustedWhy}>
      {t.untrusted}
      <span class="unseen">: {t.untrustedWhy}</span>
    </span>
  )
}

/** The result of a tool, without the markers that tell the model what comes from outside: that part looks different. */
function ResultText({ text }: { text: string }) {
  return partsOf(text).map(({ part, isOutside }, index) => (
    <pre key={index} class={isOutside ? 'plain outside' : 'plain'} tabIndex={0}>
      {part}
    </pre>
  ))
}

function partsOf(text: string): { part: string; isOutside: boolean }[] {
  const fenced = fencedPart(text)
  if (fenced === null) return [{ part: text, isOutside: false }]
  const { inside, outer } = fenced
  const own = (part: string) => (part.trim() === '' ? [] : [{ part: part.trim(), isOutside: false }])
  return [
    ...own(text.slice(0, outer.start)),
    { part: text.slice(inside.start, inside.end), isOutside: true },
    ...own(text.slice(outer.end)),
  ]
}
