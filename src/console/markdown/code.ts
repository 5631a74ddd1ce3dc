import { texts } from '../language.ts'
import { copyButton, framed, headButton } from './frame.ts'

/** Longer code is not coloured. */
const PAINTED_CHARS_MAX = 50_000

/** What languages are called in fences, where the highlighter calls them otherwise. */
const NAMES: Readonly<Record<string, string>> = {
  javascript: 'js',
  jsx: 'js',
  mjs: 'js',
  typescript: 'ts',
  tsx: 'ts',
  python: 'py',
  sh: 'bash',
  shell: 'bash',
  zsh: 'bash',
  console: 'bash',
  rust: 'rs',
  golang: 'go',
  yml: 'yaml',
  jsonc: 'json',
  cpp: 'c',
  'c++': 'c',
  cs: 'java',
  csharp: 'java',
  kotlin: 'java',
  swift: 'java',
  svg: 'xml',
  vue: 'html',
  markdown: 'md',
  dockerfile: 'docker',
  makefile: 'make',
  perl: 'pl',
}
const KNOWN =
  'asm bash c css csv diff docker git go html http ini java js json log lua make md pl py rs sql toml ts xml yaml'
const known = new Set(KNOWN.split(' '))

/** Code in its frame, which is the same while it is written: its language, a way to wrap it, a way to copy it. */
export function codeFrame(code: HTMLPreElement, language: string): HTMLElement {
  code.tabIndex = 0
  const wraps = headButton(texts().markdown.wrap, () => {
    const isWrapped = code.classList.toggle('wrapped')
    wraps.setAttribute('aria-pressed', String(isWrapped))
  })
  wraps.setAttribute('aria-pressed', 'false')
  const copies = copyButton(texts().copy, () => code.textContent)
  return framed('code-room', language === '' ? texts().markdown.code : language, [wraps, copies], code)
}

/** Colours code whose language is known, once what can is loaded. */
export async function paint(code: HTMLPreElement, language: string): Promise<void> {
  const name = NAMES[language.toLowerCase()] ?? language.toLowerCase()
  const text = code.textContent
  if (!known.has(name) || text.length > PAINTED_CHARS_MAX) return
  const { tokenize } = await import('@speed-highlight/core')
  const pieces: (Node | string)[] = []
  await tokenize(text, name as Parameters<typeof tokenize>[1], (piece, kind) => {
    if (kind === undefined) return void pieces.push(piece)
    const span = document.createElement('span')
    span.className = `hl-${kind}`
    span.textContent = piece
    pieces.push(span)
  })
  const painted = document.createElement('code')
  painted.append(...pieces)
  if (painted.textContent === text) code.replaceChildren(painted)
}
