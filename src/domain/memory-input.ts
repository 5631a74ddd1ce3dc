import * as z from 'zod'
import { LIMITS } from './limits.ts'

const { keyCharsMax, valueCharsMax } = LIMITS.memory
const KEY = `1–${keyCharsMax}`
const VALUE = `1–${valueCharsMax}`

/** The name of a preference: the same letters are the same name, however they are encoded. */
export const preferenceKey = z
  .string(KEY)
  .transform((key) => key.trim().normalize('NFC'))
  .pipe(z.string().min(1, KEY).max(keyCharsMax, KEY))

export const preferenceValue = z.string(VALUE).trim().min(1, VALUE).max(valueCharsMax, VALUE)
