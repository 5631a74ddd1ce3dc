import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Content, type FilePart, IMAGE_TYPES, type ImagePart } from '../../domain/content.ts'
import { byteSize } from '../../lib/text.ts'
import { client, saveAs } from '../api.ts'
import { texts } from '../language.ts'
import { useLoaded } from './loaded.tsx'
import { ProblemLine, useAct } from './problem.tsx'

/** A larger image is a file to be downloaded. */
const PICTURE_BYTES_MAX = 4 * 1_024 * 1_024

/** The files that a message names: images as they look, others with name and size. `files`: the path of the workspace; absent: it cannot be
 *  read from here. */
export function Attachments({ content, files }: { content: Content; files?: string | undefined }) {
  const named = typeof content === 'string' ? [] : content.filter(isFile)
  if (named.length === 0) return null
  return (
    <ul class="attachments" aria-label={texts().chat.attachments}>
      {named.map((part) => (
        <li key={part.path}>
          {files !== undefined && isShown(part) ? (
            <PictureAt address={addressOf(files, part)} part={part} />
          ) : (
            <Chip part={part} {...(files === undefined ? {} : { address: addressOf(files, part) })} />
          )}
        </li>
      ))}
    </ul>
  )
}

const isFile = (part: Exclude<Content, string>[number]): part is ImagePart | FilePart =>
  part.type === 'image' || part.type === 'file'
const isShown = ({ type, media_type: media, size = 0 }: ImagePart | FilePart) =>
  type === 'image' && IMAGE_TYPES.has(media) && size <= PICTURE_BYTES_MAX
const nameOf = ({ name, path }: ImagePart | FilePart) => name ?? path.split('/').at(-1) ?? path
const addressOf = (files: string, { path }: ImagePart | FilePart) =>
  `${files}/${path.split('/').map(encodeURIComponent).join('/')}`

/** The page shows its key with each request, so that an image is read before it is shown. */
function PictureAt({ address, part }: { address: string; part: ImagePart | FilePart }) {
  const bytes = useLoaded(
    async () => (await client.value.send({ path: address, headers: { accept: '*/*' } })).blob(),
    [address],
  )
  if (bytes.problem.value !== null) return <Chip part={part} address={address} />
  const blob = bytes.value.value
  return blob === null ? null : <Picture blob={blob} type={part.media_type} alt={nameOf(part)} />
}

/** An image out of bytes. */
export function Picture({ blob, type, alt }: { blob: Blob; type: string; alt: string }) {
  const address = useSignal('')
  useEffect(() => {
    address.value = URL.createObjectURL(new Blob([blob], { type }))
    return () => URL.revokeObjectURL(address.value)
  }, [blob])
  return address.value === '' ? null : <img src={address.value} alt={alt} />
}

function Chip({ part, address }: { part: ImagePart | FilePart; address?: string }) {
  const { problem, run } = useAct()
  const name = nameOf(part)
  const label = (
    <>
      {name} {part.size === undefined ? null : <span class="dim">{byteSize(part.size)}</span>}
    </>
  )
  if (address === undefined) return <span class="chip">{label}</span>
  const download = async () =>
    saveAs(await (await client.value.send({ path: address, headers: { accept: '*/*' } })).blob(), name)
  return (
    <>
      <button type="button" class="chip" title={texts().download} onClick={() => void run(download)}>
        {label}
      </button>
      <ProblemLine text={problem.value} />
    </>
  )
}
