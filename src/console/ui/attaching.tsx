import { type Signal, signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { IMAGE_TYPES } from '../../domain/content.ts'
import type { WrittenContent } from '../../domain/content-input.ts'
import { PART_LIMITS } from '../../domain/part-limits.ts'
import { toBase64 } from '../../lib/base64.ts'
import { byteSize } from '../../lib/text.ts'
import { texts } from '../language.ts'
import { forgetAllFiles, keepDraftFiles, filesOfDraft } from './kept-files.ts'
import { Icon } from './marks.tsx'
import { Picture } from './attachments.tsx'

/** Files that go along with what is being written. The device keeps them, too, where it can. */
export interface Attached {
  files: Signal<readonly File[]>
  /** Why a file was not taken, in words. */
  refused: Signal<string | null>
  add: (files: readonly File[]) => void
  /** Takes away those that were sent, or are not to be. */
  remove: (files: readonly File[]) => void
}

/** By the name of the draft that they go along with. */
const kept = new Map<string, Attached>()

/** What is attached to a draft, also after one has looked elsewhere. */
export function draftFiles(name: string): Attached {
  const known = kept.get(name)
  if (known) return known
  const files = signal<readonly File[]>([])
  const refused = signal<string | null>(null)
  const keep = async () => {
    const all = files.value
    try {
      await keepDraftFiles(name, all)
    } catch {
      if (all.length > 0 && all === files.value) refused.value = texts().attach.notKept
    }
  }
  const made: Attached = {
    files,
    refused,
    add: (more) => {
      const taken = more.filter(({ size }) => size <= PART_LIMITS.partBytesMax)
      const tooLarge = more.find((file) => !taken.includes(file))
      const all = [...files.value, ...taken]
      const bytes = all.reduce((sum, { size }) => sum + size, 0)
      if (bytes > PART_LIMITS.requestBytesMax) {
        refused.value = texts().attach.tooMuch(byteSize(PART_LIMITS.requestBytesMax))
        return
      }
      refused.value = tooLarge ? texts().attach.tooLarge(tooLarge.name, byteSize(PART_LIMITS.partBytesMax)) : null
      files.value = all
      void keep()
    },
    remove: (gone) => {
      refused.value = null
      files.value = files.value.filter((file) => !gone.includes(file))
      void keep()
    },
  }
  kept.set(name, made)
  void restore(made, name, keep)
  return made
}

/** Nothing is attached to any draft any more, here and on the device. */
export async function forgetDraftFiles(): Promise<void> {
  for (const { files, refused } of kept.values()) [files.value, refused.value] = [[], null]
  kept.clear()
  await forgetAllFiles().catch(() => {})
}

/** What was attached before the page was loaded; where the device keeps nothing there is none. */
async function restore({ files }: Attached, name: string, keep: () => Promise<void>): Promise<void> {
  const before = await filesOfDraft(name).catch(() => [])
  if (before.length === 0) return
  files.value = [...before, ...files.value]
  await keep()
}

/** Words and files as the content of a message. */
export async function withFiles(words: string, files: readonly File[]): Promise<WrittenContent> {
  if (files.length === 0) return words
  const parts = await Promise.all(files.map(partOf))
  return words === '' ? parts : [{ type: 'text', text: words }, ...parts]
}

async function partOf(file: File) {
  const data = toBase64(new Uint8Array(await file.arrayBuffer()))
  if (IMAGE_TYPES.has(file.type)) return { type: 'image' as const, name: file.name, data }
  return { type: 'file' as const, name: file.name, data, ...(file.type === '' ? {} : { media_type: file.type }) }
}

/** What is attached: pictures as they look, other files by name and size; each can be taken away. */
export function AttachedList({ attached: { files, remove } }: { attached: Attached }) {
  const t = texts()
  if (files.value.length === 0) return null
  return (
    <ul class="attachments attached" aria-label={t.chat.attachments}>
      {files.value.map((file, index) => (
        <li key={`${index} ${file.name}`}>
          {IMAGE_TYPES.has(file.type) ? (
            <Picture blob={file} type={file.type} alt={file.name} />
          ) : (
            <span class="chip">
              <Icon name="file" /> <span class="chip-name">{file.name}</span>{' '}
              <span class="dim">{byteSize(file.size)}</span>
            </span>
          )}
          <button type="button" class="take-away" title={t.attach.remove(file.name)} onClick={() => remove([file])}>
            <Icon name="cross" />
            <span class="unseen">{t.attach.remove(file.name)}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}

/** Asks for files. */
export function AttachButton({ label, children, onFiles }: FilesProps & { label: string; children?: string }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={label}
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])])
          currentTarget.value = ''
        }}
      />
      <button
        type="button"
        class={children === undefined ? 'quiet round' : ''}
        title={label}
        onClick={() => input.current?.click()}
      >
        <Icon name="attach" /> {children ?? <span class="unseen">{label}</span>}
      </button>
    </>
  )
}

interface FilesProps {
  onFiles: (files: readonly File[]) => void
}

/** Takes files that are dropped anywhere on the page while it is shown, and says so while they are above it. */
export function DropRoom({ onFiles }: FilesProps) {
  const isOver = useSignal(false)
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      isOver.value = true
    }
    const left = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) isOver.value = false
    }
    const dropped = (event: DragEvent) => {
      isOver.value = false
      const files = [...(event.dataTransfer?.files ?? [])]
      if (files.length === 0) return
      event.preventDefault()
      onFiles(files)
    }
    addEventListener('dragover', over)
    addEventListener('dragleave', left)
    addEventListener('drop', dropped)
    return () => {
      removeEventListener('dragover', over)
      removeEventListener('dragleave', left)
      removeEventListener('drop', dropped)
    }
  }, [onFiles])
  return isOver.value ? <p class="drop-room">{texts().attach.drop}</p> : null
}

/** The files of what is pasted. Of text beside a picture of it, as of cells of a sheet, the text is taken. */
export function pastedFiles({ clipboardData }: ClipboardEvent): File[] {
  if (!clipboardData || clipboardData.types.includes('text/plain')) return []
  return [...clipboardData.files]
}
