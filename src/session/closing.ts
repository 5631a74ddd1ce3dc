import { notRunText } from '../agent/texts.ts'
import type { NewEvent } from '../domain/event.ts'
import type { Language } from '../domain/language.ts'
import type { FinishReason, RunError, Status } from '../domain/session.ts'
import { MAIN } from '../domain/state.ts'
import type { Engine } from './engine.ts'
import { languageFor, toolOf } from './engine.ts'
import type { Journal } from './journal.ts'

export interface Ending {
  status: Status
  finishReason: FinishReason
  result: string | null
  error: RunError | null
}

/** The events that end a run: nothing stays pending, every call has a result, every iteration an end. */
export function closingEvents(journal: Journal, engine: Engine, ending: Ending): NewEvent[] {
  const { run, pending } = journal.state
  if (!run) return []
  const language = languageFor(engine, journal.record)
  const scopes = Object.entries(run.scopes).map(([name, scope]) => ({ name: name === MAIN ? null : name, scope }))
  return [
    ...pending.map((item): NewEvent => ({
      type: 'pending-end',
      id: item.id,
      decision: 'cancelled',
      scope: item.scope ?? null,
    })),
    ...scopes.flatMap(({ name, scope }) =>
      scope.calls.map((call) => cancelledResult(journal, engine, language, name, call)),
    ),
    ...scopes.flatMap(({ name, scope }): NewEvent[] =>
      scope.iterationOpen ? [{ type: 'iteration-end', iteration: run.iterations, scope: name }] : [],
    ),
    {
      type: 'run-end',
      status: ending.status,
      finish_reason: ending.finishReason,
      result: ending.result,
      usage: run.usage,
      error: ending.error,
    },
  ]
}

function cancelledResult(
  journal: Journal,
  engine: Engine,
  language: Language,
  scope: string | null,
  call: { id: string; tool: string },
): NewEvent {
  const name = toolOf(engine, call.tool)?.names[language] ?? call.tool
  return journal.messageEvent({
    role: 'tool',
    kind: 'tool_result',
    content: notRunText(name, 'cancelled', language),
    tool_call_id: call.id,
    tool_name: call.tool,
    scope,
  })
}
