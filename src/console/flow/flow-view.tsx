import { useSignal } from '@preact/signals'
import { Fragment } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { StepView } from '../../domain/workflow-view.ts'
import { client, sendOnce } from '../api.ts'
import type { Followed } from '../sessions/followed.ts'
import { StatusMark } from '../ui/marks.tsx'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import { type Box, layoutOf } from './layout.ts'
import { StepPanel, tookOf } from './step-panel.tsx'
import { flowTexts } from './texts.ts'

const WIDTH = { first: 600, pad: 8 }

/** The workflow of a session as a graph: its steps as they stand, and what one chooses of them beside it. */
export function FlowView({ session }: { session: Followed }) {
  const t = flowTexts()
  const { workflow, progress = 0, stage } = session.head.value ?? {}
  const chosen = useSignal<string | null>(null)
  const { isBusy, problem, run } = useAct()
  if (!workflow) return <p class="empty">{t.empty}</p>
  const step = workflow.steps.find((one) => one.step === chosen.value)
  const retry = (path: string) =>
    void run(async () => {
      const address = `/v1/sessions/${session.id}/workflow/steps/${encodeURIComponent(path)}/retry`
      await sendOnce((key) =>
        client.value.json({
          method: 'POST',
          path: address,
          headers: { prefer: 'respond-async', 'idempotency-key': key },
        }),
      )
      await session.refresh()
    })
  return (
    <div class="flow-room">
      <p class="flow-head">
        <strong>{workflow.name}</strong> <span class="dim">{t.version(workflow.version)}</span>
        <span class="tag">{t.stages[stage ?? workflow.stage]}</span>
        <progress max={100} value={progress} aria-label={t.progress} />
        <span class="dim">{progress} %</span>
      </p>
      <ProblemLine text={problem.value} />
      <div class="flow-parts">
        <Graph steps={workflow.steps} chosen={chosen.value} onChoose={(path) => (chosen.value = path)} />
        {step ? (
          <StepPanel
            key={step.step}
            session={session}
            step={step}
            steps={workflow.steps}
            onRetry={workflow.stage === 'ended' ? retry : null}
            isBusy={isBusy.value}
            onClose={() => (chosen.value = null)}
          />
        ) : (
          <p class="dim flow-hint">{t.choose}</p>
        )}
      </div>
    </div>
  )
}

interface GraphProps {
  steps: readonly StepView[]
  chosen: string | null
  onChoose: (path: string) => void
}

function Graph({ steps, chosen, onChoose }: GraphProps) {
  const room = useRef<HTMLDivElement>(null)
  const width = useSignal(WIDTH.first)
  useEffect(() => {
    const { current } = room
    if (!current) return
    const observer = new ResizeObserver(() => (width.value = current.clientWidth - 2 * WIDTH.pad))
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  const layout = layoutOf(steps, width.value)
  const size = { width: `${layout.width}px`, height: `${layout.height}px` }
  return (
    <div class="flow-scroll" ref={room} role="region" aria-label={flowTexts().steps} tabIndex={0}>
      <div class="flow" style={size}>
        {layout.boxes
          .filter(({ isGroup }) => isGroup)
          .map(({ step, x, y, width: wide, height }) => (
            <div
              key={step.step}
              class="flow-group"
              data-status={step.status}
              style={{ left: `${x}px`, top: `${y}px`, width: `${wide}px`, height: `${height}px` }}
            />
          ))}
        <svg class="flow-edges" width={layout.width} height={layout.height} aria-hidden="true" focusable="false">
          {layout.edges.map(({ from, to, path }) => (
            <path key={`${from} ${to}`} d={path} />
          ))}
        </svg>
        {layout.boxes.map((box) => (
          <Node key={box.step.step} box={box} isChosen={box.step.step === chosen} onChoose={onChoose} />
        ))}
      </div>
    </div>
  )
}

const HEAD_HEIGHT = 56

function Node({ box, isChosen, onChoose }: { box: Box; isChosen: boolean; onChoose: (path: string) => void }) {
  const t = flowTexts()
  const { step, x, y, width, height, isGroup } = box
  const { type, status, attempt, items, rollback } = step
  const took = tookOf(step)
  const facts = [
    ...(step.undoes === undefined ? [] : [t.undoes(nameOf(step.undoes))]),
    t.types[type],
    ...(items ? [t.items(items)] : []),
    ...(attempt > 1 ? [t.attempt(attempt)] : []),
    ...(took === null ? [] : [took]),
  ]
  return (
    <button
      type="button"
      class="flow-node"
      data-step={step.step}
      data-status={status}
      data-group={isGroup}
      aria-pressed={isChosen}
      title={[nameOf(step.step), ...facts].join(' · ')}
      style={{
        left: `${x}px`,
        top: `${y}px`,
        width: `${width}px`,
        height: `${isGroup ? HEAD_HEIGHT : height}px`,
      }}
      onClick={() => onChoose(step.step)}
    >
      <span class="flow-name">
        <strong>{nameOf(step.step)}</strong>
        {rollback ? <span class="status">{t.rollback[rollback]}</span> : <StatusMark status={status} />}
      </span>
      <span class="dim">
        {facts.map((fact, index) => (
          <Fragment key={index}>
            {index === 0 ? '' : ' · '}
            <span>{fact}</span>
          </Fragment>
        ))}
      </span>
    </button>
  )
}

/** The id of a step, without the way to it. */
function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1)
}
