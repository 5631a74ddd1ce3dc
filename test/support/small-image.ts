/** The smallest images of their kinds, and a document, as bytes. */
import { fromBase64 } from '../../src/lib/base64.ts'

export const PNG_BASE64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const GIF_BASE64 = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'
export const PNG_URL = `data:image/png;base64,${PNG_BASE64}`

export function smallPng(): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64(PNG_BASE64)
  if (bytes === null) throw new Error('the constant is base64')
  return bytes
}

/** A PDF of one page with one line. */
export function smallPdf(line: string): Uint8Array<ArrayBuffer> {
  const stream = `BT /F1 12 Tf 72 720 Td (${line}) Tj ET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  const body = objects.map((text, index) => `${index + 1} 0 obj\n${text}\nendobj\n`).join('')
  return Uint8Array.from(new TextEncoder().encode(`%PDF-1.4\n${body}trailer << /Root 1 0 R >>\n%%EOF\n`))
}
