import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { EVERYBODY, REQUIREMENT } from '../../domain/role.ts'
import { describedOf, FieldFrame } from '../forms/frame.tsx'
import { Icon } from '../ui/marks.tsx'
import { joinedPath, stepsAt, textAt, writtenAt } from './definition.ts'
import { toldAt, useEditing, useOnceShown } from './editing.ts'
import { NameList } from './name-list.tsx'
import { actionNames, newAction, freshRole, REACT_MODES, renamedIn, roleNames } from './team.ts'
import { workflowTexts } from './texts.ts'
import { NameText, NumberText, type TypedIn } from './value-text.tsx'

interface TeamProps {
  /** Of the team. */
  path: string
  team: unknown
}

/** A team that is written out in a step: its roles with their actions, and how many rounds it has. */
export function TeamFields({ path, team }: TeamProps) {
  const { team: t } = workflowTexts()
  const { set, takeAway } = useEditing()
  const room = useRef<HTMLDivElement>(null)
  const onceShown = useOnceShown()
  const list = joinedPath(path, 'roles')
  const roles = stepsAt(writtenAt(team, 'roles'))
  const add = () => {
    set(list, [...roles, freshRole(t, team)])
    onceShown(() => {
      const name = room.current?.querySelector<HTMLInputElement>(':scope > section:last-of-type input')
      name?.focus()
      name?.select()
    })
  }
  return (
    <div class="nested team" ref={room}>
      {roles.map((role, index) => (
        <Part
          key={index}
          title={t.role(index + 1)}
          onRemove={
            roles.length < 2
              ? undefined
              : () => takeAway(list, without(roles, index), textAt(role, 'name') || t.role(index + 1))
          }
        >
          <RoleFields path={path} team={team} index={index} role={role} />
        </Part>
      ))}
      <button type="button" class="quiet add" onClick={add}>
        <Icon name="plus" /> {t.addRole}
      </button>
      <Row at={joinedPath(path, 'n_round')} label={t.rounds} hint={t.roundsHint}>
        {(field) => (
          <NumberText
            {...field}
            placeholder="5"
            value={writtenAt(team, 'n_round')}
            onSet={(rounds) => set(joinedPath(path, 'n_round'), rounds)}
          />
        )}
      </Row>
    </div>
  )
}

const without = (list: readonly unknown[], index: number) => list.filter((_, at) => at !== index)

interface PartProps {
  title: string
  onRemove: (() => void) | undefined
  children: ComponentChildren
}

/** A role or an action with its number, and the way to take it away. */
function Part({ title, onRemove, children }: PartProps) {
  const t = workflowTexts()
  return (
    <section role="group" aria-label={title}>
      <header>
        <strong class="small-head">{title}</strong>
        {onRemove ? (
          <button
            type="button"
            class="quiet"
            title={t.takeAway(title)}
            aria-label={t.takeAway(title)}
            onClick={onRemove}
          >
            <Icon name="cross" />
          </button>
        ) : null}
      </header>
      {children}
    </section>
  )
}

interface RowProps {
  at: string
  label: string
  hint?: string
  isNeeded?: boolean
  isWide?: boolean
  isGroup?: boolean
  children: (field: TypedIn & { id: string }) => ComponentChildren
}

/** A field of a team with its label, and what is wrong with it. */
function Row({ at, label, hint, isNeeded = false, isWide = false, isGroup = false, children }: RowProps) {
  const told = { id: useId(), hint, problem: toldAt(useEditing(), at) }
  return (
    <FieldFrame {...told} {...{ label, isNeeded, isWide, isGroup }}>
      {children({
        id: told.id,
        'aria-describedby': describedOf(told),
        'aria-invalid': told.problem === undefined ? undefined : 'true',
        'aria-required': isNeeded ? 'true' : undefined,
      })}
    </FieldFrame>
  )
}

function RoleFields({ path, team, index, role }: TeamProps & { index: number; role: unknown }) {
  const { team: t, nameTaken, nameNeeded, ...words } = workflowTexts()
  const { known, set, takeAway } = useEditing()
  const own = joinedPath(path, 'roles', index)
  const at = (name: string) => joinedPath(own, name)
  const names = roleNames(team)
  const actions = stepsAt(writtenAt(role, 'actions'))
  const isHuman = writtenAt(role, 'human') === true
  const model = textAt(role, 'model')
  const give = (name: string, value: string) => set(at(name), value === '' ? undefined : value)
  return (
    <div class="fields">
      <Row at={at('name')} label={t.name} isNeeded>
        {(field) => (
          <NameText
            {...field}
            value={names[index] ?? ''}
            refused={(name) => (name === '' ? nameNeeded : names.includes(name) ? nameTaken(name) : undefined)}
            onSet={(name) => set(path, renamedIn(team, 'role', names[index] ?? '', name))}
          />
        )}
      </Row>
      <Row at={at('profile')} label={t.profile} isNeeded>
        {(field) => (
          <input
            {...field}
            dir="auto"
            placeholder={t.profileExample}
            value={textAt(role, 'profile')}
            onInput={({ currentTarget }) => set(at('profile'), currentTarget.value)}
          />
        )}
      </Row>
      <Row at={at('goal')} label={t.goal} isWide>
        {(field) => (
          <textarea
            {...field}
            class="growing"
            rows={1}
            dir="auto"
            value={textAt(role, 'goal')}
            onInput={({ currentTarget }) => give('goal', currentTarget.value)}
          />
        )}
      </Row>
      <Row at={at('watch')} label={t.watch} hint={t.watchHint} isNeeded isWide isGroup>
        {(field) => (
          <Watched {...field} at={at('watch')} team={team} watched={writtenAt(role, 'watch')} actions={actions} />
        )}
      </Row>
      <div class="field wide nested">
        {actions.map((action, number) => (
          <Part
            key={number}
            title={t.action(number + 1)}
            onRemove={
              actions.length < 2
                ? undefined
                : () =>
                    takeAway(at('actions'), without(actions, number), textAt(action, 'name') || t.action(number + 1))
            }
          >
            <ActionFields
              path={path}
              team={team}
              at={joinedPath(own, 'actions', number)}
              action={action}
              isHuman={isHuman}
            />
          </Part>
        ))}
        <button type="button" class="quiet add" onClick={() => set(at('actions'), [...actions, newAction(t, team)])}>
          <Icon name="plus" /> {t.addAction}
          <span class="unseen">: {names[index]}</span>
        </button>
        <label class="check">
          <input
            type="checkbox"
            checked={isHuman}
            onChange={({ currentTarget }) => set(at('human'), currentTarget.checked || undefined)}
          />
          {t.human}
          <span class="unseen">: {names[index]}</span>
        </label>
      </div>
      {isHuman || actions.length < 2 ? null : (
        <Row at={at('react_mode')} label={t.order}>
          {(field) => (
            <select
              {...field}
              value={textAt(role, 'react_mode') || REACT_MODES[0]}
              onChange={({ currentTarget }) => set(at('react_mode'), currentTarget.value)}
            >
              {REACT_MODES.map((one) => (
                <option key={one} value={one}>
                  {t.orders[one]}
                </option>
              ))}
            </select>
          )}
        </Row>
      )}
      {isHuman ? null : (
        <Row at={at('model')} label={words.fields['model'] ?? ''}>
          {(field) => (
            <select {...field} value={model} onChange={({ currentTarget }) => give('model', currentTarget.value)}>
              {[...new Set(['', ...known.models.map(({ id }) => id), model])].map((one) => (
                <option key={one} value={one}>
                  {one === '' ? words.defaultModel : one}
                </option>
              ))}
            </select>
          )}
        </Row>
      )}
    </div>
  )
}

interface ActionProps extends TeamProps {
  at: string
  action: unknown
  isHuman: boolean
}

function ActionFields({ path, team, at, action, isHuman }: ActionProps) {
  const { team: t, nameTaken, nameNeeded, fields } = workflowTexts()
  const { known, set } = useEditing()
  const before = textAt(action, 'name')
  const names = actionNames(team)
  const tools = writtenAt(action, 'tools')
  const given = Array.isArray(tools) ? tools.map(String) : []
  return (
    <div class="fields">
      <Row at={joinedPath(at, 'name')} label={t.name} isNeeded>
        {(field) => (
          <NameText
            {...field}
            value={before}
            refused={(name) => (name === '' ? nameNeeded : names.includes(name) ? nameTaken(name) : undefined)}
            onSet={(name) => set(path, renamedIn(team, 'action', before, name))}
          />
        )}
      </Row>
      <Row at={joinedPath(at, 'instruction')} label={t.instruction} isNeeded isWide>
        {(field) => (
          <textarea
            {...field}
            class="growing"
            rows={2}
            dir="auto"
            value={textAt(action, 'instruction')}
            onInput={({ currentTarget }) => set(joinedPath(at, 'instruction'), currentTarget.value)}
          />
        )}
      </Row>
      {isHuman ? null : (
        <Row at={joinedPath(at, 'tools')} label={fields['tools'] ?? ''} hint={t.toolsHint} isWide>
          {(field) => (
            <NameList
              {...field}
              values={given}
              options={known.tools.map(({ id }) => id)}
              onSet={(next) => set(joinedPath(at, 'tools'), next.length === 0 ? undefined : next)}
            />
          )}
        </Row>
      )}
    </div>
  )
}

interface WatchedProps extends TypedIn {
  at: string
  team: unknown
  watched: unknown
  /** Of the role itself, which does not hear them. */
  actions: readonly unknown[]
}

/** What a role hears, which has it act: the task, what others' actions say, or all of it. */
function Watched({ id, at, team, watched, actions, ...field }: WatchedProps & { id: string }) {
  const { team: t } = workflowTexts()
  const { set } = useEditing()
  const given = Array.isArray(watched) ? watched.map(String) : watched === EVERYBODY ? [EVERYBODY] : []
  const own = actions.map((action) => textAt(action, 'name'))
  const others = actionNames(team).filter((name) => name !== '' && !own.includes(name))
  const called: Readonly<Record<string, string>> = { [REQUIREMENT]: t.theTask, [EVERYBODY]: t.everything }
  const toggle = (name: string) =>
    set(at, given.includes(name) ? given.filter((one) => one !== name) : [...given, name])
  return (
    <span class="checks">
      {[...new Set([REQUIREMENT, ...others, EVERYBODY, ...given])].map((name, index) => (
        <label class="check" key={name}>
          <input
            {...field}
            id={index === 0 ? id : undefined}
            type="checkbox"
            checked={given.includes(name)}
            onChange={() => toggle(name)}
          />
          {called[name] ?? name}
        </label>
      ))}
    </span>
  )
}
