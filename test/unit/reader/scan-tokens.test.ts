import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import { expect, test } from 'vitest'
import { scanTokens } from '../../../src/reader/scan-tokens.ts'

/** Tokens as lines: text, start tags with their attributes, end tags. Text that is told in pieces is one. */
class Lines {
  readonly lines: string[] = []
  #text = ''
  #attributes = ''

  text(text: string): void {
    this.#text += text
  }

  attribute(name: string, value: string): void {
    this.#attributes += ` ${name.toLowerCase()}=[${value}]`
  }

  tag(name: string, kind: '+' | '-'): void {
    this.end()
    this.lines.push(`${kind}${name.toLowerCase()}${kind === '+' ? this.#attributes : ''}`)
    this.#attributes = ''
  }

  end(): string[] {
    if (this.#text !== '') this.lines.push(`"${this.#text}"`)
    this.#text = ''
    return this.lines
  }
}

function ours(html: string): string[] {
  const lines = new Lines()
  scanTokens(html, {
    isForeign: () => false,
    onText: (start, end) => lines.text(html.slice(start, end)),
    onAttribute: (start, end, valueStart, valueEnd) =>
      lines.attribute(html.slice(start, end), html.slice(valueStart, valueEnd)),
    onStartTag: ({ name }) => lines.tag(name, '+'),
    onEndTag: ({ name }) => lines.tag(name, '-'),
  })
  return lines.end()
}

const nothing = () => {}

function theirs(html: string): string[] {
  const lines = new Lines()
  let [name, attribute, value] = ['', '', '']
  const onopentagend = () => lines.tag(name, '+')
  const callbacks: TokenizerCallbacks = {
    ontext: (start, end) => lines.text(html.slice(start, end)),
    onopentagname: (start, end) => (name = html.slice(start, end)),
    onattribname: (start, end) => ([attribute, value] = [html.slice(start, end), '']),
    onattribdata: (start, end) => (value += html.slice(start, end)),
    onattribend: () => lines.attribute(attribute, value),
    onopentagend,
    onselfclosingtag: onopentagend,
    onclosetag: (start, end) => lines.tag(html.slice(start, end), '-'),
    oncdata: nothing,
    oncomment: nothing,
    ondeclaration: nothing,
    onprocessinginstruction: nothing,
    onattribentity: nothing,
    ontextentity: nothing,
    onend: nothing,
  }
  const tokenizer = new Tokenizer({ xmlMode: false, decodeEntities: false }, callbacks)
  tokenizer.write(html)
  tokenizer.end()
  return lines.end()
}

const PIECES =
  '<|</|>|/>| / |<p|<DIV |<a href=|<br/>|</p>|</ p>|<!--|-->|--!>|<!-->|<!--->|--|-|<!|<!doctype html>|<?php ?>|<![if x]>|"|\'|=| = |\n|\t|x|word |' +
  'class="a b"|id=c |hidden|==b|<script>|</script>|</SCRIPT >|</scripty>|<script src=x/>|<style>|</style|<title>|</title>|<textarea>|</textarea\n>|' +
  '<iframe>|</iframe>|<xmp>|</xmp>|<noembed>|</noembed>|<noframes>|</noframes>|<noscript>|&amp;|中文|\u00a0|</|<<b>>|<1>|a<b|</3>'

test('tokens of any document are those of htmlparser2', () => {
  const pieces = PIECES.split('|')
  let seed = 7
  const next = (count: number) => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 1) % count
  for (let round = 0; round < 20_000; round += 1) {
    const written = Array.from({ length: 1 + next(14) }, () => pieces[next(pieces.length)]).join('')
    // At the end of a document htmlparser2 tells a piece of some tags as text.
    const html = `${written}-->"'></script></style></title></textarea></iframe></xmp></noembed></noframes>`
    expect(ours(html), html).toStrictEqual(theirs(html))
  }
})

test.each([
  ['a tag', '<p>text<a href="x', ['+p', '"text"']],
  ['a name', '<p>text<scr', ['+p', '"text"']],
  ['an end tag', '<p>text</p', ['+p', '"text"']],
  ['a comment', 'text<!-- x -', ['"text"']],
  ['a bracket', 'text<', ['"text<"']],
  ['a script', '<script>a</scr', ['+script', '"a</scr"']],
  ['plain text', '<plaintext>a</plaintext>b', ['+plaintext', '"a</plaintext>b"']],
])('a document that ends in %s keeps what stands before it', (_, html, tokens) => {
  expect(ours(html)).toStrictEqual(tokens)
})

test('a section of CDATA outside of XML ends with its first bracket', () => {
  expect(ours('a<![CDATA[ b > c ]]>d')).toStrictEqual(['"a c ]]>d"'])
})
