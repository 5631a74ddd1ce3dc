import { useId } from 'preact/hooks'
import { isObject } from '../../lib/json.ts'
import { describedOf, FieldTold, placeOfField } from '../forms/frame.tsx'
import { fieldText, valueText } from './facts.tsx'

const LANGUAGES = ['', 'en', 'zh-CN']

interface Props {
  /** Of the sessions that an entry makes. */
  config: unknown
  problem: string | undefined
  onSet: (config: Record<string, unknown>) => void
}

/** The language that runs are told to speak; what else is configured stays. */
export function LanguageRow({ config, problem, onSet }: Props) {
  const id = useId()
  const { language = '', ...others } = isObject(config) ? config : {}
  const value = typeof language === 'string' ? language : ''
  return (
    <div class={placeOfField(false, problem)}>
      <label>
        {fieldText('language')}
        <select
          id={id}
          aria-describedby={describedOf({ id, problem })}
          aria-invalid={problem === undefined ? undefined : 'true'}
          value={value}
          onChange={({ currentTarget: { value: chosen } }) =>
            onSet(chosen === '' ? others : { ...others, language: chosen })
          }
        >
          {[...new Set([...LANGUAGES, value])].map((one) => (
            <option key={one} value={one}>
              {valueText('language', one)}
            </option>
          ))}
        </select>
      </label>
      <FieldTold id={id} problem={problem} />
    </div>
  )
}
