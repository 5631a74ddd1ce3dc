import { useSignal } from '@preact/signals'
import { Fragment } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { StepView } from '../../domain/workflow-view.ts'
import { StatusMark } from '../ui/marks.tsx'
import { type Box, layoutOf } from './layout.ts'
import { tookOf } from './step-panel.tsx'
import { flowTexts } from './texts.ts'

const WIDTH = { first: 600, pad: 8 }

interface GraphProps {
  steps: readonly StepView[]
  chosen: string | null
  /** The steps are no run, and stand nowhere. */
  isPlan?: boolean
  onChoose: (path: string) => void
}

/** Steps as boxes, with lines from each to those that go by it. */
export function Graph({ steps, chosen, isPlan = false, onChoose }: GraphProps) {
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
          <Node key={box.step.step} {...{ box, isPlan, onChoose }} isChosen={box.step.step === chosen} />
        ))}
      </div>
    </div>
  )
}

const HEAD_HEIGHT = 56

interface NodeProps {
  box: Box
  isPlan: boolean
  isChosen: boolean
  onChoose: (path: string) => void
}

function Node({ box, isPlan, isChosen, onChoose }: NodeProps) {
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
      aria-pressed={isPlan ? undefined : isChosen}
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
        {isPlan ? null : rollback ? <span class="status">{t.rollback[rollback]}</span> : <StatusMark status={status} />}
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
