import { useSignal } from '@preact/signals'
import type { Content } from '../../domain/content.ts'
import type { WrittenContent } from '../../domain/content-input.ts'
import { client } from '../api.ts'
import { texts } from '../language.ts'
import { go, sessionAddress } from '../route.ts'
import type { EndItem, Feedback, Item, ReplyItem, SaidItem } from '../timeline/item.ts'
import type { Followed } from '../sessions/followed.ts'
import { forked } from '../sessions/forks.tsx'
import { copyText } from '../ui/copied.ts'
import { showDialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/marks.tsx'

/** What a person can do with what was said in a session. Each makes another session: what is there stays as it is. */
export interface MessageActs {
  /** A session that ends with the message. */
  fork: (item: SaidItem) => void
  /** Its words where one writes; sent, they go on in a session that ends before it. */
  edit: (item: SaidItem) => void
  /** A session that ends before the message whose run this is, and is given it once more. */
  retry: (item: EndItem) => void
  /** Says what one makes of an answer; true when it went well. */
  rate: (item: ReplyItem, said: Feedback) => Promise<boolean>
  /** A link by which others read the session, from the message on. */
  share: (item: Item) => void
}

/** `edit`: takes a message to be said anew. `run`: does an act and shows what went wrong. */
export function messageActs(
  session: Followed,
  edit: (item: SaidItem) => void,
  run: (act: () => Promise<void>) => Promise<boolean>,
): MessageActs {
  return {
    edit,
    rate: ({ key }, { rating, comment }) =>
      run(async () => void (await client.value.sessions.rate(session.id, key, { rating, comment }))),
    share: ({ key }) => share(session.id, key),
    fork: ({ seq }) => void run(async () => go(sessionAddress(await forked(session.id, seq)))),
    retry: (end) =>
      void run(async () => {
        const task = taskOf(end, session.timeline.items)
        if (task) await sayAgain(session.id, task, writtenWords(task.message.content))
      }),
  }
}

/** `at`: where who opens the link begins to read; null: as in any session. */
export function share(session: string, at: string | null): void {
  const load = async () => (await import('../share/share-view.tsx')).ShareView
  showDialog({ name: 'share', label: texts().chat.share }, load, { session, at })
}

/** Goes on in a session that ends before a message, and says this there in its place; what it brought along goes with it. */
export async function sayAgain(from: string, { seq, message }: SaidItem, said: WrittenContent): Promise<void> {
  const words = writtenWords(said)
  const id = await forked(from, seq - 1, words === writtenWords(message.content) ? '' : words)
  const others = await broughtAlong(message.content, from, id)
  const parts = typeof said === 'string' ? [{ type: 'text' as const, text: said }] : said
  const content =
    others.length === 0 ? said : [...parts.filter((one) => one.type !== 'text' || one.text !== ''), ...others]
  await client.value.sessions.start(id, { type: 'message', content })
  go(sessionAddress(id))
}

/** What the run was given, as far as it is read; undefined: it stands further back. */
export function taskOf({ run, seq }: EndItem, items: readonly Item[]): SaidItem | undefined {
  return items.findLast((item): item is SaidItem => isTask(item) && item.run === run && item.seq < seq)
}

/** What was said last, if it can be said anew. */
export function lastTask(items: readonly Item[]): SaidItem | undefined {
  return items.findLast((item): item is SaidItem => isTask(item) && item.seq > 1)
}

const isTask = (item: Item) =>
  item.kind === 'said' && item.message.role === 'user' && item.message.kind === 'task' && item.message.scope === null

/** What of a message was written. */
export function writtenWords(content: Content | WrittenContent): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

/** What a message has beside its words, for a fork of before: its files are not there yet. */
async function broughtAlong(content: Content, from: string, to: string) {
  const { files } = client.value
  const others = typeof content === 'string' ? [] : content.filter((part) => part.type !== 'text')
  return Promise.all(
    others.map(async (part) => {
      if (part.type === 'data') return part
      const { type, path, name, media_type: mediaType, untrusted } = part
      const bytes = new Uint8Array(await (await files.get(from, path)).arrayBuffer())
      await files.put(to, path, bytes, mediaType, { untrusted })
      return { type, path, ...(name === undefined ? {} : { name }) }
    }),
  )
}

export function ActButton({
  icon,
  label,
  onClick,
  isPressed,
}: {
  icon: Parameters<typeof Icon>[0]['name']
  label: string
  onClick: () => void
  /** Of one that is on or off. */
  isPressed?: boolean
}) {
  return (
    <button type="button" class="quiet" onClick={onClick} title={label} aria-pressed={isPressed}>
      <Icon name={icon} />
      <span class="unseen">{label}</span>
    </button>
  )
}

/** Takes a text along, and says that it did. */
export function CopyButton({ text }: { text: () => string }) {
  const isCopied = useSignal(false)
  const copy = async () => {
    await copyText(text())
    isCopied.value = true
    setTimeout(() => (isCopied.value = false), COPIED_MS)
  }
  return (
    <ActButton
      icon={isCopied.value ? 'check' : 'copy'}
      label={isCopied.value ? texts().copied : texts().copy}
      onClick={() => void copy()}
    />
  )
}

const COPIED_MS = 2_000
