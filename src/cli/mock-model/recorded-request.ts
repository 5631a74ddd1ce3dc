/** A chat completion that was asked for. `body` is parsed JSON, or the text when it is none. */
export interface RecordedRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: unknown
  /** Unix milliseconds. */
  time: number
}
