import { type AppError, STATUS } from '../domain/errors.ts'
import { problemTitle } from '../domain/problem.ts'
import { ERROR_TEXTS } from './error-texts.ts'
import { TITLES_ZH } from './refusal-phrases.ts'

/** What the page may do: it is text, and brings its own style. */
export const ERROR_PAGE_POLICY =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'unsafe-inline'"

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.6 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}
section{margin:1.5rem 0}h2{font-size:1.1rem;margin:0}p{margin:.3rem 0}:target{outline:2px solid;outline-offset:.5rem}`

/** Every error that this server answers with, in both languages. The `type` of a problem leads to its entry. */
export function errorPage(): string {
  const entries = Object.keys(STATUS).filter(isCode).map(entryOf).join('\n')
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title lang="en">Errors · yaa</title><title lang="zh-CN">错误 · yaa</title><style>${STYLE}</style></head>
<body>
<h1><span lang="en">Errors</span> <span lang="zh-CN">错误</span></h1>
<p lang="en">A refusal is <code>application/problem+json</code> (RFC 9457). Its <code>type</code> leads here; <code>code</code> says the same and is stable.</p>
<p lang="zh-CN">拒绝以 <code>application/problem+json</code>（RFC 9457）给出。<code>type</code> 指向本页；<code>code</code> 与之一致，且不会改变。</p>
${entries}
</body>
</html>
`
}

function isCode(code: string): code is AppError['code'] {
  return code in ERROR_TEXTS
}

function entryOf(code: AppError['code']): string {
  const { en, 'zh-CN': zh } = ERROR_TEXTS[code]
  return `<section id="${code}"><h2><code>${code}</code> · ${STATUS[code]} · <span lang="en">${problemTitle(code)}</span> <span lang="zh-CN">${TITLES_ZH[code]}</span></h2>
<p lang="en">${marked(en)}</p><p lang="zh-CN">${marked(zh)}</p></section>`
}

const marked = (text: string) => text.replaceAll(/`([^`]+)`/g, '<code>$1</code>')
