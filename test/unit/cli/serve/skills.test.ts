import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, test } from 'vitest'
import { skillFolders } from '../../../../src/build/skill-folders.ts'
import { skillProblems } from '../../../../src/cli/serve/skills.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

function folderWith(skills: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'yaa-skills-'))
  folders.push(folder)
  for (const [name, text] of Object.entries(skills)) {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'SKILL.md'), text)
  }
  return folder
}

const skill = (name: string, prompt: string) =>
  `---\nname: ${name}\ndescription: x\nmetadata:\n  version: "1"\n---\n${prompt}`

describe('what a check of the skills folder finds', () => {
  test('is nothing in the one that comes with the product', async ({ expect }) => {
    expect(await skillProblems({})).toEqual([])
  })

  test('is a bad skill, with its field; one without a translation or with tools that are not here is good', async ({
    expect,
  }) => {
    const strange = skill('strange', 'x').replace('metadata', 'allowed-tools: Bash Read\nmetadata')
    const folder = folderWith({ good: skill('good', 'x'), bad: skill('bad', '{{x}}'), none: '', strange })
    expect(await skillProblems({}, folder)).toEqual([
      { skill: 'bad', path: 'prompt', message: expect.stringContaining('unknown variable x') },
      { skill: 'none', path: '', message: expect.stringContaining('a SKILL.md') },
    ])
  })

  test('is nothing of what lies elsewhere and is only linked', async ({ expect }) => {
    const folder = folderWith({ good: skill('good', 'x') })
    symlinkSync('/etc/hostname', join(folder, 'good', 'host.txt'))
    expect(skillFolders(folder)).toEqual({ good: { en: skill('good', 'x') } })
  })
})
