import { viewTexts, texts } from '../language.ts'
import { GrowingText, useDraft } from '../ui/growing-text.tsx'
import { ProblemLine } from '../ui/problem.tsx'

const BEGUN = `name: greet
description: Greets somebody, and asks before it goes on
inputs:
  type: object
  properties:
    who: { type: string, title: Who }
  required: [who]
steps:
  - id: words
    type: agent
    prompt: Greet {{ inputs.who }} in one sentence.
  - id: agree
    type: wait
    approval: Send "{{ steps.words.output }}"?
`

interface Props {
  isBusy: boolean
  /** Why it was not taken: with the line and the step. */
  problem: string | null
  /** Resolves to whether it was taken. */
  onSave: (text: string) => Promise<boolean>
  onCancel: () => void
}

/** A new workflow as YAML, begun with one that works. */
export function YamlForm({ isBusy, problem, onSave, onCancel }: Props) {
  const t = viewTexts().setup
  const { text, sent } = useDraft('setup.workflows.yaml', BEGUN)
  const leave = () => {
    sent(text.value)
    onCancel()
  }
  const save = async () => {
    if (await onSave(text.value)) sent(text.value)
  }
  return (
    <form
      class="form card"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <p class="hint">{t.yamlHint}</p>
      <GrowingText value={text} label={t.yaml} rows={12} mono />
      <ProblemLine text={problem} />
      <div class="acts">
        <button type="submit" class="primary" disabled={isBusy || text.value.trim() === ''}>
          {texts().save}
        </button>
        <button type="button" disabled={isBusy} onClick={leave}>
          {texts().cancel}
        </button>
      </div>
    </form>
  )
}
