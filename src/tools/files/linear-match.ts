import { LIMITS } from '../../domain/limits.ts'
import { type Assertion, parsePattern, type Pattern, type PatternProblem } from './pattern.ts'

/** Work that a search may still do. */
export interface StepBudget {
  left: number
}

/** Where in a line the first match to be found ends (UTF-16 units); null: there is none, or no step is left. */
export type Match = (line: string, steps: StepBudget) => number | null

export type CompiledPattern = { ok: true; match: Match } | { ok: false; problem: PatternProblem }

type Instruction =
  | { op: 'character'; test: (character: string) => boolean }
  | { op: 'assert'; at: Assertion }
  | { op: 'fork'; to: number[] }
  | { op: 'match' }

/**
 * A regular expression that looks at each character of a line once, with all states at the same time: its steps are at most the
 * length of the line times the states of the pattern, whatever the pattern is.
 * Source: K. Thompson, "Regular Expression Search Algorithm", CACM 11(6), 1968.
 */
export function compilePattern(source: string): CompiledPattern {
  const parsed = parsePattern(source)
  if (!parsed.ok) return parsed
  const program: Instruction[] = []
  if (!emit(parsed.pattern, program)) return { ok: false, problem: 'too_large' }
  program.push({ op: 'match' })
  const mayStart = startOf(program)
  return { ok: true, match: (line, steps) => run(program, mayStart, line, steps) }
}

/** Append the instructions of a pattern; false: they are too many. */
function emit(pattern: Pattern, program: Instruction[]): boolean {
  if (program.length >= LIMITS.files.patternStatesMax) return false
  switch (pattern.type) {
    case 'character':
      program.push({ op: 'character', test: pattern.test })
      return true
    case 'assertion':
      program.push({ op: 'assert', at: pattern.at })
      return true
    case 'sequence':
      return pattern.items.every((item) => emit(item, program))
    case 'choice':
      return emitChoice(pattern.items, program)
    case 'repeat':
      return emitRepeat(pattern, program)
  }
}

function emitChoice(items: readonly Pattern[], program: Instruction[]): boolean {
  const fork = forkIn(program)
  const ends: number[][] = []
  const fits = items.every((item) => {
    fork.push(program.length)
    const emitted = emit(item, program)
    ends.push(forkIn(program))
    return emitted
  })
  for (const end of ends) end.push(program.length)
  return fits
}

function emitRepeat({ item, min, max }: Pattern & { type: 'repeat' }, program: Instruction[]): boolean {
  for (let count = 0; count < min; count++) {
    const before = program.length
    if (!emit(item, program)) return false
    if (program.length === before) return true
  }
  if (max === Infinity) {
    const start = program.length
    const fork = forkIn(program)
    fork.push(program.length)
    const fits = emit(item, program)
    forkIn(program).push(start)
    fork.push(program.length)
    return fits
  }
  const skips: number[][] = []
  for (let count = min; count < max; count++) {
    const skip = forkIn(program)
    skip.push(program.length)
    skips.push(skip)
    if (!emit(item, program)) return false
  }
  for (const skip of skips) skip.push(program.length)
  return true
}

/** A new fork; where it leads is written into what is returned. */
function forkIn(program: Instruction[]): number[] {
  const to: number[] = []
  program.push({ op: 'fork', to })
  return to
}

/** Whether a match may begin with a character; null: one may begin before any. */
type MayStart = ((character: string) => boolean) | null

/** Characters whose answer is remembered. */
const KNOWN_MAX = 5_000

function startOf(program: readonly Instruction[]): MayStart {
  const reached = new Set([0])
  for (const state of reached) {
    const instruction = program[state]
    if (instruction?.op === 'fork') for (const to of instruction.to) reached.add(to)
    if (instruction?.op === 'assert' || instruction?.op === 'match') return null
  }
  const tests = [...reached].flatMap((state) => {
    const instruction = program[state]
    return instruction?.op === 'character' ? [instruction.test] : []
  })
  const known = new Map<string, boolean>()
  return (character) => {
    const answer = known.get(character) ?? tests.some((test) => test(character))
    if (known.size < KNOWN_MAX) known.set(character, answer)
    return answer
  }
}

/** So many characters that begin nothing are passed over in the time of a step. */
const PASSED_PER_STEP = 8

/** The next place where a match may begin. */
function nextStart(mayStart: NonNullable<MayStart>, line: string, from: number, steps: StepBudget): number {
  let at = from
  while (at < line.length) {
    const character = line.charAt(at)
    if (character >= '\uD800' && character <= '\uDFFF') break
    if (mayStart(character)) break
    at++
  }
  steps.left -= Math.floor((at - from) / PASSED_PER_STEP)
  return at
}

function run(program: readonly Instruction[], mayStart: MayStart, line: string, steps: StepBudget): number | null {
  let states: number[] = []
  const seen = new Int32Array(program.length).fill(-1)
  for (let at = 0; at <= line.length;) {
    if (mayStart && states.length === 0) at = nextStart(mayStart, line, at, steps)
    const reached = closure(program, [...states, 0], { line, at, seen, steps })
    if (reached === null) return at
    if (steps.left <= 0) return null
    const character = String.fromCodePoint(line.codePointAt(at) ?? 0)
    states = []
    for (const state of reached) {
      const instruction = program[state]
      if (instruction?.op === 'character' && at < line.length && instruction.test(character)) states.push(state + 1)
    }
    at += at < line.length ? character.length : 1
  }
  return null
}

interface Place {
  line: string
  at: number
  /** By state: the last place where it was reached. */
  seen: Int32Array
  steps: StepBudget
}

/** The states that wait for a character when these are reached at a place; null: the pattern has matched. */
function closure(program: readonly Instruction[], from: readonly number[], place: Place): number[] | null {
  const open = [...from]
  const waiting: number[] = []
  for (let state = open.pop(); state !== undefined && place.steps.left > 0; state = open.pop()) {
    if (place.seen[state] === place.at) continue
    place.seen[state] = place.at
    place.steps.left--
    const instruction = program[state]
    if (instruction?.op === 'match') return null
    if (instruction?.op === 'character') waiting.push(state)
    if (instruction?.op === 'fork') for (const to of instruction.to) open.push(to)
    if (instruction?.op === 'assert' && holds(instruction.at, place)) open.push(state + 1)
  }
  return waiting
}

const WORD = /\w/

function holds(assertion: Assertion, { line, at }: Place): boolean {
  if (assertion === 'start') return at === 0
  if (assertion === 'end') return at === line.length
  const isBorder = WORD.test(line[at - 1] ?? '') !== WORD.test(line[at] ?? '')
  return isBorder === (assertion === 'word')
}
