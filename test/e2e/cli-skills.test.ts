import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, describe, test } from 'vitest'
import { runYaa, workFolder } from '../support/cli.ts'
import { calls, startScriptedModel } from '../support/scripted-model.ts'

const FOLDER = resolve('test/contract/skills/brand-report')
const folder = workFolder()
afterAll(() => folder.remove())
const cwd = folder.path

const TEXTS = {
  en: { LANG: 'C', added: 'added skill brand-report', scripts: /scripts: 1 in scripts\/: scripts are not run here/ },
  'zh-CN': { LANG: 'zh_CN.UTF-8', added: '已添加技能 brand-report', scripts: /scripts：? ?.*不会运行脚本/ },
} as const

describe('a folder of the Agent Skills format', () => {
  test.for(['en', 'zh-CN'] as const)(
    'is added, listed with what does not work, and read (%s)',
    async (language, { expect }) => {
      const words = TEXTS[language]
      const model = await startScriptedModel({
        script: [calls('read_skill_file', { path: 'references/voice.md' }), calls('finish', { reason: 'Juniper 7' })],
      })
      const config = folder.file(`${language}.json`, {
        language,
        models: { m: { api_url: model.url, model: 'm', protocol: 'native', retry: { times: 0 } } },
        default_model: 'm',
      })
      const flags = ['--config', config, '--data', language]
      const env = { LANG: words.LANG }
      const added = await runYaa(['skills', ...flags, FOLDER], { cwd, env })
      expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining(words.added) })
      expect(added.stdout).toMatch(words.scripts)
      const listed = await runYaa(['skills', ...flags], { cwd, env })
      expect(listed.stdout).toMatch(/^brand-report +1 +tenant +Writes quarterly reports/m)
      expect(listed.stdout).toMatch(/^ {2}! allowed-tools(?:: |：).*Bash\(python scripts\/count\.py \*\)/m)
      const task = await runYaa(['task', ...flags, '--skill', 'brand-report', 'Write the report'], { cwd, env })
      expect(task).toMatchObject({ code: 0, stdout: 'Juniper 7\n' })
      const [first, second] = model.requests
      expect(JSON.stringify(first?.body)).toContain('references/语气.md')
      expect(JSON.stringify(second?.body)).toContain('Our colour is called Juniper 7.')
      await model.close()
    },
  )

  test('that is none is refused with its name: exit 2', async ({ expect }) => {
    const { code, stderr } = await runYaa(['skills', '--data', 'none', 'nowhere'], { cwd })
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'yaa: nowhere has no SKILL.md with a name\n' })
    // What else is there is not read.
    const other = await runYaa(['skills', '--data', 'none', '/proc/self'], { cwd })
    expect(other).toMatchObject({ code: 2, stderr: 'yaa: /proc/self has no SKILL.md with a name\n' })
  })

  test('whose SKILL.md cannot be read is refused with the line that is wrong, in either language', async ({
    expect,
  }) => {
    mkdirSync(join(cwd, 'odd'))
    const file = folder.file('odd/SKILL.md', '---\nname: odd\nname: even\ndescription: d\n---\nDo it.\n')
    const said = async (LANG: string) =>
      (await runYaa(['skills', '--data', 'odd', 'odd'], { cwd, env: { LANG } })).stderr
    const why = 'Map keys must be unique at line 3, column 1'
    expect(await said('C')).toBe(`yaa: ${file}: expected YAML that can be read: ${why}\n`)
    expect(await said('zh_CN.UTF-8')).toBe(`yaa: ${file}：应为可读的 YAML：${why}\n`)
  })

  test('and those that are there are described in the language of the terminal, whole in a pipe', async ({
    expect,
  }) => {
    const { stdout } = await runYaa(['skills', '--data', 'listed'], { cwd, env: { LANG: 'C' } })
    expect(stdout).not.toMatch(/\p{Script=Han}|…/u)
    expect(stdout).toMatch(/^code-review +1\.0 +shipped +Reviews code/m)
  })
})
