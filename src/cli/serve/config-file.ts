import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { serverConfig } from '../../models/providers.ts'
import type { ServerConfig } from '../../domain/server-config.ts'
import { isObject } from '../../lib/json.ts'
import { usageError } from '../exit.ts'
import type { TerminalTexts } from '../texts.ts'

/** A config travels to the Worker as one environment variable, and Linux takes 128 KiB in one. */
export const CONFIG_BYTES_MAX = 120 * 1024

/** Reads and checks a server config; throws a usage error of one line: `FILE: FIELD: what was expected`. */
export function readConfigFile(file: string, texts: TerminalTexts): ServerConfig {
  const text = readText(file, texts)
  if (Buffer.byteLength(text) > CONFIG_BYTES_MAX) throw usageError(`${file}: ${texts.tooLarge(CONFIG_BYTES_MAX)}`)
  const parsed = serverConfig.safeParse(parseJson(file, text, texts))
  if (parsed.success) return parsed.data
  throw usageError(`${file}: ${describeIssues(parsed.error.issues, texts)}`)
}

/** Reads a file that holds a JSON object; throws a usage error of one line. */
export function readJsonObject(file: string, texts: TerminalTexts): Record<string, unknown> {
  const value = parseJson(file, readText(file, texts), texts)
  if (!isObject(value)) throw usageError(`${file}: ${texts.expected('object')}`)
  return value
}

/** The text of a file that a user names. */
export function readText(file: string, texts: TerminalTexts): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw usageError(`${file}: ${texts.unreadable(reasonOf(error))}`)
  }
}

function parseJson(file: string, text: string, texts: TerminalTexts): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw usageError(`${file}: ${texts.notJson(error instanceof Error ? placeIn(error.message, texts) : '')}`)
  }
}

/** Where the parser stopped, or what it says where it names no place. */
function placeIn(message: string, texts: TerminalTexts): string {
  const [, lineNumber, column] = /\(line (\d+) column (\d+)\)/.exec(message) ?? []
  return lineNumber === undefined || column === undefined ? oneLine(message) : texts.jsonAt(lineNumber, column)
}

/** The first issue, and how many more there are. */
export function describeIssues(issues: readonly z.core.$ZodIssue[], texts: TerminalTexts): string {
  const [first] = issues
  if (first === undefined) return ''
  const more = issues.length > 1 ? texts.andMore(issues.length - 1) : ''
  return `${describeIssue(first, texts)}${more}`
}

function describeIssue(issue: z.core.$ZodIssue, texts: TerminalTexts): string {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') return `${[...path, issue.keys[0]].join('.')}: ${texts.unknownField}`
  const where = path.length > 0 ? `${path.join('.')}: ` : ''
  return `${where}${texts.misfit(issue.message) ?? texts.expected(expectation(issue, texts))}`
}

/** What would have been right, as a noun phrase. */
function expectation(issue: z.core.$ZodIssue, texts: TerminalTexts): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected
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
