import { useEffect, useRef } from 'preact/hooks'
import type { Page } from '../../client/http.ts'
import { ApiProblem } from '../../client/client.ts'
import type { FileData } from '../../domain/file.ts'
import { byteSize } from '../../lib/text.ts'
import { client, errorText, may, saveAs } from '../api.ts'
import { clausesText, labelledText, viewTexts, texts, timeText } from '../language.ts'
import { currentRoute, go, sessionAddress } from '../route.ts'
import type { Followed } from '../sessions/followed.ts'
import { AttachButton, DropRoom } from '../ui/attaching.tsx'
import { Picture } from '../ui/attachments.tsx'
import { besideRow, goOnAt, rowOf } from '../ui/form-focus.tsx'
import { useLoaded } from '../ui/loaded.tsx'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import { Markdown } from '../markdown/markdown.tsx'

const PAGE = 100

/** The workspace of a session. */
export function FilesView({ session }: { session: Followed }) {
  const t = viewTexts().files
  const { problem, run } = useAct()
  const path = `/v1/sessions/${session.id}/files`
  const files = useLoaded(() => allFiles(path), [session.id, session.head.value?.last_seq])
  const download = (address: string, name: string, accept: string) =>
    void run(async () => saveAs(await (await client.value.send({ path: address, headers: { accept } })).blob(), name))
  const found = files.value.value
  const { value: here } = currentRoute
  const chosen = here.page === 'session' ? found?.find((file) => file.path === here.file) : undefined
  const upload = (given: readonly File[]) =>
    void run(async () => {
      const refused: string[] = []
      for (const file of given)
        await put(session.id, file, found ?? []).catch((error: unknown) => {
          if (!(error instanceof ApiProblem)) throw error
          refused.push(labelledText(file.name, errorText(error)))
        })
      await files.reload()
      if (refused.length > 0) throw new Error(clausesText(refused))
    })
  const remove = (file: FileData) =>
    run(async () => {
      if (!confirm(t.removeAsk(file.path))) return
      const beside = besideRow(rowName(file))
      await removed(session.id, file)
      if (file === chosen) go(sessionAddress(session.id, 'files'))
      await files.reload()
      goOnAt(...beside, document.getElementById('main'))
    })
  if (found?.length === 0)
    return (
      <div class="page files">
        <ProblemLine text={problem.value} />
        <p class="empty">{t.empty}</p>
        <div class="acts centred">
          <Upload onFiles={upload} />
        </div>
      </div>
    )
  return (
    <div class="page files">
      <ProblemLine text={problem.value ?? files.problem.value} />
      <div class="acts">
        <Upload onFiles={upload} />
        <button type="button" onClick={() => download(path, `${session.id}.zip`, 'application/zip')}>
          {t.zip}
        </button>
      </div>
      <div class="table-room" tabIndex={0} role="region" aria-label={texts().chat.files}>
        <table>
          <thead>
            <tr>
              <th>{t.path}</th>
              <th>{t.size}</th>
              <th>{t.changed}</th>
              <th>
                <span class="unseen">{t.acts}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {found?.map((file) => (
              <FileRow
                key={file.path}
                file={file}
                isChosen={file === chosen}
                onChoose={() => go(sessionAddress(session.id, 'files', file.path))}
                onDownload={() => download(addressOf(path, file), nameOf(file), '*/*')}
                onRemove={() => void remove(file)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {chosen === undefined ? null : <Preview file={chosen} address={addressOf(path, chosen)} />}
    </div>
  )
}

interface RowProps {
  file: FileData
  isChosen: boolean
  onChoose: () => void
  onDownload: () => void
  onRemove: () => void
}

function FileRow({ file, isChosen, onChoose, onDownload, onRemove }: RowProps) {
  return (
    <tr {...rowOf(rowName(file))}>
      <td>
        <button type="button" class="link" aria-current={isChosen} onClick={onChoose}>
          {file.path}
        </button>{' '}
        {file.untrusted ? <span class="tag">{texts().chat.untrusted}</span> : null}
      </td>
      <td>{byteSize(file.size)}</td>
      <td>{timeText(file.updated_time)}</td>
      <td>
        <button type="button" class="quiet" onClick={onDownload}>
          {texts().download}
        </button>
        {may('run') ? (
          <button type="button" class="quiet danger" aria-label={`${texts().remove} ${file.path}`} onClick={onRemove}>
            {texts().remove}
          </button>
        ) : null}
      </td>
    </tr>
  )
}

const rowName = ({ path }: FileData) => `files.${path}`

/** Takes a file out of the workspace; one that is gone already is. */
async function removed(session: string, { path }: FileData): Promise<void> {
  await client.value.files.delete(session, path).catch((error: unknown) => {
    if (!(error instanceof ApiProblem && error.status === 404)) throw error
  })
}

function Upload({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const t = viewTexts().files
  if (!may('run')) return null
  return (
    <>
      <DropRoom onFiles={onFiles} />
      <AttachButton label={t.upload} onFiles={onFiles}>
        {t.upload}
      </AttachButton>
    </>
  )
}

/** Writes a file into the workspace, over one of the same name if that is wanted. */
async function put(session: string, file: File, known: readonly FileData[]): Promise<void> {
  const isThere = known.some(({ path }) => path === file.name)
  if (isThere && !confirm(viewTexts().files.replaceAsk(file.name))) return
  const bytes = new Uint8Array(await file.arrayBuffer())
  await client.value.files.put(session, file.name, bytes, ...(file.type === '' ? [] : [file.type]))
}

const addressOf = (path: string, file: FileData) => `${path}/${file.path.split('/').map(encodeURIComponent).join('/')}`
const nameOf = (file: FileData) => file.path.split('/').at(-1) ?? file.path

async function allFiles(path: string): Promise<FileData[]> {
  const found: FileData[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const query: { limit: number; cursor?: string } = cursor === '' ? { limit: PAGE } : { limit: PAGE, cursor }
    const page: Page<FileData> = await client.value.json<Page<FileData>>({ path, query })
    found.push(...page.data)
    cursor = page.next_cursor
  }
  return found
}

const TEXT_BYTES_MAX = 512 * 1_024
const PICTURE_BYTES_MAX = 8 * 1_024 * 1_024
/** Pictures that cannot hold script; an SVG is one too where it is only an image. */
const PICTURE = /^image\/(png|jpeg|gif|webp|avif|svg\+xml)\b/
const TEXT = /^(text\/|application\/(json|xml|javascript|yaml|x-))/

/** What is in a file: a picture, Markdown, or text as it is. */
export function Preview({ file, address }: { file: FileData; address: string }) {
  const isPicture = PICTURE.test(file.content_type)
  const isText = TEXT.test(file.content_type) || file.size === 0
  const isSmall = file.size <= (isPicture ? PICTURE_BYTES_MAX : TEXT_BYTES_MAX)
  const isShown = (isPicture || isText) && isSmall
  const bytes = useLoaded(
    async () => (isShown ? (await client.value.send({ path: address, headers: { accept: '*/*' } })).blob() : null),
    [address, file.sha256],
  )
  const blob = bytes.value.value
  const room = useRef<HTMLElement>(null)
  // Below a long list it would be out of sight.
  useEffect(() => room.current?.scrollIntoView({ block: 'nearest' }), [address, blob])
  const { noPreview, tooLarge } = viewTexts().files
  return (
    <section class="preview" aria-label={viewTexts().files.preview} ref={room}>
      <h2>{file.path}</h2>
      <ProblemLine text={bytes.problem.value} />
      {isShown ? null : <p class="dim">{isPicture || isText ? tooLarge : noPreview}</p>}
      {blob === null ? null : isPicture ? (
        <Picture blob={blob} type={file.content_type} alt={file.path} />
      ) : (
        <TextOf blob={blob} file={file} />
      )}
    </section>
  )
}

function TextOf({ blob, file }: { blob: Blob; file: FileData }) {
  const text = useLoaded(() => blob.text(), [blob]).value.value
  if (text === null) return null
  if (/\.(md|markdown)$/i.test(file.path)) return <Markdown text={text} />
  return (
    <pre class="plain" tabIndex={0}>
      {text}
    </pre>
  )
}
