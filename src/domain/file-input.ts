import * as z from 'zod'
import { LIMITS } from './limits.ts'

/** A file as documents carry it. `data`: its bytes in base64. */
const storedFile = z.looseObject({
  path: z.string().max(2_000),
  data: z.string(),
  created_time: z.iso.datetime().optional(),
  updated_time: z.iso.datetime().optional(),
  created_seq: z.int().min(0).optional(),
  untrusted: z.boolean().optional(),
})
export type StoredFile = z.infer<typeof storedFile>

export const storedFiles = z.array(storedFile).max(LIMITS.files.filesMax)
