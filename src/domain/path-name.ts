import * as z from 'zod'
import { LIMITS } from './limits.ts'

/** Clients take `.` and `..` in a path for folders, percent-encoded too (WHATWG URL): what is called so could not be asked for. */
export const isPathPart = (name: string): boolean => name !== '.' && name !== '..'

export const NO_PATH_PART = 'another name: `.` and `..` cannot stand in a path'

export const userName = z.string().min(1).max(LIMITS.text.nameCharsMax).refine(isPathPart, NO_PATH_PART)
