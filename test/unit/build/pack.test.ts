import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, test } from 'vitest'
import { packLater } from '../../../src/build/pack.ts'

const folder = mkdtempSync(join(tmpdir(), 'yaa-pack-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const moduleOf = (name: string, code: string, first = false) => ({ name, bytes: Buffer.from(code), first })

/** As esbuild writes what it has split. */
const SPLIT = [
  moduleOf(
    'worker.js',
    'import{a}from"./base.part.js";var t=()=>import("./b.part.js");export{a as ran,t as later};',
    true,
  ),
  moduleOf('base.part.js', 'var a=[];export{a};', true),
  moduleOf('c.part.js', 'import{a as t}from"./base.part.js";t.push("c");var e=class{name="c"};export{e as C};'),
  moduleOf(
    'b.part.js',
    'import{C as r}from"./c.part.js";import{a as t}from"./base.part.js";import*as o from"node:path";t.push("b");' +
      'var n=new r().name,s=()=>import("./c.part.js");export{n as made,o as path,s as again};\n',
  ),
]

describe('the modules that are loaded later', () => {
  test('run once, when they are first imported, each behind what it imports', async ({ expect }) => {
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    const packed = await packLater(SPLIT)
    for (const { name, bytes } of packed) writeFileSync(join(folder, name), bytes)
    const { ran, later } = await import(join(folder, 'worker.js'))
    expect(ran).toEqual([])
    const [one, other] = await Promise.all([later(), later()])
    expect(other).toBe(one)
    expect(ran).toEqual(['c', 'b'])
    expect(one.made).toBe('c')
    expect(one.path.posix.join('x', 'y')).toBe('x/y')
    const { C } = await one.again()
    expect(new C().name).toBe('c')
    expect(ran).toEqual(['c', 'b'])
  })

  test('are one module beside those of the start', async ({ expect }) => {
    const packed = await packLater(SPLIT)
    expect(packed.map(({ name, first }) => [name, first])).toEqual([
      ['worker.js', true],
      ['base.part.js', true],
      ['later.part.js', false],
    ])
  })

  test('are of ASCII, and match what they matched', async ({ expect }) => {
    const matching = moduleOf('e.part.js', 'var a=/^[·\\行\\\\]+$/,b=/^\\p{L}😀$/u;export{a as one,b as two};')
    const first = moduleOf('first.js', 'var t=()=>import("./e.part.js");export{t as later};', true)
    const ascii = join(folder, 'ascii')
    mkdirSync(ascii)
    const packed = await packLater([first, matching])
    for (const { name, bytes } of packed) writeFileSync(join(ascii, name), bytes)
    expect(packed.filter(({ bytes }) => Buffer.from(bytes).some((byte: number) => byte > 0x7f))).toEqual([])
    const { later } = await import(join(ascii, 'first.js'))
    const { one, two } = await later()
    expect([one.test('行·\\'), one.test('u'), two.test('行😀'), two.test('行')]).toEqual([true, false, true, false])
  })

  test('are refused with raw templates that are not of ASCII', async ({ expect }) => {
    const raw = moduleOf('f.part.js', 'var a=String.raw`\\d·`;export{a};')
    await expect(packLater([...SPLIT, raw])).rejects.toThrow('raw template')
  })

  test('are refused where they ask for their own address', async ({ expect }) => {
    const asking = moduleOf('d.part.js', 'var a=import.meta.url;export{a};')
    await expect(packLater([...SPLIT, asking])).rejects.toThrow('d.part.js')
  })

  test.for([
    ['as a value', 'var r=()=>1;export default r();'],
    ['where it is declared', 'export const r=1;'],
    ['in two lists', 'var r=1,s=2;export{r};export{s};'],
    ['under a name that is no identifier', 'var r=1;export{r as"a-b"};'],
    ['from another module', 'export{C}from"./c.part.js";'],
    ['with all of another module', 'export*from"./c.part.js";'],
    ['before a comment that looks like a list', 'var r=1;export{r};//export{s};'],
  ])('are refused where they export %s', async ([, code = ''], { expect }) => {
    await expect(packLater([...SPLIT, moduleOf('g.part.js', code)])).rejects.toThrow('g.part.js')
  })

  test('may speak of a list of exports, and have none', async ({ expect }) => {
    const silent = moduleOf('s.part.js', 'globalThis.packedText="//";//export{a}')
    const packed = await packLater([...SPLIT, silent])
    expect(packed.map(({ bytes }) => Buffer.from(bytes).toString()).join('')).toContain('//export{a}\nreturn{}')
  })

  test('are refused where they import each other in a circle', async ({ expect }) => {
    const one = moduleOf('x.part.js', 'import{b}from"./y.part.js";var a=()=>b;export{a};')
    const other = moduleOf('y.part.js', 'import{a}from"./x.part.js";var b=()=>a;export{b};')
    await expect(packLater([...SPLIT, one, other])).rejects.toThrow('in a circle: x.part.js, y.part.js')
    const late = moduleOf('y.part.js', 'var b=()=>import("./x.part.js");export{b};')
    await expect(packLater([...SPLIT, one, late])).resolves.toHaveLength(3)
  })

  test.for([
    ['wait at their top', 'var a=await 1;export{a};'],
    ['loop over what they wait for at their top', 'for await(let a of[])a();'],
    ['are no JavaScript', 'var a=1 2;export{a};'],
    ['import names that are no identifiers', 'import{"a-b"as t}from"./c.part.js";t();'],
    ['declare a name twice', 'import{C as t}from"./c.part.js";let t=1;export{t};'],
  ])('are refused where they %s', async ([, code = ''], { expect }) => {
    await expect(packLater([...SPLIT, moduleOf('h.part.js', code)])).rejects.toThrow('later.part.js is no JavaScript')
  })
})
