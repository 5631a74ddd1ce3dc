import { useEffect, useRef } from 'preact/hooks'
import { parse, stringify } from 'yaml'
import type { Signal } from '@preact/signals'
import { isObject } from '../../lib/json.ts'
import { GrowingText } from '../ui/growing-text.tsx'
import { ProblemLine } from '../ui/problem.tsx'
import type { WrittenWorkflow } from './definition.ts'
import { workflowTexts } from './texts.ts'

interface Props {
  /** It cannot have another; null: it is new. */
  name: string | null
  workflow: Signal<WrittenWorkflow>
  /** As it was typed; empty: the fields were last. */
  written: Signal<string>
  /** Whether the text is a workflow. */
  isReadable: Signal<boolean>
  /** What is wrong with the text, with its lines. */
  problem: string | null
}

/** All of a workflow as YAML, of which JSON is a part: the same as in the fields. While it is none, the fields stay as they were. */
export function WholeText({ name, workflow, written, isReadable, problem }: Props) {
  const t = workflowTexts()
  const room = useRef<HTMLTextAreaElement>(null)
  const fault = written.value === '' ? null : faultOf(written.value)
  const given = workflow.value['name']
  const isRenamed = name !== null && given !== undefined && given !== name
  const text = {
    get value() {
      return written.value || stringify(workflow.value, { lineWidth: 0 })
    },
    set value(typed: string) {
      written.value = typed
      const read = readOf(typed)
      if (read) workflow.value = read
    },
  }
  useEffect(() => {
    isReadable.value = fault === null
  }, [fault])
  useEffect(() => {
    if (problem !== null) room.current?.focus()
  }, [problem])
  return (
    <>
      <p class="hint">{t.yamlHint}</p>
      <GrowingText room={room} value={text} label={t.yaml} rows={12} mono />
      <ProblemLine text={fault ?? (isRenamed ? t.nameStays(name) : problem)} />
    </>
  )
}

function readOf(text: string): WrittenWorkflow | null {
  try {
    const value: unknown = parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** Why a text is no YAML of a workflow; null: it is. */
function faultOf(text: string): string | null {
  try {
    return isObject(parse(text)) ? null : workflowTexts().noObject
  } catch (error) {
    return workflowTexts().noYaml(String(error instanceof Error ? error.message : error).split(/:?\n/, 1)[0] ?? '')
  }
}
