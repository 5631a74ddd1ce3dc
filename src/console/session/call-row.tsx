import { useSignal } from '@preact/signals'
import { client, errorText } from '../api.ts'
import { durationText, numberText, texts, labelledText } from '../language.ts'
import type { CallItem } from '../timeline/item.ts'
import { Attachments } from '../ui/attachments.tsx'
import { GivenArguments } from '../decide/given-arguments.tsx'
import { Icon } from '../ui/marks.tsx'
import { argumentWords, stepWords } from '../timeline/step-words.ts'
import { fencedParts } from '../../lib/fence.ts'
import { Notes, NOTES_TOOL, notesLine } from './notes.tsx'

const SHOWN_CHARS_MAX = 120

interface CallProps {
  call: CallItem
  rev: number
  files: string | undefined
  /** It begins to be unfolded, or folded, when this changes. */
  isShown?: boolean | undefined
}

/** A call of a tool, folded: what it is given, what it gave, how long it took, what was cut. */
export function CallRow({ call, rev, files, isShown = false }: CallProps) {
  const isOpen = useSignal(isShown)
  return (
    <details
      class="call"
      data-status={call.status}
      open={isShown}
      onToggle={(event) => (isOpen.value = event.currentTarget.open)}
    >
      <summary>
        <Icon name={call.status === 'ok' ? 'check' : 'tool'} /> <StepName call={call} rev={rev} />
        {call.outside === null ? null : <OutsideTag />}
        <span class="state">{stateOf(call)}</span>
      </summary>
      {isOpen.value ? <CallBody call={call} files={files} /> : null}
    </details>
  )
}

/** A call, with what says that it changed. */
interface Changing {
  call: CallItem
  rev: number
}

/** One line of what it does; for a tool that has none, its name and what it is given. */
function StepName({ call }: Changing) {
  const words = stepWords(call)
  if (words === null)
    return (
      <>
        <code class="name">{call.tool}</code>
        <span class="excerpt">{call.progress ?? excerptOf(call)}</span>
      </>
    )
  return (
    <>
      <span class="step-words" title={call.tool}>
        {words}
      </span>
      <span class="excerpt">{call.tool === NOTES_TOOL ? notesLine(call) : call.progress}</span>
    </>
  )
}

function CallBody({ call, files }: { call: CallItem; files: string | undefined }) {
  const t = texts().chat
  return (
    <div class="call-body">
      {call.tool === NOTES_TOOL ? (
        <Notes call={call} />
      ) : (
        <GivenArguments title={t.arguments} tool={call.tool} values={call.arguments} />
      )}
      {call.result === null || saysNothing(call) ? null : (
        <>
          <p class="small-head">{t.result}</p>
          <ResultText text={call.result.replace(MARKER, '')} />
          <Attachments content={call.images} files={files} />
          <Rest truncated={call.truncated} />
        </>
      )}
    </div>
  )
}

/** The result of a list that was kept says again what the list shows. */
function saysNothing({ tool, status }: CallItem): boolean {
  return tool === NOTES_TOOL && status === 'ok'
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

function excerptOf({ tool, arguments: args }: CallItem): string {
  const values = Object.entries(args).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return Object.keys(args).length === 1 ? text : texts().told(argumentWords(tool, name), text)
  })
  return values.join(' · ').slice(0, SHOWN_CHARS_MAX)
}

function stateOf({ status, ms }: CallItem): string {
  const t = texts().chat
  const took = ms === null ? '' : durationText(ms)
  switch (status) {
    case 'ok':
      return took
    case 'failed':
      return `${t.failed} ${took}`
    case 'refused':
      return t.refused
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
      <span class="unseen">{labelledText('', t.untrustedWhy)}</span>
    </span>
  )
}

/** How a result begins that says in brackets which tool it is of, or that it is a warning, and how it went: that is said above it. */
const MARKER = /^\[(?:(?:Warning|警告)\]|[^\]\n]{1,200}\](?: (?:failed|content):|执行失败：|的内容：))\s*/

/** The line that tells the model what stands between markers: a person sees which part is from outside. */
const OF_MARKERS = /\n?.*(?:two markers below|两条标记之间).*$/

/** The result of a tool, without the markers that tell the model what comes from outside: those parts look different. */
function ResultText({ text }: { text: string }) {
  return fencedParts(text).map(({ text: part, isFenced }, index) => {
    const shown = isFenced ? part : part.replace(OF_MARKERS, '')
    return shown === '' ? null : (
      <pre key={index} class={isFenced ? 'plain outside' : 'plain'} tabIndex={0}>
        {shown}
      </pre>
    )
  })
}
