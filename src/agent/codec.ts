import type { Protocol } from '../domain/model.ts'
import type { Codec } from './codec-shapes.ts'
import { autoCodec, nativeCodec } from './native.ts'
import { xmlCodec } from './xml.ts'

const CODECS: Readonly<Record<Protocol, Codec>> = { native: nativeCodec, auto: autoCodec, xml: xmlCodec }

/** The codec of a protocol. `auto` writes as native does and reads both forms. */
export function codecFor(protocol: Protocol): Codec {
  return CODECS[protocol]
}
