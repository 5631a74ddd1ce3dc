import { Command, CommanderError, Option } from 'commander'
import { expect, test } from 'vitest'
import { languageIn, valueReaders } from '../../../src/cli/arguments.ts'
import { textsOf } from '../../../src/cli/texts.ts'
import { usageText } from '../../../src/cli/usage.ts'
import type { Language } from '../../../src/domain/language.ts'

/** What is told of wrong arguments of a command. */
function told(args: string[], language: Language): string {
  const texts = textsOf(language)
  const command = new Command('serve')
    .argument('<task>')
    .addOption(new Option('--port <n>').argParser(valueReaders(texts).port))
    .addOption(new Option('--mode <name>').choices(['agent', 'plan']))
    .requiredOption('--file <file>')
    .exitOverride()
    .configureOutput({ outputError: () => {} })
  try {
    command.parse(args, { from: 'user' })
    return ''
  } catch (error) {
    if (error instanceof CommanderError) return usageText(error, 'yaa serve', texts)
    throw error
  }
}

test.for([
  [
    ['x', '--file', 'f', '--zzzzzz'],
    "unknown option '--zzzzzz'; see `yaa serve --help`",
    '没有选项 --zzzzzz；用法见 `yaa serve --help`',
  ],
  [
    ['x', '--file', 'f', '--prot', '1'],
    "unknown option '--prot'; did you mean --port?",
    '没有选项 --prot；你是不是要用 --port？',
  ],
  [['--file', 'f'], 'missing argument <task>; see `yaa serve --help`', '缺少参数 <task>；用法见 `yaa serve --help`'],
  [
    ['x', '--file', 'f', '--port', 'z'],
    "--port <n>: expected a port from 0 to 65535, got 'z'",
    '--port <n>：应为 0 到 65535 的端口，给出的是“z”',
  ],
  [
    ['x', '--file', 'f', '--mode', 'z'],
    "--mode <name>: expected agent | plan, got 'z'",
    '--mode <name>：应为 agent | plan，给出的是“z”',
  ],
  [
    ['x', '--file'],
    '--file <file>: the value is missing; see `yaa serve --help`',
    '--file <file>：缺少值；用法见 `yaa serve --help`',
  ],
  [['x'], '--file <file> is required; see `yaa serve --help`', '必须给出 --file <file>；用法见 `yaa serve --help`'],
  [['x', 'y', '--file', 'f'], 'too many arguments; see `yaa serve --help`', '参数过多；用法见 `yaa serve --help`'],
] as const)('%s is told as "%s", and in Chinese', ([args, en, zh]) => {
  expect([told([...args], 'en'), told([...args], 'zh-CN')]).toEqual([en, zh])
})

test('--lang is found in either form, before or behind the command', () => {
  expect(
    [
      ['--lang', 'zh', 'task'],
      ['task', '--lang=zh-CN'],
      ['task', 'x'],
    ].map(languageIn),
  ).toEqual(['zh', 'zh-CN', undefined])
})
