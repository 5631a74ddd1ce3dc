import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { ApiProblem } from '../../client/client.ts'
import type { NewWorkflow } from '../../domain/workflow.ts'
import { jsonObject } from '../../lib/json.ts'
import { client } from '../api.ts'
import { goToWrong } from '../forms/form.tsx'
import { beyondText, refusalText, unsavedText } from '../forms/refusal.ts'
import { formTexts } from '../forms/texts.ts'
import { clausesText, labelledText, numberText, texts } from '../language.ts'
import { useDraft } from '../ui/growing-text.tsx'
import { Later, useLoaded } from '../ui/loaded.tsx'
import { useOffers } from '../ui/offers.ts'
import { ProblemLine } from '../ui/problem.tsx'
import {
  broughtBack,
  renamed,
  speaking,
  stepKey,
  stepsAt,
  withValue,
  writtenAt,
  type WrittenWorkflow,
} from './definition.ts'
import { type Editing, EditingRoom, NOTHING_KNOWN } from './editing.ts'
import { type Faults, faultsOf } from './faults.ts'
import { MoreFold } from './more-fold.tsx'
import { StepsPicture } from './steps-picture.tsx'
import {
  type Measured,
  NONE_REFUSED,
  unsavableOf,
  type WorkflowRefusal,
  withoutTold,
  workflowRefusal,
} from './refusals.ts'
import { StepList } from './step-list.tsx'
import { type TakenAway, TakenAwayToast } from './taken-away.tsx'
import { workflowTexts } from './texts.ts'
import { HeadFields, ResultFields } from './workflow-fields.tsx'

interface Props {
  /** The workflow that is changed; null: a new one. */
  name: string | null
  value: WrittenWorkflow
  /** It comes with the server, and is copied when it is saved. */
  isBuiltIn?: boolean
  /** Throws where it is not to be saved now. */
  beforeSave?: () => Promise<void>
  onSaved: () => Promise<void>
  onCancel: () => void
}

/** A workflow by its fields, and all of it as YAML. What is wrong stands at its field, of whatever step; the first such field is gone to. */
export function WorkflowForm({ name, value, isBuiltIn = false, beforeSave, onSaved, onCancel }: Props) {
  const t = workflowTexts()
  const room = useRef<HTMLFormElement>(null)
  const saved = JSON.stringify(value)
  const draft = useDraft(`setup.workflows.${name ?? 'new'}`, saved)
  const written = useDraft(`setup.workflows.${name === null ? '' : `${name}.`}yaml`)
  const workflow = useSignal<WrittenWorkflow>(jsonObject(draft.text.peek()) ?? value)
  const isRestored = useSignal(draft.text.peek() !== saved || written.text.peek() !== '')
  const refusal = useSignal<WorkflowRefusal>(NONE_REFUSED)
  const ofText = useSignal<string | null>(null)
  const isReadable = useSignal(true)
  const isBusy = useSignal(false)
  const taken = useSignal<TakenAway | null>(null)
  const editing = useEditingOf(workflow, refusal, written.text, taken)
  // What is half written is not wrong yet.
  const { hold, act: look } = useAfterPress(() => (editing.faults.value = faultsOf(workflow.value)))
  useEffect(() => workflow.subscribe((now) => (draft.text.value = JSON.stringify(now))), [])
  // Its script may have come after the page had looked for a field to go on in.
  useLayoutEffect(() => {
    if (name === null) room.current?.querySelector('input')?.focus()
  }, [])
  const leave = () => {
    draft.sent(draft.text.value)
    written.sent(written.text.value)
  }
  const isChanged = () => JSON.stringify(workflow.value) !== saved || written.text.value !== ''
  const cancel = () => {
    if (isChanged() && !confirm(t.discardAsk)) return
    leave()
    onCancel()
  }
  const startAnew = () => {
    written.text.value = ''
    refusal.value = NONE_REFUSED
    workflow.value = value
    isRestored.value = false
    look()
  }
  const send = async () => {
    if (isBusy.value) return
    const text = written.text.value
    ofText.value = null
    if (text !== '' && name !== null && ![undefined, name].includes(workflow.value['name'] as string)) {
      ofText.value = t.nameStays(name)
      return
    }
    refusal.value = text === '' ? unsavable(workflow.value) : NONE_REFUSED
    // What is no JSON yet is in no value.
    const isWrong = Object.keys(refusal.value.fields).length > 0 || room.current?.querySelector('.broken') != null
    if (!isWrong) {
      isBusy.value = true
      try {
        await beforeSave?.()
        await save(name, text === '' ? workflow.value : text)
        leave()
        return await onSaved()
      } catch (error) {
        refusal.value =
          error instanceof ApiProblem && error.errors.length > 0
            ? workflowRefusal(error, workflow.value, SAID)
            : { fields: {}, rest: [unsavedText(error)] }
        if (text !== '') ofText.value = linesOf(error)
      } finally {
        isBusy.value = false
      }
    }
    if (ofText.value === null) requestAnimationFrame(() => goToWrong(room.current))
  }
  const { fields, rest } = refusal.value
  const isMarked = Object.keys(fields).length > 0
  return (
    <EditingRoom.Provider value={editing}>
      <form
        ref={room}
        class="form card field-form workflow-form"
        aria-label={name === null ? t.newTitle : t.editTitle(name)}
        noValidate
        onPointerDown={hold}
        onChange={look}
        onFocusOut={look}
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        {isBuiltIn ? <p class="notice form-notice">{t.copied}</p> : null}
        {isRestored.value ? (
          <p class="notice form-notice" role="status">
            {t.restored}{' '}
            <button type="button" onClick={startAnew}>
              {name === null ? t.startEmpty : t.startSaved}
            </button>
          </p>
        ) : null}
        <div hidden={!isReadable.value}>
          <HeadFields fixedName={name} />
          <fieldset class="group">
            <legend>{t.steps}</legend>
            <p class="hint">{t.stepsHint}</p>
            <StepList path="steps" steps={stepsAt(workflow.value['steps'])} label={t.steps} />
          </fieldset>
          <StepsPicture workflow={workflow.value} />
          <ResultFields />
        </div>
        <MoreFold title={t.everything} isBegun={written.text.value !== ''}>
          <Later
            load={async () => (await import('./whole-text.tsx')).WholeText}
            props={{ name, workflow, written: written.text, isReadable, problem: ofText.value }}
          />
        </MoreFold>
        <ProblemLine
          text={ofText.value !== null ? null : rest.length > 0 ? rest.join('\n') : isMarked ? formTexts().check : null}
        />
        <div class="acts">
          <button type="submit" class="primary" disabled={isBusy.value}>
            {isBuiltIn ? t.saveCopy : texts().save}
          </button>
          <button type="button" disabled={isBusy.value} onClick={cancel}>
            {texts().cancel}
          </button>
        </div>
        <TakenAwayToast taken={taken} />
      </form>
    </EditingRoom.Provider>
  )
}

const DAY_MS = 86_400_000
const SAID = { inWords: (message: string) => refusalText(message), labelled: labelledText, joined: clausesText }

/** A duration is told in days, which its most is a number of; one below its least is negative or nothing. */
function beyond(value: number, field: Measured): string | null {
  if (field.kind === 'number') return beyondText(value, field)
  const inDays = (ms: number) => (ms < DAY_MS ? String(ms) : `${numberText(ms / DAY_MS)} ${workflowTexts().units.days}`)
  return beyondText(value, field, inDays)
}

/** What cannot be saved, with what would not work beside it: all at once. */
function unsavable(workflow: WrittenWorkflow): WorkflowRefusal {
  const { badName, badStepName, nameTaken, faults } = workflowTexts()
  const { needed, noNumber, noWhole } = formTexts()
  const found = unsavableOf(workflow, { needed, badName, badStepName, nameTaken, noNumber, noWhole, beyond })
  if (Object.keys(found.fields).length === 0) return found
  const others = Object.entries(faultsOf(workflow)).map(([path, { kind, of }]) => [path, faults[kind](of)])
  return { fields: { ...Object.fromEntries(others), ...found.fields }, rest: [] }
}

/** What the server says of a text, a line each. */
function linesOf(error: unknown): string {
  if (!(error instanceof ApiProblem) || error.errors.length === 0) return unsavedText(error)
  return error.errors.map(({ path, message }) => (path === '' ? message : labelledText(path, message))).join('\n')
}

/** As YAML where it was typed so: then the server tells the lines of what is wrong. */
async function save(name: string | null, workflow: WrittenWorkflow | string): Promise<void> {
  const { workflows } = client.peek()
  // The server checks it.
  const body = workflow as unknown as NewWorkflow | string
  await (name === null ? workflows.create(body) : workflows.put(name, body))
}

/** Acts at once, or after the press that is held: a line that appeared under it would move what is pressed away. */
function useAfterPress(act: () => void): { hold: () => void; act: () => void } {
  const press = useRef<'none' | 'held' | 'due'>('none')
  const newest = useRef(act)
  newest.current = act
  useEffect(() => {
    // Behind what the press does.
    const release = () =>
      setTimeout(() => {
        const isDue = press.current === 'due'
        press.current = 'none'
        if (isDue) newest.current()
      })
    addEventListener('pointerup', release)
    addEventListener('pointercancel', release)
    return () => {
      removeEventListener('pointerup', release)
      removeEventListener('pointercancel', release)
    }
  }, [])
  return {
    hold: () => void (press.current = 'held'),
    act: () => (press.current === 'none' ? act() : void (press.current = 'due')),
  }
}

/** `written`: the workflow as text, which what is changed by fields replaces. */
function useEditingOf(
  workflow: Signal<WrittenWorkflow>,
  refusal: Signal<WorkflowRefusal>,
  written: Signal<string>,
  taken: Signal<TakenAway | null>,
): Editing {
  const offers = useOffers()
  const tools = useLoaded(async () => (await client.value.tools()).data)
  const added = useRef(0)
  const faults = useSignal<Faults>({})
  useEffect(() => void (faults.value = faultsOf(workflow.value)), [])
  const change = (path: string, next: WrittenWorkflow) => {
    // Where another list has changed, what was taken away has no place to go back to.
    if (Array.isArray(writtenAt(next, path))) taken.value = null
    workflow.value = next
    refusal.value = withoutTold(refusal.value, path)
    written.value = ''
  }
  const set = (path: string, value: unknown) => change(path, withValue(workflow.value, path, value))
  return {
    workflow,
    refusal,
    faults,
    known: { ...NOTHING_KNOWN, ...offers, tools: tools.value.value ?? [] },
    added,
    set,
    takeAway: (path, value, name) => {
      const before = writtenAt(workflow.value, path)
      set(path, value)
      const undo = () => {
        const next = broughtBack(before, value, writtenAt(workflow.value, path))
        if (Array.isArray(next)) added.current = stepKey(next.find((one) => !stepsAt(value).includes(one)))
        set(path, next)
      }
      taken.value = { name, undo }
    },
    rename: (path, id) => change(path, renamed(workflow.value, path, id)),
    renameField: (path, schema, of, before, name) =>
      change(path, withValue(speaking(workflow.value, of, before, name), path, schema)),
    showSteps: (props) => <StepList {...props} />,
  }
}
