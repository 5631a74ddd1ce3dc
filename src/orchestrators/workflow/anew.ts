import { draftStep, forgetIn } from './draft.ts'
import {
  innerOf,
  isFrameWithin,
  itemOf,
  mapOf,
  pathOf,
  ROOT_FRAME,
  shapeAt,
  stateAt,
  stepPlace,
  type StepShape,
  type StepState,
  stepsOf,
  stepsWithin,
  type WorkflowState,
} from './state.ts'

/** What a state lets go of when something is begun anew. */

/** A step begins anew with all that stands in it. */
export function forgetInner(flow: WorkflowState, path: string): void {
  const { frame } = stepPlace(path)
  const shape = shapeAt(flow, path)
  for (const { id } of shape ? innerOf(shape) : []) {
    forgetInner(flow, pathOf(frame, id))
    forgetIn(flow, frame, id)
  }
  forgetFrames(flow, path)
}

/** Frames of what is over are let go, but for those in which something can still be undone. */
export function forgetFrames(flow: WorkflowState, path: string): void {
  for (const key of Object.keys(flow.frames)) {
    const isKept = key === ROOT_FRAME || !isFrameWithin(key, path) || flow.undo.some((one) => isFrameWithin(one, key))
    if (!isKept) delete flow.frames[key]
  }
}

/** What was under way within a step, or an item, that did not come to its end is cut with it. */
export function cutInner(flow: WorkflowState, path: string): void {
  for (const within of stepsWithin(flow, path)) cut(draftStep(flow, within.path))
}

function cut(state: StepState | null): void {
  if (state?.status !== 'running' && state?.status !== 'retrying') return
  state.status = 'cancelled'
  delete state.branch
  delete state.due
  delete state.isDue
  delete state.held
}

/** A run that failed is carried on: steps that failed are done once more; what stood around them goes on. */
export function reopen(flow: WorkflowState): void {
  for (const [frame, { steps }] of Object.entries(flow.frames)) {
    for (const [id, { status, startSeq }] of Object.entries(steps)) {
      if (status !== 'failed' && status !== 'cancelled') continue
      const shape = shapeAt(flow, pathOf(frame, id))
      const isAround = shape !== null && (shape.bodies !== undefined || shape.workflow !== undefined)
      const state = isAround && startSeq > 0 ? draftStep(flow, pathOf(frame, id)) : null
      if (!state) forgetIn(flow, frame, id)
      else Object.assign(state, { status: 'running', endSeq: 0 })
      if (state?.items) reopenItems(state.items)
    }
  }
}

/** Items that failed go on. */
function reopenItems(items: NonNullable<StepState['items']>): void {
  for (const index of items.failed) items.ends[index] = 0
  items.failed = []
}

/** A step that had ended, or an item, is done once more: it and all that goes by it are forgotten, and what is around it is open again. */
export function redo(flow: WorkflowState, path: string): void {
  const item = mapOf(path)
  if (item) {
    forgetUndo(flow, path)
    forgetFrames(flow, path)
    openItem(flow, item)
    return
  }
  const { frame, id } = stepPlace(path)
  forgetFrom(flow, frame, id)
}

/** A step of a frame and those behind it; the steps around it are open again, and those behind these are forgotten, too. */
function forgetFrom(flow: WorkflowState, frame: string, id: string): void {
  forgetStep(flow, pathOf(frame, id))
  goOnAround(flow, frame, id)
}

function goOnAround(flow: WorkflowState, frame: string, id: string): void {
  const found = placeIn(stepsOf(flow, frame), id, null)
  if (!found) return
  for (const after of behind(found.list, id)) forgetStep(flow, pathOf(frame, after))
  if (found.around !== null) return openAround(flow, frame, found.around)
  if (frame === ROOT_FRAME) return
  const item = mapOf(frame)
  if (item) return openItem(flow, item)
  const around = stepPlace(frame)
  openAround(flow, around.frame, around.id)
}

function openItem(flow: WorkflowState, { map, index }: { map: string; index: number }): void {
  const items = draftStep(flow, map)?.items
  if (items) {
    items.ends[index] = 0
    items.failed = items.failed.filter((one) => one !== index)
  }
  const { frame, id } = stepPlace(map)
  openAround(flow, frame, id)
}

function openAround(flow: WorkflowState, frame: string, id: string): void {
  const path = pathOf(frame, id)
  const state = draftStep(flow, path)
  if (state) Object.assign(state, { status: 'running', endSeq: 0 })
  flow.undo = flow.undo.filter((one) => one !== path)
  goOnAround(flow, frame, id)
}

function forgetStep(flow: WorkflowState, path: string): void {
  const { frame } = stepPlace(path)
  const shape = shapeAt(flow, path)
  for (const { id } of shape ? innerOf(shape) : []) forgetStep(flow, pathOf(frame, id))
  forgetUndo(flow, path)
  forgetFrames(flow, path)
  forgetIn(flow, frame, stepPlace(path).id)
}

/** What is done once more is undone for that time. */
function forgetUndo(flow: WorkflowState, path: string): void {
  flow.undo = flow.undo.filter((one) => !isFrameWithin(one, path))
}

/** The list that a step is in, and the step of the same frame that the list is of. */
function placeIn(
  list: readonly StepShape[],
  id: string,
  around: string | null,
): { list: readonly StepShape[]; around: string | null } | null {
  if (list.some((one) => one.id === id)) return { list, around }
  for (const one of list) {
    for (const body of one.type === 'map' ? [] : (one.bodies ?? [])) {
      const found = placeIn(body, id, one.id)
      if (found) return found
    }
  }
  return null
}

/** Steps of a list that go by one, or by what goes by it. */
function behind(list: readonly StepShape[], id: string): string[] {
  const found = new Set([id])
  // No step can come before those that it needs, so that each pass finds at least one more, or is the last.
  for (let before = 0; before < found.size;) {
    before = found.size
    for (const one of list) if (one.needs.some((need) => found.has(need))) found.add(one.id)
  }
  found.delete(id)
  return [...found]
}

/** Where a step or an item stands, as far as it can be done once more; null: there is none of that path. */
export function standsAt(flow: WorkflowState, path: string): string | null {
  const item = mapOf(path)
  if (item) {
    const total = shapeAt(flow, item.map)?.type === 'map' ? stateAt(flow, item.map)?.items?.ends : undefined
    const end = path === itemOf(item.map, item.index) ? total?.[item.index] : undefined
    return end === undefined ? null : end > 0 ? 'ended' : 'pending'
  }
  if (!shapeAt(flow, path)) return null
  const { frame, id } = stepPlace(path)
  const kept = Object.hasOwn(flow.frames, frame) ? flow.frames[frame] : undefined
  if (!kept) return 'not_kept'
  return kept.steps[id]?.status ?? 'pending'
}
