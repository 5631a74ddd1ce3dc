import { strToU8, zipSync } from 'fflate'
import { describe, test } from 'vitest'
import { skillFiles } from '../../../src/build/skill-folders.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import type { SkillDefinition } from '../../../src/domain/skill.ts'
import type { SkillSurroundings } from '../../../src/skills/check-skill.ts'
import { phraseInChinese } from '../../../src/http/refusal-words.ts'
import { readZip } from '../../../src/skills/folder.ts'
import { SkillRegistry } from '../../../src/skills/registry.ts'
import { KnownSkills } from '../../../src/skills/known-skills.ts'
import { checkSkillFile, filesBeside } from '../../../src/skills/shipped.ts'
import { warningsOf } from '../../../src/skills/warnings.ts'
import { skillMarkdown } from '../../../src/skills/write-skill.ts'

const AROUND: SkillSurroundings = {
  tools: [{ id: 'web_access', names: { 'zh-CN': '网页访问', en: 'web_access' } }],
  hasModel: (alias) => alias === 'known',
  teamIssues: async () => [],
}
const FOLDER = skillFiles('test/contract/skills/brand-report')
const registry = (files = { 'brand-report': FOLDER }) =>
  new SkillRegistry(AROUND, { files: async () => files, tenants: null }, new KnownSkills(null, () => 0))
const definitionOf = async (text: string): Promise<SkillDefinition> => {
  const checked = await checkSkillFile(text, AROUND)
  if (!checked.ok) throw new Error(JSON.stringify(checked.issues))
  return checked.skill
}

describe('a folder of the Agent Skills format', () => {
  test('loads as it is, without a version or a translation, and its files are named', async ({ expect }) => {
    const { skills, problems } = await registry().loadShipped()
    expect(problems).toEqual([])
    const { definition, texts } = skills.get('brand-report') ?? {}
    expect(texts).toEqual({})
    expect(definition).toMatchObject({ name: 'brand-report', version: '1', tools: ['web_access'] })
    expect(definition?.files).toEqual([
      { path: 'LICENSE.txt', size: 28, text: true },
      { path: 'assets/logo.png', size: 69, text: false },
      { path: 'assets/template.html', size: 36, text: true },
      { path: 'references/voice.md', size: 84, text: true },
      { path: 'references/语气.md', size: 59, text: true },
      { path: 'scripts/count.py', size: 49, text: true },
    ])
    expect(definition?.extra).toEqual({
      license: 'Apache-2.0. LICENSE.txt has the complete terms.',
      compatibility: 'Written for agents with a shell; needs Python 3.11.',
      'disable-model-invocation': false,
      'argument-hint': '[quarter]',
      metadata: { author: 'example-org', tags: ['report', 'brand'] },
      'allowed-tools': 'Read Bash(python scripts/count.py *) web_access Write',
    })
  })

  test('says in both languages what of it does not work here', async ({ expect }) => {
    const definition = (await registry().loadShipped()).skills.get('brand-report')?.definition
    if (!definition) throw new Error('it did not load')
    const en = warningsOf(definition, AROUND, 'en')
    expect(en.map(({ path }) => path)).toEqual(['allowed-tools', 'allowed-tools', 'allowed-tools', 'scripts', 'files'])
    expect(en.map(({ message }) => message).join('\n')).toMatch(
      /no tool Bash\(python scripts\/count\.py \*\)[^]*not run here/,
    )
    const zh = warningsOf(definition, AROUND, 'zh-CN')
    expect(zh.every(({ message }) => /\p{Script=Han}/u.test(message))).toBe(true)
    expect(zh.map(({ path }) => path)).toEqual(en.map(({ path }) => path))
  })

  test('gives its files by path, and nothing that lies elsewhere', async ({ expect }) => {
    const skills = registry()
    const found = await skills.find('default', 'brand-report')
    if (!found) throw new Error('it did not load')
    const text = async (path: string) => {
      const bytes = await skills.file('default', found, path)
      return bytes && new TextDecoder().decode(bytes)
    }
    expect(await text('references/voice.md')).toContain('Juniper 7')
    expect(await text('references/none.md')).toBeNull()
    expect(await text('../index.ts')).toBeNull()
    expect((await skills.files('default', found)).map(({ path }) => path)).toHaveLength(6)
  })
})

describe('allowed-tools', () => {
  const head = (line: string) => `---\nname: a\ndescription: x\n${line}\n---\nHello`

  test('may name what is not here: the skill loads without it, and says so', async ({ expect }) => {
    const skill = await definitionOf(head('allowed-tools: [Read, web_access, "Bash(git:*)"]'))
    expect(skill.tools).toEqual(['web_access'])
    expect(warningsOf(skill, AROUND, 'en')).toEqual([
      { path: 'allowed-tools', message: expect.stringContaining('no tool Read') },
      { path: 'allowed-tools', message: expect.stringContaining('no tool Bash(git:*)') },
    ])
  })

  test('does not take a name with a pattern for the whole tool', async ({ expect }) => {
    const skill = await definitionOf(head('allowed-tools: web_access(https://example.com/a, b) 网页访问'))
    expect(skill.tools).toEqual(['网页访问'])
    expect(warningsOf(skill, AROUND, 'en')).toMatchObject([
      { message: expect.stringContaining('write the name alone') },
    ])
  })
})

describe('a SKILL.md that is written', () => {
  test.for([
    FOLDER.en,
    '---\nname: a\ndescription: x\n---\nHello',
    '---\nname: a\ndescription: "x: y"\nversion: 2.10\nallowed-tools: web_access\nmetadata:\n  finish: no_call\n  temperature: 0.5\n  inputs: [{name: q, required: true}]\n  own: [1, {a: null}]\n---\n{{q}}\n\n---\n\nend',
    '---\nname: a\ndescription: |\n  two\n  lines\nhooks: {a: [yes, "no", 1e3]}\nallowed-tools:\n---\n',
  ])('is read as the same skill: %#', async (text, { expect }) => {
    const skill = await definitionOf(text)
    expect(await definitionOf(skillMarkdown(skill))).toEqual(skill)
  })

  test('has the keys of its author as they came', async ({ expect }) => {
    const written = skillMarkdown(await definitionOf(FOLDER.en))
    for (const line of FOLDER.en.split('\n').slice(0, 8)) expect(written).toContain(line)
  })

  test('has the tools of now where they were changed since', async ({ expect }) => {
    const skill = await definitionOf(FOLDER.en)
    expect(skillMarkdown({ ...skill, tools: [] })).toContain('allowed-tools: Read Bash')
    expect(skillMarkdown({ ...skill, tools: ['read_file'] })).toContain('allowed-tools: read_file\n')
  })
})

describe('a zip of a folder', () => {
  const MAIN = strToU8('---\nname: a\ndescription: x\n---\nHello')
  const zip = (files: Record<string, Uint8Array>, level: 0 | 6 = 6) =>
    zipSync({ 'a/SKILL.md': MAIN, ...files }, { level })
  const issues = async (bytes: Uint8Array) => {
    const read = await readZip(bytes)
    return read.ok ? [] : read.issues.map(({ path }) => path)
  }

  test('is read, packed or not, with SKILL.md at its top or in its one folder', async ({ expect }) => {
    const files = Object.fromEntries(filesBeside(FOLDER).map(({ path, bytes }) => [`brand-report/${path}`, bytes]))
    for (const level of [0, 6] as const) {
      const read = await readZip(zipSync({ 'brand-report/SKILL.md': strToU8(FOLDER.en), ...files }, { level }))
      expect(read).toMatchObject({ ok: true, folder: { text: FOLDER.en } })
      expect(read.ok ? read.folder.files.map(({ path }) => path).toSorted() : []).toEqual(
        filesBeside(FOLDER)
          .map(({ path }) => path)
          .toSorted(),
      )
    }
    expect(await issues(zipSync({ 'SKILL.md': MAIN, 'references/a.md': MAIN }))).toEqual([])
  })

  test('may hold what systems leave in it, which is left out', async ({ expect }) => {
    const read = await readZip(zip({ '__MACOSX/a/._SKILL.md': MAIN, 'a/.DS_Store': MAIN, 'a/x/': new Uint8Array() }))
    expect(read).toMatchObject({ ok: true, folder: { files: [] } })
  })

  test('is refused where a path leaves the folder, whatever its spelling', async ({ expect }) => {
    for (const path of [
      '../b.md',
      'x/../../b.md',
      '/etc/passwd',
      'C:/b.md',
      '..\\b.md',
      '%2e%2e/b.md',
      'x//b.md',
      '..／b',
    ])
      expect(await issues(zip({ [`a/${path}`]: MAIN })), path).toEqual([path])
    expect(await issues(zip({ 'b/c.md': MAIN }))).toEqual([''])
  })

  test('is refused where it is no zip, holds no SKILL.md, or links', async ({ expect }) => {
    expect(await issues(strToU8('PK, but none'))).toEqual([''])
    expect(await issues(new Uint8Array())).toEqual([''])
    const said = async (bytes: Uint8Array) => {
      const read = await readZip(bytes)
      return read.ok ? '' : (read.issues[0]?.message ?? '')
    }
    expect(await said(strToU8('\x89PNG'))).toMatch(/SKILL\.md alone: this file is neither$/)
    expect(await said(zip({}).slice(0, 40))).toMatch(/^a zip that is whole, of at most \d+ entries$/)
    for (const bytes of [strToU8('\x89PNG'), strToU8('PK')])
      expect(phraseInChinese(await said(bytes))).toMatch(/\p{Script=Han}/u)
    expect(await issues(zipSync({ 'a.md': MAIN }))).toEqual([''])
    const link = zipSync({ 'a/SKILL.md': MAIN, 'a/link': [strToU8('/etc/passwd'), { os: 3, attrs: 0o120777 << 16 }] })
    expect(await issues(link)).toEqual(['a/link'])
  })

  test('is bounded: files, their number, and all of them together', async ({ expect }) => {
    const { folderFileBytesMax, folderBytesMax, filesMax } = LIMITS.skill
    expect(await issues(zip({ 'a/big': new Uint8Array(folderFileBytesMax + 1) }))).toEqual(['big'])
    const many = (count: number, bytes: number) =>
      zip(Object.fromEntries(Array.from({ length: count }, (_, n) => [`a/${n}`, new Uint8Array(bytes)])))
    expect(await issues(many(filesMax, 1))).toEqual([])
    expect(await issues(many(filesMax + 1, 1))).toEqual([''])
    expect(await issues(many(1 + folderBytesMax / folderFileBytesMax, folderFileBytesMax))).toEqual([''])
  })

  test('that unpacks to more than it says is not unpacked further', async ({ expect }) => {
    const bomb = zip({ 'a/big': new Uint8Array(3_000_000) })
    const view = new DataView(bomb.buffer, bomb.byteOffset, bomb.byteLength)
    for (let at = 0; at < bomb.length - 4; at++)
      if (view.getUint32(at, true) === 0x02014b50 && view.getUint32(at + 24, true) === 3_000_000)
        view.setUint32(at + 24, 10, true)
    expect(await issues(bomb)).toEqual(['a/big'])
  })

  test('whatever bytes it has, it is read or refused', async ({ expect }) => {
    const good = zip({ 'a/references/x.md': MAIN })
    let seed = 7
    const random = () => (seed = (seed * 48_271) % 2_147_483_647)
    for (let round = 0; round < 500; round++) {
      const bad = good.slice(0, good.length - (round % 3 === 0 ? random() % good.length : 0))
      for (let changes = 0; changes < 3 && bad.length > 0; changes++) bad[random() % bad.length] = random() % 256
      const read = await readZip(bad)
      expect(read.ok ? typeof read.folder.text : read.issues.length).toBeTruthy()
    }
  })
})
