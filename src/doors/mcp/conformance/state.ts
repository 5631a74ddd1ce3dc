import { createRequestStateCodec, type ServerContext } from '@modelcontextprotocol/server'

const KEY_BYTES = 32

/** Marks the states of the suite's tools with a key of this isolate. Made when it is first needed: nothing is random while an isolate starts. */
let codec: ReturnType<typeof createRequestStateCodec<string>> | undefined
const made = () =>
  (codec ??= createRequestStateCodec<string>({ key: crypto.getRandomValues(new Uint8Array(KEY_BYTES)) }))

export const STATE = {
  mint: (payload: string) => made().mint(payload),
  verify: (state: string, ctx: ServerContext) => made().verify(state, ctx),
}
