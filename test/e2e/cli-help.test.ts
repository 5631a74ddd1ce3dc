import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { columnsOf } from '../../src/cli/view/text.ts'
import { runYaa, workFolder } from '../support/cli.ts'

/** Of help that goes to no terminal. */
const COLUMNS = 80

const folder = workFolder()
afterAll(() => folder.remove())

const help = async (language: string, ...command: string[]) => {
  const { code, stdout } = await runYaa([...command, '--help'], { cwd: folder.path, env: { LC_ALL: language } })
  expect(code).toBe(0)
  return stdout
}
const hasChinese = (text: string) => /\p{Script=Han}/u.test(text)

describe('help', () => {
  let commands: string[]
  beforeAll(async () => {
    commands = [...(await help('C')).matchAll(/^ {2}([a-z]+) (?:\[|<)/gm)].map(([, name = '']) => name)
  })

  test('is in English without a Chinese word where the terminal does not say Chinese', async () => {
    expect(commands).toContain('serve')
    for (const command of commands) expect(hasChinese(await help('en_US.UTF-8', command))).toBe(false)
  })

  test.for([[], ['--lang', 'en'], ['--lang=en']])('of a command that there is not is refused (%j)', async (before) => {
    expect(await runYaa([...before, 'help', 'srve'], { cwd: folder.path })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: "yaa: unknown command 'srve'; did you mean serve?\n",
    })
  })

  test('is in Chinese, each line of it, where the terminal says so', async () => {
    const known = commands.filter((name) => name !== 'help')
    const shown = await Promise.all([help('zh_CN.UTF-8'), ...known.map((name) => help('zh_CN.UTF-8', name))])
    const described = shown.join('\n').match(/^ {2}\S.* {2,}\S.*$/gm) ?? []
    expect(described.length).toBeGreaterThan(50)
    expect(described.filter((line) => !hasChinese(line))).toEqual([])
    expect(shown.filter((text) => !text.startsWith('用法'))).toEqual([])
    expect(shown.flatMap((text) => text.split('\n')).filter((line) => columnsOf(line) > COLUMNS)).toEqual([])
  })
})
