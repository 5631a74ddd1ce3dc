import type { LLM_WORKER, SELF_WORKER, PlanTask } from '../../domain/plan.ts'
import type { REQUIREMENT, USER as ROLE_USER } from '../../domain/role.ts'
import type { JSX } from 'preact'
import { moneyText, numberText, texts } from '../language.ts'
import type { Usage } from '../../domain/usage.ts'

const ICON_PATHS = {
  plus: 'M8 3v10M3 8h10',
  inbox: 'M2.5 9.5 4 3h8l1.5 6.5v3h-11zM2.5 9.5H6l.8 1.5h2.4l.8-1.5h3.5',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.6 10.6 14 14',
  spend: 'M3 13V8M8 13V3M13 13V6',
  link: 'M6.5 9.5l3-3M5.5 7.5 4 9a2.1 2.1 0 0 0 3 3l1.5-1.5M7.5 5.5 9 4a2.1 2.1 0 0 1 3 3l-1.5 1.5',
  gear: 'M2 4h7M13 4h1M2 8h2M8 8h6M2 12h6M12 12h2M11 2.5v3M6 6.5v3M10 10.5v3',
  send: 'M8 13V3M3.5 7.5 8 3l4.5 4.5',
  stop: 'M4 4h8v8H4z',
  back: 'M9.5 3 4.5 8l5 5',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  check: 'M3 8.5 6.5 12 13 4.5',
  box: 'M3 3h10v10H3z',
  boxHalf: 'M3 3h10v10H3zM5.5 8h5',
  boxDone: 'M3 3h10v10H3zM5.3 8.2 7.3 10.2 10.8 5.9',
  cross: 'M4 4l8 8M12 4l-8 8',
  ask: 'M5.5 6a2.5 2.5 0 1 1 3.6 2.2c-.7.4-1.1.8-1.1 1.6M8 12.5v.01',
  tool: 'M9.5 2.5a3.5 3.5 0 0 0-3.2 4.9L2.5 11.2l2.3 2.3 3.8-3.8a3.5 3.5 0 0 0 4.6-4.5L11 7.3 8.7 5l2.1-2.2a3.5 3.5 0 0 0-1.3-.3z',
  down: 'M8 3v10M3.5 8.5 8 13l4.5-4.5',
  file: 'M4 2h5l3 3v9H4zM9 2v3h3',
  copy: 'M5.5 5.5h8v8h-8zM5.5 10.5h-3v-8h8v3',
  edit: 'M3 13l.6-2.9 7.6-7.6 2.3 2.3-7.6 7.6z',
  retry: 'M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3',
  attach: 'M13 7.5 8.2 12.3a3 3 0 0 1-4.3-4.2l5.3-5.3a2 2 0 0 1 2.9 2.9l-5.2 5.1a1 1 0 0 1-1.4-1.4L10 4.9',
  warn: 'M8 2.5 14.5 13.5h-13zM8 6.5v3.5M8 12v.01',
  good: 'M5 7v6.5H2.5V7zM5 7l2.6-4.7c1.2 0 1.9.9 1.6 2l-.5 2.2h3.6a1.3 1.3 0 0 1 1.3 1.6l-1 4.3a1.4 1.4 0 0 1-1.4 1.1H5',
  bad: 'M5 9V2.5H2.5V9zM5 9l2.6 4.7c1.2 0 1.9-.9 1.6-2l-.5-2.2h3.6a1.3 1.3 0 0 0 1.3-1.6l-1-4.3a1.4 1.4 0 0 0-1.4-1.1H5',
  share: 'M8 10V2M4.8 5 8 1.9 11.2 5M3 8.5v5h10v-5',
  system: 'M2 3h12v8H2zM6 13.5h4',
  light: 'M8 5.2a2.8 2.8 0 1 0 .01 0zM8 1v1.4M8 13.6V15M1 8h1.4M13.6 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  dark: 'M13.5 9.7A5.8 5.8 0 1 1 6.3 2.5a4.6 4.6 0 0 0 7.2 7.2z',
  fork: 'M4 2v12M4 9c5 0 8-1 8-5M12 4V2',
} as const

type IconName = keyof typeof ICON_PATHS

/** A picture beside a word; it says nothing by itself. */
export function Icon({ name }: { name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={ICON_PATHS[name]} />
    </svg>
  )
}

/** A status by colour and by word. */
export function StatusMark({ status }: { status: string }) {
  return (
    <span class="status" data-status={status}>
      {texts().status[status] ?? status}
    </span>
  )
}

/** To the sessions, where there is no room to show them beside. */
export function BackLink() {
  const { back } = texts()
  return (
    <a class="back" href="#/" title={back}>
      <Icon name="back" />
      <span class="unseen">{back}</span>
    </a>
  )
}

/** What a run or a session took, in a few words. */
export function UsageText({ usage }: { usage: Usage }) {
  const t = texts().chat
  if (usage.total_tokens === 0) return null
  return (
    <span class="usage" title={t.calls(usage.model_calls, usage.tool_calls)}>
      {t.tokens(numberText(usage.total_tokens))}
      {usage.cost === null ? '' : ` · ${moneyText(usage.cost)}`}
    </span>
  )
}

/** By their types alone: their files bring the library of schemas, which is not in the first load. */
const ITSELF: readonly string[] = ['llm_tool', 'self'] satisfies (typeof LLM_WORKER | typeof SELF_WORKER)[]
const ASKED_FOR: typeof REQUIREMENT = 'UserRequirement'
const USER: typeof ROLE_USER = 'user'

/** What a message of a team came of: what its user asked for, or an action of a role. */
export function causeText(cause: string): string {
  return cause === ASKED_FOR ? texts().chat.requirement : cause
}

/** Who said something in a team: a role, or whoever gave the task. */
export const senderText = (sender: string): string => (sender === USER ? texts().chat.you : sender)

/** A worker in words: the model alone, or the agent with its tools, is itself. */
export const workerName = (worker: string): string => (ITSELF.includes(worker) ? texts().chat.itself : worker)

/** Who does a task: of a role's plan with the role. */
export function workerText({ owner, worker }: PlanTask): string {
  const name = workerName(worker)
  return owner === undefined ? name : `${owner} · ${name}`
}

/** Why a call of a model failed, in a few words. */
export function troubleText(code: string): string {
  const { troubles } = texts().chat
  return troubles[code] ?? troubles[''] ?? code
}
