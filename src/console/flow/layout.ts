import type { StepView } from '../../domain/workflow.ts'

/** Where the steps of a workflow stand on a page of some width: a list below another step of it that it goes by, those that go by the same
 *  beside each other. What stands within a step is in its box. A list that is mapped is one step. */

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

export const NODE = { width: 164, height: 62 }
const GAP = { x: 14, y: 30 }
const GROUP = { head: 62, pad: 12 }

export function layoutOf(steps: readonly StepView[], widthMax: number): Layout {
  const inner = new Map<string | null, StepView[]>()
  for (const step of steps) inner.set(step.parent, [...(inner.get(step.parent) ?? []), step])
  return placeList(inner.get(null) ?? [], inner, Math.max(widthMax, NODE.width))
}

type Inner = ReadonlyMap<string | null, readonly StepView[]>

function placeList(list: readonly StepView[], inner: Inner, widthMax: number): Layout {
  const placed = new Map<string, Layout>()
  const rows: { of: string[]; width: number; height: number }[] = []
  for (const rank of ranksOf(list)) {
    let row = { of: [] as string[], width: -GAP.x, height: 0 }
    for (const step of rank) {
      const one = placeStep(step, inner, widthMax)
      placed.set(step.step, one)
      if (row.of.length > 0 && row.width + GAP.x + one.width > widthMax) {
        rows.push(row)
        row = { of: [], width: -GAP.x, height: 0 }
      }
      row.of.push(step.step)
      row.width += GAP.x + one.width
      row.height = Math.max(row.height, one.height)
    }
    rows.push(row)
  }
  const width = Math.max(NODE.width, ...rows.map((row) => row.width))
  const boxes: Box[] = []
  const edges: Edge[] = []
  let y = 0
  for (const row of rows) {
    let x = (width - row.width) / 2
    for (const path of row.of) {
      const one = placed.get(path)
      if (!one) continue
      boxes.push(...one.boxes.map((box) => ({ ...box, x: box.x + x, y: box.y + y })))
      edges.push(...one.edges.map((edge) => ({ ...edge, path: moved(edge.path, x, y) })))
      x += one.width + GAP.x
    }
    y += row.height + GAP.y
  }
  return { boxes, edges: [...edges, ...edgesOf(list, boxes)], width, height: Math.max(0, y - GAP.y) }
}

/** A step alone, or with what stands in it. */
function placeStep(step: StepView, inner: Inner, widthMax: number): Layout {
  const list = step.type === 'map' ? [] : (inner.get(step.step) ?? [])
  const own = { step, x: 0, y: 0 }
  if (list.length === 0) return { boxes: [{ ...own, ...NODE, isGroup: false }], edges: [], ...NODE }
  const within = placeList(list, inner, Math.max(NODE.width, widthMax - 2 * GROUP.pad))
  const width = within.width + 2 * GROUP.pad
  const height = GROUP.head + within.height + GROUP.pad
  const boxes = within.boxes.map((box) => ({ ...box, x: box.x + GROUP.pad, y: box.y + GROUP.head }))
  const edges = within.edges.map((edge) => ({ ...edge, path: moved(edge.path, GROUP.pad, GROUP.head) }))
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

function edgesOf(list: readonly StepView[], boxes: readonly Box[]): Edge[] {
  const boxAt = new Map(boxes.map((box) => [box.step.step, box]))
  return list.flatMap(({ step: to, depends_on: needs }) =>
    needs.flatMap((from) => {
      const [above, below] = [boxAt.get(from), boxAt.get(to)]
      return above && below ? [{ from, to, path: curve(above, below) }] : []
    }),
  )
}

function curve(above: Box, below: Box): string {
  const from = { x: above.x + above.width / 2, y: above.y + above.height }
  const to = { x: below.x + below.width / 2, y: below.y }
  const middle = (from.y + to.y) / 2
  return `M ${from.x} ${from.y} C ${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.y}`
}

/** A path whose numbers come in pairs, moved. */
function moved(path: string, x: number, y: number): string {
  let isX = false
  return path.replaceAll(/-?\d+(?:\.\d+)?/g, (number) => {
    isX = !isX
    return String(Number(number) + (isX ? x : y))
  })
}
