import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import { checkAddress } from '../../../src/net/address.ts'
import type { AddressProblem } from '../../../src/net/outcome.ts'

const PRIVATE = [
  // loopback in every spelling of IPv4
  'http://127.0.0.1/',
  'http://127.0.0.1.',
  'http://127.1/',
  'http://127.0.1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.0.0.1/',
  'http://017700000001/',
  'http://0177.0.0.01/',
  'http://127.255.255.254:8080/x',
  'http://１２７.０.０.１/',
  'http://127。0。0。1/',
  'http://%31%32%37.0.0.1/',
  'http://127.0.0.1\\@example.com/',
  'http:127.0.0.1',
  'http:\\\\127.0.0.1\\',
  'http://\t127.0.0.1/',
  // unspecified, private, link-local, metadata, shared, multicast, reserved, documentation
  'http://0/',
  'http://0.0.0.0/',
  'http://0.1.2.3/',
  'http://10.0.0.1/',
  'http://10.255.255.255/',
  'http://172.16.0.1/',
  'http://172.31.255.254/',
  'http://192.168.1.1/',
  'http://3232235777/',
  'http://169.254.169.254/latest/meta-data/',
  'http://0xA9FEA9FE/',
  'http://100.64.0.1/',
  'http://100.100.100.200/',
  'http://168.63.129.16/',
  'http://192.0.0.192/',
  'http://192.0.2.1/',
  'http://192.88.99.1/',
  'http://198.18.0.1/',
  'http://198.51.100.7/',
  'http://203.0.113.9/',
  'http://224.0.0.1/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
  // IPv6, and IPv4 inside it
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::]/',
  'http://[::127.0.0.1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::ffff:0:127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[64:ff9b::8.8.8.8]/',
  'http://[64:ff9b:1::a00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[2002:808:808::1]/',
  'http://[2001:0:1:2:3:4:5:6]/',
  'http://[2001:470:1::5efe:7f00:1]/',
  'http://[2a00:1450::200:5efe:10.0.0.1]/',
  'http://[fe80::1]/',
  'http://[fec0::1]/',
  'http://[fc00::1]/',
  'http://[fd00:ec2::254]/',
  'http://[ff02::1]/',
  'http://[100::1]/',
  'http://[2001:db8::1]/',
  'http://[3fff::1]/',
  'http://[5f00::1]/',
  'http://[4000::1]/',
  // names
  'http://localhost/',
  'http://LOCALHOST:8080/',
  'http://localhost./',
  'http://ｌｏｃａｌｈｏｓｔ/',
  'http://app.localhost/',
  'http://localhost.localdomain/',
  'http://printer.local/',
  'http://nas.lan/',
  'http://router.home.arpa/',
  'http://metadata.google.internal/computeMetadata/v1/',
  'http://metadata/',
  'http://intranet/',
  'http://kubernetes.default.svc.cluster.local/',
  'http://wiki.corp/',
  'http://fritz.box/',
  'http://127.0.0.1.nip.io/',
  'http://a.b.c.10-0-0-1.sslip.io/',
  'http://app.localtest.me/',
  'http://7f000001.nip.io/',
  'http://make-127-0-0-1-rr.1u.ms/',
  'http://app.localhost.direct/',
  'http://x.local.gd/',
  'http://spoofed.burpcollaborator.net/',
  'http://10-0-0-1.1234abcd.plex.direct/',
  // a private address written into a name of any zone
  'http://127.0.0.1.example.com/',
  'http://www.192.168.1.1.example.com/',
  'http://app-10-1-2-3.example.com/',
  'http://169-254-169-254.example.com/',
  // names at which a cloud or a cluster answers its own machines
  'http://metadata.tencentyun.com/',
  'http://instance-data/latest/',
  'http://instance-data.ec2.internal/',
  'http://host.docker.internal/',
  'http://kubernetes.default.svc/',
  'http://wiki.intra/',
  'http://nas.localnet/',
  'http://setup.router/',
  'http://files.workgroup/',
  'http://host..example.com/',
  'http://example.com../',
  'http://./',
]

const PUBLIC = [
  'http://example.com/',
  'https://example.com:8443/a?b#c',
  'https://example.com./',
  'https://例子.测试.cn/',
  'https://sub.domain.example.org/',
  'https://localhost.example.com/',
  'https://mylocal.com/',
  'https://internal.com/',
  'https://lan.io/',
  'https://8-8-8-8.example.com/',
  'https://ec2-54-12-34-56.compute-1.amazonaws.com/',
  'https://docs-10-2.example.com/',
  'https://v1.10.0.example.com/',
  'https://build-2025-10-0-0-1x.example.com/',
  'https://999-10-0-0.example.com/',
  'http://8.8.8.8/',
  'http://134744072/',
  'http://172.15.0.1/',
  'http://172.32.0.1/',
  'http://100.63.255.255/',
  'http://100.128.0.1/',
  'http://192.169.0.1/',
  'http://223.255.255.1/',
  'https://[2606:4700::1111]/',
  'https://[2a00:1450:4001:800::200e]/',
]

const OTHERWISE: [string, AddressProblem][] = [
  ['ftp://example.com/', 'scheme'],
  ['file:///etc/passwd', 'scheme'],
  ['javascript:alert(1)', 'scheme'],
  ['data:text/html,x', 'scheme'],
  ['ws://example.com/', 'scheme'],
  ['https://user@example.com/', 'credentials'],
  ['https://user:password@example.com/', 'credentials'],
  ['https://:password@example.com/', 'credentials'],
  ['http://example.com@127.0.0.1/', 'credentials'],
  ['', 'not_an_address'],
  ['example.com', 'not_an_address'],
  ['http://', 'not_an_address'],
  ['http://256.256.256.256/', 'not_an_address'],
  ['http://[::1/', 'not_an_address'],
  ['http://exa mple.com/', 'not_an_address'],
  ['http://[fe80::1%25eth0]/', 'not_an_address'],
  ['http://127.0.0.1%00.example.com/', 'not_an_address'],
  ['http://1.1.1.1.1/', 'not_an_address'],
  ['http://example.0x7f/', 'not_an_address'],
  ['https://example.com:99999/', 'not_an_address'],
  [`https://example.com/${'a'.repeat(LIMITS.web.urlCharsMax)}`, 'too_long'],
]

describe('without exceptions', () => {
  test.each(PRIVATE)('%s is refused as private', (address) => {
    expect(checkAddress(address, [])).toEqual({ ok: false, detail: 'private' })
  })

  test.each(PUBLIC)('%s is public', (address) => {
    expect(checkAddress(address, [])).toMatchObject({ ok: true, listed: false })
  })

  test.each(OTHERWISE)('%s is refused: %s', (address, detail) => {
    expect(checkAddress(address, [])).toEqual({ ok: false, detail })
  })
})

describe('an exception', () => {
  const listed = (address: string, ...entries: string[]) => checkAddress(address, entries)

  test.each([
    ['http://127.0.0.1:9002/x', '127.0.0.1:9002'],
    ['http://2130706433:9002/x', '127.0.0.1:9002'],
    ['http://127.0.0.1:9002/x', '127.1:9002'],
    ['http://localhost/', 'localhost:80'],
    ['https://localhost/', 'localhost:443'],
    ['http://LOCALHOST.:3000/', 'localhost:3000'],
    ['http://[::1]:8080/', '[0:0::1]:8080'],
    ['http://wiki.corp:8000/', 'WIKI.corp:8000'],
    ['http://site.example.com:8000/', 'site.example.com:8000'],
  ])('lets %s pass for %s', (address, entry) => {
    expect(listed(address, 'other.example.com:1', entry)).toMatchObject({ ok: true, listed: true })
  })

  test.each([
    ['http://127.0.0.1:9003/', '127.0.0.1:9002'],
    ['http://127.0.0.1/', '127.0.0.1:9002'],
    ['https://127.0.0.1/', '127.0.0.1:80'],
    ['http://127.0.0.2:9002/', '127.0.0.1:9002'],
    ['http://localhost:9002/', '127.0.0.1:9002'],
    ['http://127.0.0.1:9002/', 'localhost:9002'],
    ['http://[::ffff:127.0.0.1]:9002/', '127.0.0.1:9002'],
    ['http://app.localhost:9002/', 'localhost:9002'],
    ['http://127.0.0.1:9002/', 'not an entry'],
  ])('keeps %s refused for %s', (address, entry) => {
    expect(listed(address, entry)).toEqual({ ok: false, detail: 'private' })
  })

  test('does not excuse credentials or another scheme', () => {
    expect(listed('http://a:b@127.0.0.1:9002/', '127.0.0.1:9002')).toEqual({ ok: false, detail: 'credentials' })
    expect(listed('ftp://127.0.0.1:9002/', '127.0.0.1:9002')).toEqual({ ok: false, detail: 'scheme' })
  })
})
