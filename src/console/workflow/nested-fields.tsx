import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { isObject, memberOf } from '../../lib/json.ts'
import { Icon } from '../ui/marks.tsx'
import { labelledText } from '../language.ts'
import { joinedPath, stepsAt } from './definition.ts'
import { toldAt, useEditing } from './editing.ts'
import { NameList } from './name-list.tsx'
import { WORKFLOW_EXAMPLES, workflowTexts } from './texts.ts'
import { AnyText } from './value-text.tsx'

/** Lists of steps that are done side by side. */
export function BranchFields({ path, branches }: { path: string; branches: readonly unknown[] }) {
  const t = workflowTexts()
  const { set, takeAway, showSteps } = useEditing()
  return (
    <div class="nested">
      {branches.map((branch, index) => (
        <section key={index} aria-label={t.branch(index + 1)}>
          <header>
            <strong class="small-head">{t.branch(index + 1)}</strong>
            {branches.length > 2 ? (
              <RemoveButton
                name={t.branch(index + 1)}
                onClick={() =>
                  takeAway(
                    path,
                    branches.filter((_, at) => at !== index),
                    t.branch(index + 1),
                  )
                }
              />
            ) : null}
          </header>
          {showSteps({ path: joinedPath(path, index), steps: stepsAt(branch), label: t.branch(index + 1) })}
        </section>
      ))}
      <button type="button" class="quiet add" onClick={() => set(path, [...branches, []])}>
        <Icon name="plus" /> {t.addBranch}
      </button>
    </div>
  )
}

/** Cases of a choice, each with what fits it and its steps. */
export function CaseFields({ path, cases }: { path: string; cases: readonly unknown[] }) {
  const t = workflowTexts()
  const { set, takeAway, showSteps } = useEditing()
  return (
    <div class="nested">
      {cases.map((one, index) => (
        <section key={index} aria-label={t.case(index + 1)}>
          <header>
            <strong class="small-head">{t.case(index + 1)}</strong>
            {cases.length > 1 ? (
              <RemoveButton
                name={t.case(index + 1)}
                onClick={() =>
                  takeAway(
                    path,
                    cases.filter((_, at) => at !== index),
                    t.case(index + 1),
                  )
                }
              />
            ) : null}
          </header>
          <CaseMatch path={joinedPath(path, index)} one={one} number={index + 1} />
          {showSteps({
            path: joinedPath(path, index, 'steps'),
            steps: stepsAt(memberOf(one, 'steps')),
            label: t.case(index + 1),
          })}
        </section>
      ))}
      <button type="button" class="quiet add" onClick={() => set(path, [...cases, { matches: '', steps: [] }])}>
        <Icon name="plus" /> {t.addCase}
      </button>
    </div>
  )
}

/** By what the value fits a case: by a pattern, one of some, or by what it equals. */
function CaseMatch({ path, one, number }: { path: string; one: unknown; number: number }) {
  const t = workflowTexts()
  const editing = useEditing()
  const id = useId()
  const matches = memberOf(one, 'matches')
  const isEqual = useSignal(matches === undefined && memberOf(one, 'equals') !== undefined)
  const problem = toldAt(editing, path)
  const give = (by: 'matches' | 'equals', value: unknown) => {
    const { matches: _matches, equals: _equals, ...rest } = isObject(one) ? one : {}
    editing.set(path, { [by]: value, ...rest })
  }
  const field = {
    'aria-label': labelledText(t.case(number), isEqual.value ? t.equals : t.matches),
    'aria-invalid': problem === undefined ? undefined : ('true' as const),
    'aria-describedby': problem === undefined ? undefined : `${id}-problem`,
  }
  return (
    <div class={problem === undefined ? 'case-match' : 'case-match wrong'}>
      <select
        aria-label={labelledText(t.case(number), t.fitsBy)}
        value={isEqual.value ? 'equals' : 'matches'}
        onChange={({ currentTarget: { value } }) => {
          isEqual.value = value === 'equals'
          give(isEqual.value ? 'equals' : 'matches', '')
        }}
      >
        <option value="matches">{t.matches}</option>
        <option value="equals">{t.equals}</option>
      </select>
      {isEqual.value ? (
        <AnyText {...field} value={memberOf(one, 'equals')} onSet={(value) => give('equals', value)} />
      ) : Array.isArray(matches) ? (
        <NameList {...field} values={matches.map(String)} onSet={(values) => give('matches', values)} />
      ) : (
        <input
          {...field}
          class="mono"
          placeholder={WORKFLOW_EXAMPLES['matches']}
          value={typeof matches === 'string' ? matches : ''}
          onInput={(event) => give('matches', event.currentTarget.value)}
        />
      )}
      {problem === undefined ? null : (
        <p class="field-problem" id={`${id}-problem`} role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}

function RemoveButton({ name, onClick }: { name: string; onClick: () => void }) {
  const t = workflowTexts()
  return (
    <button type="button" class="quiet" title={t.takeAway(name)} aria-label={t.takeAway(name)} onClick={onClick}>
      <Icon name="cross" />
    </button>
  )
}
