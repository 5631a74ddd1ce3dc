import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { serverConfig } from '../../models/providers.ts'
import type { ServerConfig } from '../../domain/server-config.ts'
import { isObject } from '../../lib/json.ts'
import { usageError } from '../exit.ts'
import { parsedJson } from './json-text.ts'
import type { TerminalTexts } from '../texts.ts'

/** A config travels to the Worker as one environment variable, and Linux takes 128 KiB in one. */
export const CONFIG_BYTES_MAX = 120 * 1024

/** Reads and checks a server config; throws a usage error of one line: `FILE: FIELD: what was expected`. */
export function readConfigFile(file: string, texts: TerminalTexts): ServerConfig {
  const text = readText(file, texts)
  if (Buffer.byteLength(text) > CONFIG_BYTES_MAX) throw usageError(texts.told(file, texts.tooLarge(CONFIG_BYTES_MAX)))
  const parsed = serverConfig.safeParse(parsedJson(file, text, texts))
  if (parsed.success) return parsed.data
  throw usageError(texts.told(file, describeIssues(parsed.error.issues, texts)))
}

/** Reads a file that holds a JSON object; throws a usage error of one line. */
export function readJsonObject(file: string, texts: TerminalTexts): Record<string, unknown> {
  const value = parsedJson(file, readText(file, texts), texts)
  if (!isObject(value)) throw usageError(texts.told(file, texts.expected(texts.jsonObject)))
  return value
}

/** The text of a file that a user names. */
export function readText(file: string, texts: TerminalTexts): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw usageError(texts.told(file, texts.unreadable(reasonOf(error))))
  }
}

/** Faults that are named; more are only counted. */
const NAMED_MAX = 3

/** The first issue, and where the others are. */
function describeIssues(issues: readonly z.core.$ZodIssue[], texts: TerminalTexts): string {
  const [first, ...others] = issues
  if (first === undefined) return ''
  const places = others.slice(0, NAMED_MAX).map((issue) => placeOf(issue) || '.')
  const more = others.length > 0 ? texts.andMore(others.length, texts.list(places)) : ''
  return `${describeIssue(first, texts)}${more}`
}

function describeIssue(issue: z.core.$ZodIssue, texts: TerminalTexts): string {
  const place = placeOf(issue)
  if (issue.code === 'unrecognized_keys') return texts.told(place, texts.unknownField)
  const why = texts.misfit(issue.message) ?? texts.expected(expectation(issue, texts))
  return place === '' ? why : texts.told(place, why)
}

/** The field that an issue is about; empty: the whole. */
function placeOf(issue: z.core.$ZodIssue): string {
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  return [...issue.path.map(String), ...unknown].join('.')
}

/** What would have been right, as a noun phrase. */
function expectation(issue: z.core.$ZodIssue, texts: TerminalTexts): string {
  switch (issue.code) {
    case 'invalid_type':
      return texts.kindsOf[issue.expected] ?? issue.expected
    case 'invalid_value':
      return issue.values.map(String).join(' | ')
    case 'too_small':
      return texts.atLeast(Number(issue.minimum), issue.origin)
    case 'too_big':
      return texts.atMost(Number(issue.maximum), issue.origin)
    default:
      return oneLine(issue.message.replace(/^Invalid (input|string): /, ''))
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'error'
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 200)
