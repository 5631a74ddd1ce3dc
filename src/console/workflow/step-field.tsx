import type { JSX } from 'preact'
import { useId } from 'preact/hooks'
import { isObject, memberOf } from '../../lib/json.ts'
import { describedOf, FieldFrame } from '../forms/frame.tsx'
import { language } from '../language.ts'
import { writtenAt, joinedPath, textAt, stepsAt } from './definition.ts'
import { toldAt, useEditing, warnedAt } from './editing.ts'
import { NameList } from './name-list.tsx'
import { BranchFields, CaseFields } from './nested-fields.tsx'
import { PermissionRows } from './permission-rows.tsx'
import { SchemaFields } from './schema-fields.tsx'
import { NestedInputs } from './nested-inputs.tsx'
import { OrderField, TimeOrText, WaitChoice, WorkerChoice } from './step-choices.tsx'
import { isOwnTeam, freshRole } from './team.ts'
import { TeamFields } from './team-fields.tsx'
import { type StepField, writtenType } from './step-fields.ts'
import { WORKFLOW_EXAMPLES, workflowTexts } from './texts.ts'
import { DurationText, JsonText, NumberText } from './value-text.tsx'
import { ValueRows } from './value-rows.tsx'

interface Props {
  /** Of the step. */
  path: string
  step: unknown
  field: StepField
}

const WIDE: readonly StepField['kind'][] = [
  'template',
  'expression',
  'values',
  'schema',
  'steps',
  'cases',
  'branches',
  'tools',
  'lines',
  'json',
  'order',
  'permissions',
]
const GROUPS: readonly StepField['kind'][] = ['values', 'steps', 'cases', 'branches', 'order', 'schema', 'permissions']

/** One field of a step with its label. */
export function StepFieldRow({ path, step, field }: Props) {
  const t = workflowTexts()
  const editing = useEditing()
  const id = useId()
  const at = joinedPath(path, field.name)
  const named = <T,>(texts: Readonly<Record<string, T>>) =>
    texts[`${writtenType(step)}.${field.name}`] ?? texts[field.name]
  const label = named(t.fields) ?? field.name
  const problem = field.kind === 'steps' ? undefined : toldAt(editing, at)
  const told = { id, hint: named(t.hints), problem, warning: warnedAt(editing, at) }
  const isNeeded = field.isNeeded?.(step) ?? false
  return (
    <FieldFrame
      {...told}
      {...{ label, isNeeded }}
      isWide={WIDE.includes(field.kind) || (field.kind === 'team' && isOwnTeam(writtenAt(step, field.name)))}
      isGroup={GROUPS.includes(field.kind)}
    >
      <StepInput
        {...{ path, step, field, id, label, isNeeded }}
        describedBy={describedOf(told)}
        isWrong={told.problem !== undefined}
      />
    </FieldFrame>
  )
}

interface InputProps extends Props {
  id: string
  label: string
  isNeeded: boolean
  describedBy: string | undefined
  isWrong: boolean
}

function StepInput({ path, step, field, id, label, isNeeded, describedBy, isWrong }: InputProps) {
  const t = workflowTexts()
  const { known, set, takeAway, renameField, showSteps } = useEditing()
  const at = joinedPath(path, field.name)
  const value = writtenAt(step, field.name)
  const text = typeof value === 'string' ? value : ''
  const give = (next: unknown, gone?: string) => (gone === undefined ? set(at, next) : takeAway(at, next, gone))
  // What has to be there stays, though empty.
  const giveText = (next: string) => give(next === '' && !isNeeded ? undefined : next)
  const common = {
    id,
    'aria-describedby': describedBy,
    'aria-invalid': isWrong ? ('true' as const) : undefined,
    'aria-required': isNeeded ? ('true' as const) : undefined,
    placeholder: WORKFLOW_EXAMPLES[joinedPath(writtenType(step) ?? '', field.name)] ?? WORKFLOW_EXAMPLES[field.name],
  }
  const rows = { id, label, describedBy, isWrong, onSet: give }
  switch (field.kind) {
    case 'template':
      return (
        <textarea
          {...common}
          class="growing"
          rows={field.name === 'prompt' ? 3 : 2}
          dir="auto"
          data-speaks="template"
          value={text}
          onInput={(event) => giveText(event.currentTarget.value)}
        />
      )
    case 'word':
    case 'expression':
      return (
        <input
          {...common}
          class="mono"
          spellcheck={false}
          autocomplete="off"
          data-speaks={field.kind === 'word' ? 'template' : 'expression'}
          value={text}
          onInput={(event) => giveText(event.currentTarget.value)}
        />
      )
    case 'tool':
      return <ToolText {...common} value={text} onSet={giveText} />
    case 'skill':
    case 'model':
    case 'workflow':
      return (
        <Choice
          {...common}
          value={text}
          options={
            {
              skill: known.skills,
              model: known.models.map((one) => one.id),
              workflow: known.workflows.map(({ name }) => name),
            }[field.kind]
          }
          none={field.kind === 'model' ? t.defaultModel : t.choose}
          onSet={giveText}
        />
      )
    case 'team':
      return (
        <TeamChoice {...common} value={value} onSet={give} showFields={() => <TeamFields path={at} team={value} />} />
      )
    case 'choice':
      return (
        <select {...common} value={text || field.options[0]} onChange={(event) => give(event.currentTarget.value)}>
          {field.options.map((one) => (
            <option key={one} value={one}>
              {t.options[one] ?? one}
            </option>
          ))}
        </select>
      )
    case 'number':
      return <NumberText {...common} placeholder={field.placeholder} value={value} onSet={(next) => give(next)} />
    case 'duration':
      return (
        <DurationText
          {...common}
          value={value}
          units={t.units}
          unitLabel={t.unitOf(label)}
          onSet={(next) => give(next)}
        />
      )
    case 'json':
      return <JsonText {...common} value={value} onSet={(next) => give(next)} />
    case 'tools':
      return (
        <NameList
          {...common}
          placeholder={namesOf(value).length === 0 ? common.placeholder : undefined}
          values={namesOf(value)}
          options={known.tools.map((one) => one.id)}
          onSet={(names) => give(names.length === 0 ? undefined : names)}
        />
      )
    case 'lines':
      return (
        <NameList {...common} values={namesOf(value)} onSet={(names) => give(names.length === 0 ? undefined : names)} />
      )
    case 'schema':
      return (
        <SchemaFields
          {...rows}
          schema={value}
          onRename={(schema, before, name) =>
            renameField(at, schema, joinedPath('steps', textAt(step, 'id'), 'output'), before, name)
          }
        />
      )
    case 'values':
      return field.of === 'workflow' ? (
        <NestedInputs {...rows} value={value} schema={schemaFor(field.of, step, known)} />
      ) : (
        <ValueRows {...rows} value={value} schema={schemaFor(field.of, step, known)} />
      )
    case 'permissions':
      return <PermissionRows {...rows} value={value} />
    case 'worker':
      return <WorkerChoice {...common} path={path} step={step} />
    case 'wait':
      return <WaitChoice {...common} path={path} step={step} />
    case 'order':
      return <OrderField {...common} path={path} step={step} label={label} />
    case 'time':
      return <TimeOrText {...common} value={text} onSet={(next) => give(next)} />
    case 'steps':
      return showSteps({ path: at, steps: stepsAt(value), isOptional: !isNeeded, label })
    case 'cases':
      return <CaseFields path={at} cases={stepsAt(value)} />
    case 'branches':
      return <BranchFields path={at} branches={stepsAt(value)} />
  }
}

const namesOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

/** What a tool or a workflow asks for; undefined: not known. */
function schemaFor(of: 'tool' | 'workflow' | null, step: unknown, known: ReturnType<typeof useEditing>['known']) {
  if (of === 'tool') {
    const name = textAt(step, 'tool')
    const tool = known.tools.find((one) => one.id === name || Object.values(one.names).includes(name))
    return tool?.input_schema
  }
  return of === 'workflow' ? known.workflows.find(({ name }) => name === memberOf(step, 'workflow'))?.inputs : undefined
}

interface ChoiceProps {
  id: string
  value: string
  options: readonly string[]
  /** What is said where nothing is chosen. */
  none: string
  onSet: (value: string) => void
}

/** One of what there is; what was chosen stays, though it is there no more. */
function Choice({ value, options, none, onSet, ...field }: ChoiceProps) {
  return (
    <select {...field} value={value} onChange={(event) => onSet(event.currentTarget.value)}>
      {[...new Set(['', ...options, value])].map((one) => (
        <option key={one} value={one}>
          {one === '' ? none : one}
        </option>
      ))}
    </select>
  )
}

const OWN = '\n'

interface TeamChoiceProps {
  id: string
  value: unknown
  onSet: (value: unknown, gone?: string) => void
  /** Of a team that is written out. */
  showFields: () => JSX.Element
}

/** A team that the server has, or one that is written out here. */
function TeamChoice({ value, onSet, showFields, ...field }: TeamChoiceProps) {
  const t = workflowTexts()
  const { known } = useEditing()
  const isOwn = isOwnTeam(value)
  const name = typeof value === 'string' ? value : textAt(value, 'name')
  const choose = (chosen: string) => {
    if (isOwn && chosen === OWN) return
    if (chosen === OWN) onSet({ roles: [freshRole(t.team, {})] })
    else if (isOwn) onSet(chosen, t.ownTeam)
    else onSet(isObject(value) ? { ...value, name: chosen } : chosen)
  }
  return (
    <>
      <select {...field} value={isOwn ? OWN : name} onChange={(event) => choose(event.currentTarget.value)}>
        {[...new Set(['', ...known.teams, isOwn ? '' : name])].map((one) => (
          <option key={one} value={one}>
            {one === '' ? t.choose : one}
          </option>
        ))}
        <option value={OWN}>{t.ownTeam}</option>
      </select>
      {isOwn ? showFields() : null}
    </>
  )
}

/** A tool of those that there are, or one that is yet to come. */
function ToolText({ value, onSet, ...field }: { id: string; value: string; onSet: (value: string) => void }) {
  const { known } = useEditing()
  const list = useId()
  const says = ({ description }: (typeof known.tools)[number]) =>
    typeof description === 'string' ? description : (description[language.value] ?? '')
  return (
    <>
      <input
        {...field}
        class="mono"
        list={list}
        spellcheck={false}
        autocomplete="off"
        value={value}
        onInput={(event) => onSet(event.currentTarget.value)}
      />
      <datalist id={list}>
        {known.tools.map((one) => (
          <option key={one.id} value={one.id} label={says(one).split(/[.。\n]/, 1)[0]} />
        ))}
      </datalist>
    </>
  )
}
