import type { StepView } from '../../domain/workflow-view.ts'

/** Where the steps of a workflow stand on a page of some width: a list below another step of it that it goes by, those that go by the same
 *  beside each other. What stands within a step is in its box, as are the steps that undo it. A list that is mapped is one step. */

export interface Box {
  step: StepView
  x: number
  y: number
  width: number
  height: number
  isGroup: boolean
}

export interface Edge {
  from: string
  to: string
  /** Of an SVG path. */
  path: string
}

export interface Layout {
  boxes: Box[]
  edges: Edge[]
  width: number
  height: number
}

export const NODE = { width: 168, height: 70 }
const GAP = { x: 14, y: 30 }
/** Between what stands in the way and a line past it. */
const LANE = 10
const GROUP = { head: 58, pad: 10 }

export function layoutOf(steps: readonly StepView[], widthMax: number): Layout {
  const inner = new Map<string | null, StepView[]>()
  for (const step of steps) inner.set(step.parent, [...(inner.get(step.parent) ?? []), step])
  return placeList(inner.get(null) ?? [], inner, Math.max(widthMax - LANE, NODE.width))
}

type Inner = ReadonlyMap<string | null, readonly StepView[]>

/** Steps that hang together are one block; blocks stand beside each other where there is room, such as the branches of a step. */
function placeList(list: readonly StepView[], inner: Inner, widthMax: number): Layout {
  const blocks = blocksOf(list).map((block) => placeBlock(block, inner, widthMax))
  const [only, ...others] = blocks
  return only && others.length === 0 ? only : placeRows(wrapped(blocks, widthMax)).layout
}

function placeBlock(list: readonly StepView[], inner: Inner, widthMax: number): Layout {
  const rows = ranksOf(list).flatMap((rank) =>
    wrapped(
      rank.map((step) => placeStep(step, inner, widthMax)),
      widthMax,
    ),
  )
  const { layout, bounds } = placeRows(rows)
  const edges = edgesOf(list, layout.boxes, bounds)
  const left = Math.min(0, ...edges.map(({ left: one }) => one))
  const own = { ...layout, edges: [...layout.edges, ...edges.map(({ from, to, path }) => ({ from, to, path }))] }
  return left < 0 ? { ...shifted(own, -left, 0), width: own.width - left } : own
}

/** Rows of what fits beside each other. */
function wrapped(parts: readonly Layout[], widthMax: number): Layout[][] {
  const rows: Layout[][] = []
  let width = 0
  for (const part of parts) {
    const row = rows.at(-1)
    if (row && width + GAP.x + part.width <= widthMax) {
      row.push(part)
      width += GAP.x + part.width
    } else {
      rows.push([part])
      width = part.width
    }
  }
  return rows
}

/** What a row of boxes takes. */
interface Bounds {
  left: number
  right: number
  top: number
  bottom: number
}

function placeRows(rows: readonly (readonly Layout[])[]): { layout: Layout; bounds: Bounds[] } {
  const widthOf = (row: readonly Layout[]) => row.reduce((sum, part) => sum + GAP.x + part.width, -GAP.x)
  const width = Math.max(NODE.width, ...rows.map(widthOf))
  const placed: Layout[] = []
  const bounds: Bounds[] = []
  let y = 0
  for (const row of rows) {
    const wide = widthOf(row)
    let x = (width - wide) / 2
    const height = Math.max(...row.map((part) => part.height))
    bounds.push({ left: x, right: x + wide, top: y, bottom: y + height })
    for (const part of row) {
      placed.push(shifted(part, x, y))
      x += part.width + GAP.x
    }
    y += height + GAP.y
  }
  const boxes = placed.flatMap((part) => part.boxes)
  const edges = placed.flatMap((part) => part.edges)
  return { layout: { boxes, edges, width, height: Math.max(0, y - GAP.y) }, bounds }
}

function shifted({ boxes, edges, ...size }: Layout, x: number, y: number): Layout {
  return {
    ...size,
    boxes: boxes.map((box) => ({ ...box, x: box.x + x, y: box.y + y })),
    edges: edges.map((edge) => ({ ...edge, path: moved(edge.path, x, y) })),
  }
}

/** Steps of a list in blocks, in their order: whoever goes by another is in its block. */
function blocksOf(list: readonly StepView[]): StepView[][] {
  const near = (one: StepView) =>
    list.filter(({ step, depends_on: needs }) => one.depends_on.includes(step) || needs.includes(one.step))
  const seen = new Set<StepView>()
  return list.flatMap((first) => {
    if (seen.has(first)) return []
    const block = new Set([first])
    // A set goes on to what is added to it meanwhile.
    for (const one of block) for (const other of near(one)) block.add(other)
    for (const one of block) seen.add(one)
    return [list.filter((one) => block.has(one))]
  })
}

/** A step alone, or with what stands in it. */
function placeStep(step: StepView, inner: Inner, widthMax: number): Layout {
  const within = inner.get(step.step) ?? []
  const list = step.type === 'map' ? within.filter(({ undoes }) => undoes === step.step) : within
  const own = { step, x: 0, y: 0 }
  if (list.length === 0) return { boxes: [{ ...own, ...NODE, isGroup: false }], edges: [], ...NODE }
  const placed = placeList(list, inner, Math.max(NODE.width, widthMax - 2 * GROUP.pad))
  const width = placed.width + 2 * GROUP.pad
  const height = GROUP.head + placed.height + GROUP.pad
  const { boxes, edges } = shifted(placed, GROUP.pad, GROUP.head)
  return { boxes: [{ ...own, width, height, isGroup: true }, ...boxes], edges, width, height }
}

/** Steps in ranks: each behind all that it goes by. */
function ranksOf(list: readonly StepView[]): StepView[][] {
  const rankOf = new Map<string, number>()
  const ranks: StepView[][] = []
  // A step may stand before those that it goes by: as many passes as there are steps reach each.
  for (let open = [...list]; open.length > 0;) {
    const known = new Set(list.map(({ step }) => step))
    const ready = open.filter(({ depends_on: needs }) => needs.every((need) => !known.has(need) || rankOf.has(need)))
    for (const one of ready.length > 0 ? ready : open) {
      const rank = Math.max(-1, ...one.depends_on.map((need) => rankOf.get(need) ?? -1)) + 1
      rankOf.set(one.step, rank)
      ;(ranks[rank] ??= []).push(one)
    }
    open = open.filter(({ step }) => !rankOf.has(step))
  }
  return ranks
}

/** Lines from each step to those that go by it. `left`: how far to the left one goes. */
function edgesOf(
  list: readonly StepView[],
  boxes: readonly Box[],
  rows: readonly Bounds[],
): (Edge & { left: number })[] {
  const boxAt = new Map(boxes.map((box) => [box.step.step, box]))
  return list.flatMap(({ step: to, depends_on: needs }) =>
    needs.flatMap((from) => {
      const [above, below] = [boxAt.get(from), boxAt.get(to)]
      return above && below ? [{ from, to, ...lineOf(above, below, rows) }] : []
    }),
  )
}

/** A curve from one to the other; past rows between them, by their left side. */
function lineOf(above: Box, below: Box, rows: readonly Bounds[]): { path: string; left: number } {
  const from = { x: above.x + above.width / 2, y: above.y + above.height }
  const to = { x: below.x + below.width / 2, y: below.y }
  const between = rows.filter(({ top, bottom }) => top > from.y && bottom < to.y)
  if (between.length === 0) {
    const middle = (from.y + to.y) / 2
    return { path: `M ${from.x} ${from.y} C ${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.y}`, left: 0 }
  }
  const x = Math.min(...between.map(({ left }) => left)) - LANE
  const [out, back] = [from.y + GAP.y, to.y - GAP.y]
  const path = `M ${from.x} ${from.y} C ${from.x} ${out} ${x} ${from.y} ${x} ${out} L ${x} ${back} C ${x} ${to.y} ${to.x} ${back} ${to.x} ${to.y}`
  return { path, left: x }
}

/** A path whose numbers come in pairs, moved. */
function moved(path: string, x: number, y: number): string {
  let isX = false
  return path.replaceAll(/-?\d+(?:\.\d+)?/g, (number) => {
    isX = !isX
    return String(Number(number) + (isX ? x : y))
  })
}
