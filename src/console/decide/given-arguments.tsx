import { useSignal } from '@preact/signals'
import { withHiddenShown } from '../../lib/hidden-characters.ts'
import { argumentWords } from '../timeline/step-words.ts'

interface Props {
  title: string
  tool?: string
  values: Readonly<Record<string, unknown>>
  /** Of a long value its beginning is shown, and the rest on demand: nobody is to decide by it. */
  folds?: boolean
}

/** What a call is given, to the letter: a field a line by words for its name, or all of it as JSON, by the names themselves. */
export function GivenArguments({ title, tool, values, folds = false }: Props) {
  const asJson = useSignal(false)
  const fields = Object.entries(values)
  return (
    <>
      <p class="small-head given-head">
        {title} {tool === undefined ? null : <code>{tool}</code>}{' '}
        {fields.length === 0 ? null : (
          <button type="button" class="link" aria-pressed={asJson.value} onClick={() => (asJson.value = !asJson.value)}>
            JSON
          </button>
        )}
      </p>
      {asJson.value ? (
        <pre class="plain" tabIndex={0}>
          {withHiddenShown(JSON.stringify(values, null, 2))}
        </pre>
      ) : (
        <dl class="arguments">
          {fields.map(([name, value]) => (
            <div key={name}>
              <dt title={withHiddenShown(name)}>{argumentWords(tool, name)}</dt>
              <dd tabIndex={0}>
                <Value text={withHiddenShown(textOf(value, folds))} folds={folds} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  )
}

/** A list of texts a text a line, where it is only to be looked at. */
function textOf(value: unknown, isLoose: boolean): string {
  if (typeof value === 'string') return value
  const isList = Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string')
  return isLoose && isList ? value.join('\n') : JSON.stringify(value, null, 2)
}

const SHOWN = { lines: 6, chars: 400, head: 120 }

function Value({ text, folds }: { text: string; folds: boolean }) {
  const isLong = text.length > SHOWN.chars || text.split('\n').length > SHOWN.lines
  if (!folds || !isLong) return <>{text}</>
  return (
    <details class="long-value">
      <summary>{text.split('\n', 1)[0]?.slice(0, SHOWN.head)} …</summary>
      {text}
    </details>
  )
}
