import { useSignal } from '@preact/signals'
import { withHiddenShown } from '../../lib/hidden-characters.ts'
import { argumentWords } from '../timeline/step-words.ts'

interface Props {
  title: string
  tool: string
  values: Readonly<Record<string, unknown>>
}

/** What a call is given, to the letter: a field a line by words for its name, or all of it as JSON, by the names themselves. */
export function GivenArguments({ title, tool, values }: Props) {
  const asJson = useSignal(false)
  const fields = Object.entries(values)
  return (
    <>
      <p class="small-head given-head">
        {title} <code>{tool}</code>{' '}
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
                {withHiddenShown(typeof value === 'string' ? value : JSON.stringify(value, null, 2))}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  )
}
