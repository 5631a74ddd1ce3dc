import { useEffect } from 'preact/hooks'
import { useSignal } from '@preact/signals'
import type { FileData } from '../../domain/file.ts'
import { client } from '../api.ts'
import { texts } from '../language.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { useLoaded } from '../ui/loaded.tsx'
import { ProblemLine } from '../ui/problem.tsx'

const PREVIEW_BYTES_MAX = 512 * 1_024
/** Pictures that cannot hold script; an SVG is one too where it is only an image. */
const PICTURE = /^image\/(png|jpeg|gif|webp|avif|svg\+xml)\b/
const TEXT = /^(text\/|application\/(json|xml|javascript|yaml|x-))/

/** What is in a file: a picture, Markdown, or text as it is. */
export function Preview({ file, address }: { file: FileData; address: string }) {
  const isPicture = PICTURE.test(file.content_type)
  const isText = TEXT.test(file.content_type) || file.size === 0
  const isShown = (isPicture || isText) && file.size <= PREVIEW_BYTES_MAX
  const bytes = useLoaded(
    async () => (isShown ? (await client.value.send({ path: address, headers: { accept: '*/*' } })).blob() : null),
    [address, file.sha256],
  )
  const blob = bytes.value.value
  return (
    <section class="preview" aria-label={texts().files.preview}>
      <h2>{file.path}</h2>
      <ProblemLine text={bytes.problem.value} />
      {isShown ? null : <p class="dim">{texts().files.noPreview}</p>}
      {blob === null ? null : isPicture ? <Picture blob={blob} file={file} /> : <TextOf blob={blob} file={file} />}
    </section>
  )
}

function Picture({ blob, file }: { blob: Blob; file: FileData }) {
  const address = useSignal('')
  useEffect(() => {
    address.value = URL.createObjectURL(new Blob([blob], { type: file.content_type }))
    return () => URL.revokeObjectURL(address.value)
  }, [blob])
  return address.value === '' ? null : <img src={address.value} alt={file.path} />
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
