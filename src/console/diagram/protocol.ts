/** What the page asks of the room in which charts are drawn. */
export interface DrawingRequest {
  id: number
  text: string
  dark: boolean
}

/** What it answers. */
export type Drawing =
  | { type: 'ready' }
  | { type: 'drawn'; id: number; svg: string }
  | { type: 'failed'; id: number; reason: string }
