/** The colours of a page that a chart is drawn in, by the names that its styles have for them. */
export const CHART_COLOURS = [
  'card',
  'side',
  'text',
  'dim',
  'line',
  'accent',
  'accent-bg',
  'on-accent',
  'good',
  'bad',
  'warn',
  'warn-bg',
] as const
export type ChartColours = Record<(typeof CHART_COLOURS)[number], string>

/** What the page asks of the room in which charts are drawn. */
export interface DrawingRequest {
  id: number
  text: string
  dark: boolean
  colours: ChartColours
}

/** What it answers. */
export type Drawing =
  | { type: 'ready' }
  | { type: 'drawn'; id: number; svg: string }
  | { type: 'failed'; id: number; reason: string }
