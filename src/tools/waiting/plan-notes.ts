import * as z from 'zod'
import { LIMITS } from '../../domain/limits.ts'
import { defineTool } from '../define.ts'
import { WAIT_TEXTS } from './texts.ts'

const { notesMax, noteCharsMax } = LIMITS.wait

const NOTE_STATES = ['todo', 'doing', 'done'] as const

const input = z.strictObject({
  items: z
    .array(z.strictObject({ text: z.string().trim().min(1).max(noteCharsMax), state: z.enum(NOTE_STATES) }))
    .max(notesMax),
})

/** The model's own list of what is to be done. Each call gives the whole list anew; the console shows the newest. */
export const planNotes = defineTool({
  id: 'plan_notes',
  names: { 'zh-CN': '待办清单', en: 'plan_notes' },
  description: {
    'zh-CN': '记下任务的待办清单；每次给出完整清单，有变化就更新。',
    en: 'Keep the to-do list of the task: give it whole each time, whenever it changes.',
  },
  risk: 'read',
  idempotent: true,
  synchronous: true,
  optIn: true,
  input,
  parameters: {
    items: {
      names: { 'zh-CN': '事项', en: 'items' },
      description: { 'zh-CN': '按次序，各带状态', en: 'in order, each with its state' },
    },
  },
  run: ({ items }, { language }) => {
    const done = items.filter(({ state }) => state === 'done').length
    return { ok: true, content: WAIT_TEXTS[language].notes(done, items.length), essence: JSON.stringify(items) }
  },
})
