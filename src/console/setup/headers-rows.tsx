import { useSignal } from '@preact/signals'
import { useId, useRef } from 'preact/hooks'
import { SECRET_MASK } from '../../lib/text.ts'
import { type Pair, pairsOf } from '../forms/field.ts'
import { describedOf, FieldFrame, FieldTold, placeOfField } from '../forms/frame.tsx'
import { PairsInput, SecretInput } from '../forms/inputs.tsx'
import { formTexts } from '../forms/texts.ts'
import { viewTexts } from '../language.ts'
import { AUTHORIZATION, type Headers, headersOf, tokenIn, withToken } from '../setup-parts/headers.ts'
import { fieldText } from './facts.tsx'

interface Props {
  entry: Record<string, unknown>
  /** What is wrong, by the field. */
  problems: Readonly<Record<string, string>>
  onChange: (changes: Record<string, unknown>) => void
}

/** By what a server knows who calls: a token, and other headers. What is stored is not shown, and stays unless another is typed. */
export function HeadersRows({ entry, problems, onChange }: Props) {
  const all = headersOf(entry['headers'])
  const began = useRef({ token: tokenIn(all), origin: originOf(entry['url']) }).current
  const isStored = Object.values(all).includes(SECRET_MASK)
  // The server sends what is stored to no other place.
  const isMoved = isStored && began.origin !== originOf(entry['url'])
  const set = (headers: Headers) => onChange({ headers })
  return (
    <>
      <TokenRow
        token={tokenIn(all)}
        wasStored={began.token === SECRET_MASK}
        isMoved={isMoved}
        problem={problems[`headers.${AUTHORIZATION}`]}
        onSet={(token) => set(withToken(all, token))}
      />
      <OtherHeaders all={all} problem={problems['headers']} onSet={set} />
    </>
  )
}

const originOf = (url: unknown): string | undefined => URL.parse(typeof url === 'string' ? url : '')?.origin

interface TokenProps {
  token: string
  wasStored: boolean
  isMoved: boolean
  problem: string | undefined
  onSet: (token: string) => void
}

function TokenRow({ token, wasStored, isMoved, problem, onSet }: TokenProps) {
  const t = viewTexts().setup
  const id = useId()
  const isKept = token === SECRET_MASK
  const told = { id, hint: isMoved ? t.tokenMoved : t.tokenHint, problem }
  return (
    <div class={placeOfField(true, problem)}>
      <label for={id}>{fieldText('token')}</label>
      <SecretInput
        id={id}
        disabled={false}
        value={isKept ? '' : token}
        placeholder={isKept ? formTexts().kept : undefined}
        aria-describedby={describedOf(told)}
        aria-invalid={problem === undefined ? undefined : 'true'}
        onInput={({ currentTarget: { value } }) => onSet(value === '' && wasStored ? SECRET_MASK : value)}
      >
        {isKept ? (
          <button type="button" class="quiet" onClick={() => onSet('')}>
            {t.tokenForget}
          </button>
        ) : null}
      </SecretInput>
      <FieldTold {...told} />
    </div>
  )
}

interface OtherProps {
  all: Headers
  problem: string | undefined
  onSet: (headers: Headers) => void
}

/** A row for each header beside the token. One without a name is no header yet, and stands here alone. */
function OtherHeaders({ all, problem, onSet }: OtherProps) {
  const id = useId()
  const typed = useSignal<readonly Pair[]>([])
  const token = tokenIn(all)
  const others = withToken(all, '')
  const isStill = JSON.stringify(headersOf(typed.value)) === JSON.stringify(others)
  const pairs = isStill ? typed.value : pairsOf(Object.entries(others).map(([name, value]) => ({ name, value })))
  const label = fieldText('headers')
  return (
    <FieldFrame id={id} label={label} problem={problem} isWide isGroup>
      <PairsInput
        typed={pairs}
        label={label}
        isLocked={false}
        onType={(next) => {
          typed.value = next
          onSet(withToken(headersOf(next), token))
        }}
      />
    </FieldFrame>
  )
}
