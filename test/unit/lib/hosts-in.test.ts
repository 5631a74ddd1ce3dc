import { expect, test } from 'vitest'
import { hostsIn } from '../../../src/lib/hosts-in.ts'

test.each([
  ['看看example.com的首页', ['example.com']],
  ['See https://News.Example.com:8443/a?b=c, and a.b.example.org.', ['news.example.com', 'a.b.example.org']],
  ['打开 http://例子.测试/页面，好吗', ['xn--fsqu00a.xn--0zwm56d']],
  ['127.0.0.1:9002 is here', ['127.0.0.1']],
  ['v1.2 of it, e.g. 3.5 percent', []],
  ['[docs](https://docs.example/x)', ['docs.example']],
  ['打开 例子.测试，好吗', ['xn--fsqu00a.xn--0zwm56d']],
  ['read README.md, main.rs and run.sh', []],
  ['see https://readme.md/x', ['readme.md']],
  ['ftp://files.example/x', ['files.example']],
])('hosts in: %s', (text, hosts) => {
  expect(hostsIn(text)).toEqual(hosts)
})

test.each(['x', 'a.', '1.', 'a-', '://', 'a://', '例.'])('takes time linear in a long row of %s', (part) => {
  expect(hostsIn(part.repeat(100_000)).length).toBeLessThanOrEqual(1)
})
