import { useId, useRef } from 'preact/hooks'
import { describedOf, FieldFrame } from '../forms/frame.tsx'
import { stepsAt, textAt } from './definition.ts'
import { toldAt, useEditing, useOnceShown, warnedAt } from './editing.ts'
import { MoreFold } from './more-fold.tsx'
import { SchemaFields } from './schema-fields.tsx'
import { sightAt } from './sight.ts'
import { Speakable, useSpeaking } from './speakable.tsx'
import { workflowTexts } from './texts.ts'
import { AnyText } from './value-text.tsx'

/** What a workflow is called, what it is for, and what it is given. `fixedName`: null while it is new. */
export function HeadFields({ fixedName }: { fixedName: string | null }) {
  const isNew = fixedName === null
  const t = workflowTexts()
  const editing = useEditing()
  const { workflow, set, takeAway, renameField } = editing
  const fields = useRef<HTMLDivElement>(null)
  const onceShown = useOnceShown()
  const begin = () => {
    onceShown(() => fields.current?.querySelector('input')?.focus())
    set('', t.example)
  }
  const isEmpty = textAt(workflow.value, 'name') === '' && stepsAt(workflow.value['steps']).length === 0
  const inputs = { id: useId(), hint: t.inputsHint, problem: toldAt(editing, 'inputs') }
  return (
    <>
      {isNew && isEmpty ? (
        <p class="begin hint">
          {t.beginHint}{' '}
          <button type="button" class="link" onClick={begin}>
            {t.begin}
          </button>
        </p>
      ) : null}
      <div class="fields" ref={fields}>
        <TextField name="name" label={t.name} hint={isNew ? t.nameHint : t.nameFixed} fixed={fixedName} />
        <TextField name="description" label={t.description} hint={t.descriptionHint} isWide />
      </div>
      <fieldset class="group">
        <legend>{t.inputs}</legend>
        <p class="hint" id={`${inputs.id}-hint`}>
          {inputs.hint}
        </p>
        <div class={inputs.problem === undefined ? 'field' : 'field wrong'}>
          <SchemaFields
            id={inputs.id}
            label={t.inputs}
            schema={workflow.value['inputs']}
            describedBy={describedOf(inputs)}
            isWrong={inputs.problem !== undefined}
            onSet={(schema, gone) => (gone === undefined ? set('inputs', schema) : takeAway('inputs', schema, gone))}
            onRename={(schema, before, name) => renameField('inputs', schema, 'inputs', before, name)}
          />
          {inputs.problem === undefined ? null : (
            <p class="field-problem" id={`${inputs.id}-problem`} role="alert">
              {inputs.problem}
            </p>
          )}
        </div>
      </fieldset>
    </>
  )
}

interface TextProps {
  name: 'name' | 'description'
  label: string
  hint: string
  isWide?: boolean
  /** It stays so. */
  fixed?: string | null
}

function TextField({ name, label, hint, isWide, fixed = null }: TextProps) {
  const editing = useEditing()
  const isLocked = fixed !== null
  const told = { id: useId(), hint, problem: isLocked ? undefined : toldAt(editing, name) }
  return (
    <FieldFrame {...told} label={label} isNeeded={!isLocked} isWide={isWide}>
      <input
        id={told.id}
        aria-describedby={describedOf(told)}
        aria-invalid={told.problem === undefined ? undefined : 'true'}
        aria-required={isLocked ? undefined : 'true'}
        disabled={isLocked}
        dir="auto"
        autocomplete="off"
        value={fixed ?? textAt(editing.workflow.value, name)}
        onInput={(event) => editing.set(name, event.currentTarget.value)}
      />
    </FieldFrame>
  )
}

/** What a workflow gives, and who may call it. */
export function ResultFields() {
  const t = workflowTexts()
  const editing = useEditing()
  const { workflow, set } = editing
  const { room, onFocusIn, speak } = useSpeaking()
  const output = {
    id: useId(),
    hint: t.resultHint,
    problem: toldAt(editing, 'output'),
    warning: warnedAt(editing, 'output'),
  }
  const expose = { id: useId(), hint: t.exposeHint }
  return (
    <MoreFold title={t.resultMore} isWanted={(output.problem ?? output.warning) !== undefined}>
      <div class="fields speaking" ref={room} onFocusIn={onFocusIn}>
        <FieldFrame {...output} label={t.result} isWide>
          <AnyText
            id={output.id}
            aria-describedby={describedOf(output)}
            aria-invalid={output.problem === undefined ? undefined : 'true'}
            value={workflow.value['output']}
            onSet={(value) => set('output', value === '' ? undefined : value)}
          />
          <Speakable names={sightAt(workflow.value, '')} onSpeak={speak} />
        </FieldFrame>
        <div class="field wide">
          <label class="check">
            <input
              type="checkbox"
              checked={workflow.value['expose'] === true}
              aria-describedby={describedOf(expose)}
              onChange={({ currentTarget }) => set('expose', currentTarget.checked || undefined)}
            />
            {t.expose}
          </label>
          <p class="hint" id={`${expose.id}-hint`}>
            {expose.hint}
          </p>
        </div>
      </div>
    </MoreFold>
  )
}
