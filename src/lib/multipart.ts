/** A part of a form. `fileName` null: a field. `type` null: plain text. */
export interface FormPart {
  name: string
  fileName: string | null
  type: string | null
  content: string | Uint8Array<ArrayBuffer>
}

/** A form as `multipart/form-data` (RFC 7578). FormData gives each part that has a type a name of a file, too, and servers tell files from fields by that. */
export async function multipartOf(
  parts: readonly FormPart[],
): Promise<{ bytes: Uint8Array<ArrayBuffer>; type: string }> {
  const boundary = crypto.randomUUID().replaceAll('-', '')
  const pieces = parts.flatMap(({ name, fileName, type, content }) => {
    const file = fileName === null ? '' : `; filename="${quoted(fileName)}"`
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"${file}\r\n`
    return [head, type === null ? '' : `Content-Type: ${type}\r\n`, '\r\n', content, '\r\n']
  })
  const bytes = new Uint8Array(await new Blob([...pieces, `--${boundary}--\r\n`]).arrayBuffer())
  return { bytes, type: `multipart/form-data; boundary=${boundary}` }
}

/** As HTML has it ("Multipart form data"). */
function quoted(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
