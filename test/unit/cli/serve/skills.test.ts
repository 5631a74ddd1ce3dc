import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, test } from 'vitest'
import { skillProblems } from '../../../../src/cli/serve/skills.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

function folderWith(skills: Record<string, string>, index: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'yaa-skills-'))
  folders.push(folder)
  for (const [name, text] of Object.entries(skills)) {
    mkdirSync(join(folder, name))
    for (const file of ['SKILL.md', 'SKILL.zh-CN.md']) writeFileSync(join(folder, name, file), text)
  }
  writeFileSync(join(folder, 'index.ts'), index.map((name) => `import x from './${name}/SKILL.md'`).join('\n'))
  return folder
}

const skill = (name: string, prompt: string) =>
  `---\nname: ${name}\ndescription: x\nmetadata:\n  version: "1"\n---\n${prompt}`

describe('what a check of the skills folder finds', () => {
  test('is nothing in the one that comes with the product', async ({ expect }) => {
    expect(await skillProblems({})).toEqual([])
  })

  test('is a bad skill, with its field, and one that the index does not name', async ({ expect }) => {
    const folder = folderWith({ good: skill('good', 'x'), bad: skill('bad', '{{x}}'), lost: skill('lost', '') }, [
      'good',
      'bad',
    ])
    expect(await skillProblems({}, folder)).toEqual([
      { skill: 'bad', path: 'prompt', message: expect.stringContaining('unknown variable x') },
      { skill: 'lost', path: '', message: 'configs/skills/index.ts does not name it' },
    ])
  })
})
