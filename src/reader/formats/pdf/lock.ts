import { cbc } from '@noble/ciphers/aes.js'
import { md5 } from '@noble/hashes/legacy.js'
import { sha256, sha384, sha512 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import type { Budget } from './budget.ts'
import { isName, type PdfDict, type PdfValue } from './syntax.ts'

/** What an object is, or a part of one: its number and its generation, which go into its key. */
export interface ObjectId {
  number: number
  generation: number
}

/** Opens what a document has encrypted, string by string and stream by stream. */
export interface PdfLock {
  stream(bytes: Uint8Array, of: ObjectId): Uint8Array
  string(bytes: Uint8Array, of: ObjectId): Uint8Array
}

type Method = 'none' | 'rc4' | 'aes'

/** What the dictionary of a lock says, its strings as bytes. */
interface Told {
  /** `V` and `R`: how keys are made, and how the password is held against them. */
  version: number
  revision: number
  keyBytes: number
  owner: Uint8Array
  user: Uint8Array
  userKey: Uint8Array
  permissions: number
  /** First part of the document's name. */
  id: Uint8Array
  isMetadataOpen: boolean
}

// Source: ISO 32000-2, 7.6.4.3, algorithm 2, step a.
const PADDING = Uint8Array.from(
  '28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a'.match(/../g) ?? [],
  (hex) => Number.parseInt(hex, 16),
)
const AES_BLOCK = 16
const OLD_KEY_BYTES = 5
const HASH_BYTES = 32
const SALT_BYTES = 8
const ROUNDS = 64
/** Work of a string or a stream, besides that of its bytes: its key. */
const OPENED_WORK = 200

export const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

/** The lock of a document whose password is empty, as that of those is that anybody may read and not everybody may print or change. Null: it is
 *  another, or locked in a way that is not known. `resolve`: follows references. Source: ISO 32000-2, 7.6. */
export function openLock(
  dict: PdfDict,
  id: string,
  resolve: (value: PdfValue | undefined) => PdfValue,
  budget: Budget,
): PdfLock | null {
  const filter = resolve(dict.get('Filter'))
  if (!isName(filter) || filter.name !== 'Standard') return null
  const told = readDict(dict, id, resolve)
  const key = told.revision >= 5 ? keyOfHash(told, budget) : keyOfPadding(told)
  if (key === null) return null
  const method = (name: string) => methodOf(dict, name, told.version, resolve)
  const [streams, strings] = [method('StmF'), method('StrF')]
  const opened = (bytes: Uint8Array, how: Method | null, of: ObjectId) => {
    budget.spend(OPENED_WORK + bytes.length)
    if (how === 'none' || how === null) return bytes
    return decrypted(bytes, how, told.revision >= 5 ? key : keyOfObject(key, how, of))
  }
  if (streams === null || strings === null) return null
  return {
    stream: (bytes, of) => opened(bytes, streams, of),
    string: (bytes, of) => opened(bytes, strings, of),
  }
}

function readDict(dict: PdfDict, id: string, resolve: (value: PdfValue | undefined) => PdfValue): Told {
  const number = (name: string, otherwise: number) => {
    const value = resolve(dict.get(name))
    return typeof value === 'number' ? value : otherwise
  }
  const bytes = (name: string) => {
    const value = resolve(dict.get(name))
    return latin1(typeof value === 'string' ? value : '')
  }
  const [version, revision] = [number('V', 0), number('R', 0)]
  const bits = version === 4 ? 128 : number('Length', 40)
  return {
    version,
    revision,
    keyBytes: revision === 2 ? OLD_KEY_BYTES : Math.min(Math.max(bits >> 3, OLD_KEY_BYTES), 16),
    owner: bytes('O'),
    user: bytes('U'),
    userKey: bytes('UE'),
    permissions: number('P', 0),
    id: latin1(id),
    isMetadataOpen: resolve(dict.get('EncryptMetadata')) === false,
  }
}

/** How streams or strings are encrypted; null: in a way that is not known. */
function methodOf(
  dict: PdfDict,
  which: string,
  version: number,
  resolve: (value: PdfValue | undefined) => PdfValue,
): Method | null {
  if (version === 1 || version === 2) return 'rc4'
  if (version !== 4 && version !== 5) return null
  const name = resolve(dict.get(which))
  if (!isName(name) || name.name === 'Identity') return 'none'
  const filters = resolve(dict.get('CF'))
  const filter = filters instanceof Map ? resolve(filters.get(name.name)) : null
  const method = filter instanceof Map ? resolve(filter.get('CFM')) : null
  if (!isName(method)) return null
  const known: Readonly<Record<string, Method>> = { None: 'none', V2: 'rc4', AESV2: 'aes', AESV3: 'aes' }
  return Object.hasOwn(known, method.name) ? (known[method.name] ?? null) : null
}

/** Algorithms 2 and 6: by MD5, of the padding that stands for an empty password. */
function keyOfPadding({ revision, keyBytes, owner, user, permissions, id, isMetadataOpen }: Told): Uint8Array | null {
  const allowed = new Uint8Array(4)
  new DataView(allowed.buffer).setInt32(0, permissions | 0, true)
  const open = revision >= 4 && isMetadataOpen ? [Uint8Array.of(255, 255, 255, 255)] : []
  let hash: Uint8Array = md5(concatBytes(PADDING, owner.subarray(0, HASH_BYTES), allowed, id, ...open))
  for (let round = revision >= 3 ? 0 : 50; round < 50; round += 1) hash = md5(hash.subarray(0, keyBytes))
  const key = hash.subarray(0, keyBytes)
  if (revision === 2) return isSame(rc4(PADDING, key), user.subarray(0, HASH_BYTES)) ? key : null
  let proof: Uint8Array = md5(concatBytes(PADDING, id))
  for (let round = 0; round < 20; round += 1)
    proof = rc4(
      proof,
      key.map((byte) => byte ^ round),
    )
  return isSame(proof, user.subarray(0, AES_BLOCK)) ? key : null
}

/** Algorithm 2.A, for an empty password of the user: the salts stand behind the hash that proves it. */
function keyOfHash({ revision, user, userKey }: Told, budget: Budget): Uint8Array | null {
  if (user.length < HASH_BYTES + 2 * SALT_BYTES || userKey.length < HASH_BYTES) return null
  const hash = (from: number) => {
    const salt = user.subarray(from, from + SALT_BYTES)
    return revision === 5 ? sha256(salt) : hardened(salt, budget)
  }
  if (!isSame(hash(HASH_BYTES), user.subarray(0, HASH_BYTES))) return null
  const wrapped = userKey.subarray(0, HASH_BYTES)
  const key = hash(HASH_BYTES + SALT_BYTES)
  return cbc(key, new Uint8Array(AES_BLOCK), { disablePadding: true }).decrypt(wrapped)
}

/** Algorithm 2.B: a hash that takes its time. It is over by about seventy rounds. */
function hardened(salt: Uint8Array, budget: Budget): Uint8Array {
  let key: Uint8Array = sha256(salt)
  for (let round = 1; ; round += 1) {
    const text = concatBytes(...Array.from({ length: ROUNDS }, () => key))
    budget.spend(2 * text.length)
    const cipher = cbc(key.subarray(0, AES_BLOCK), key.subarray(AES_BLOCK, 2 * AES_BLOCK), { disablePadding: true })
    const encrypted = cipher.encrypt(text)
    const sum = encrypted.subarray(0, AES_BLOCK).reduce((total, byte) => total + byte, 0)
    key = [sha256, sha384, sha512][sum % 3]?.(encrypted) ?? key
    if (round >= ROUNDS && (encrypted.at(-1) ?? 0) <= round - HASH_BYTES) return key.subarray(0, HASH_BYTES)
  }
}

/** Algorithm 1. */
function keyOfObject(key: Uint8Array, how: Method, { number, generation }: ObjectId): Uint8Array {
  const of = [number, number >> 8, number >> 16, generation, generation >> 8]
  const salt = how === 'aes' ? latin1('sAlT') : new Uint8Array()
  const hash = md5(
    concatBytes(
      key,
      Uint8Array.from(of, (byte) => byte & 255),
      salt,
    ),
  )
  return hash.subarray(0, Math.min(key.length + 5, AES_BLOCK))
}

function decrypted(bytes: Uint8Array, how: Method, key: Uint8Array): Uint8Array {
  if (how === 'rc4') return rc4(bytes, key)
  const length = bytes.length - (bytes.length % AES_BLOCK)
  if (length < 2 * AES_BLOCK) return new Uint8Array()
  const cipher = cbc(key, bytes.subarray(0, AES_BLOCK), { disablePadding: true })
  const text = cipher.decrypt(bytes.subarray(AES_BLOCK, length))
  const padding = text.at(-1) ?? 0
  return padding >= 1 && padding <= AES_BLOCK ? text.subarray(0, text.length - padding) : text
}

/** Not safe, and what old documents have. */
function rc4(bytes: Uint8Array, key: Uint8Array): Uint8Array {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index)
  const swap = (a: number, b: number) => {
    const kept = state[a] ?? 0
    state[a] = state[b] ?? 0
    state[b] = kept
  }
  for (let i = 0, j = 0; i < 256; i += 1) {
    j = (j + (state[i] ?? 0) + (key[i % key.length] ?? 0)) & 255
    swap(i, j)
  }
  let i = 0
  let j = 0
  return bytes.map((byte) => {
    i = (i + 1) & 255
    j = (j + (state[i] ?? 0)) & 255
    swap(i, j)
    return byte ^ (state[((state[i] ?? 0) + (state[j] ?? 0)) & 255] ?? 0)
  })
}

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index])
