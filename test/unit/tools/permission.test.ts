import { expect, test } from 'vitest'
import type { PermissionRule } from '../../../src/domain/config.ts'
import type { Tool } from '../../../src/domain/tool.ts'
import { listFiles } from '../../../src/tools/files/tools.ts'
import { mcpTool } from '../../../src/tools/mcp/tool.ts'
import { mayReach, mayShow, verdictOn } from '../../../src/tools/permission.ts'
import { toolFor } from './http-request/world.ts'

const http = toolFor({})
const server = {
  name: 'words',
  url: 'https://words.example/',
  headers: {},
  description: null,
  enabled: true,
  trustHints: true,
  origin: 'config',
  version: '1',
} as const
const listed = { name: 'fetch', inputSchema: { type: 'object' }, annotations: { readOnlyHint: false } }
const remote = mcpTool('words__fetch', server, listed, { call: () => Promise.reject(new Error('not called')) })

function permission(tool: Tool, rule: PermissionRule, args: Record<string, unknown>) {
  const settings = { server: { tools: { [tool.id]: { rules: [rule] } } }, session: {} }
  return verdictOn(tool, settings, { arguments: args, tainted: false, unseen: false }).permission
}

test.each([
  ['a host', { host: '*.example.com' }, 'https://a.example.com/x'],
  ['the dot that ends a host', { host: 'a.example.com' }, 'https://a.example.com./x'],
  ['capitals', { host: 'A.Example.com' }, 'https://a.EXAMPLE.com/x'],
  ['a host that is not ASCII', { host: '*.例子.测试' }, 'https://a.xn--fsqu00a.xn--0zwm56d/'],
  ['a port in the rule', { host: 'a.example.com:443' }, 'https://a.example.com/x'],
  ['a port of an address in brackets', { host: '[::1]:8080' }, 'http://[::1]:8080/x'],
  ['a rule that is an address', { host: 'https://A.example.com/admin' }, 'https://a.example.com/x'],
  ['escapes of a path', { path: '/admin/**' }, 'https://a.example/%61dmin/x'],
  ['dots in a path', { path: '/admin/**' }, 'https://a.example/x/%2e%2e%2fadmin/x'],
])('a rule that denies is not got round by %s', (_, pattern, url) => {
  expect(permission(http, { ...pattern, permission: 'deny' }, { method: 'GET', url })).toBe('deny')
})

test('a rule that allows a host with a port allows no other port, and one that is an address allows nothing', () => {
  const of = (host: string, url: string) => permission(http, { host, permission: 'allow' }, { method: 'POST', url })
  expect(of('localhost:8080', 'http://localhost:8080/x')).toBe('allow')
  expect(of('localhost:8080', 'http://localhost:9090/x')).toBe('ask')
  expect(of('localhost', 'http://localhost:8080/x')).toBe('allow')
  expect(of('*.example.com:80', 'http://a.example.com/x')).toBe('allow')
  expect(of('https://a.example.com', 'https://a.example.com/x')).toBe('ask')
})

test('a rule that allows a path is not stretched by dots', () => {
  const rule = { path: '/港口/**', permission: 'allow' } as const
  const of = (url: string) => permission(http, rule, { method: 'POST', url })
  expect(of('https://a.example/港口/x')).toBe('allow')
  expect(of('https://a.example/%E6%B8%AF%E5%8F%A3/x')).toBe('allow')
  expect(of('https://a.example/港口/..%2Fadmin')).toBe('ask')
})

test('a rule that allows has to fit every address of a call, one that denies any', () => {
  const host = '*.example.com'
  const both = { list: ['https://a.example.com/', { 'https://other.example/': 1 }] }
  expect(permission(remote, { host, permission: 'allow' }, { url: 'https://a.example.com/' })).toBe('allow')
  expect(permission(remote, { host, permission: 'allow' }, both)).toBe('ask')
  expect(permission(remote, { host, permission: 'deny' }, both)).toBe('deny')
  expect(permission(remote, { host, permission: 'deny' }, { host: 'a.example.com/x' })).toBe('deny')
})

test('a rule on what is in a folder binds a call that names the folder', () => {
  const rule = { path: 'secret/**', permission: 'deny' } as const
  expect(permission(listFiles, rule, { path: 'secret/' })).toBe('deny')
  expect(permission(listFiles, rule, { path: 'secrets' })).toBe('allow')
  expect(permission(listFiles, rule, {})).toBe('allow')
})

test('a list leaves out what a rule denies, and what it asks for until a human has agreed', () => {
  const settings = {
    server: { tools: { list_files: { rules: [{ path: 'secret/**', permission: 'deny' as const }] } } },
    session: { tools: { list_files: { rules: [{ path: 'drafts/**', permission: 'ask' as const }] } } },
  }
  const shown = (path: string, isApproved: boolean) => mayShow(listFiles, settings, path, isApproved)
  expect([shown('a.md', false), shown('drafts/a.md', false), shown('secret/a.md', false)]).toEqual([true, false, false])
  expect([shown('a.md', true), shown('drafts/a.md', true), shown('secret/a.md', true)]).toEqual([true, true, false])
})

test('a redirect reaches what a call there would, or what a human agreed to', () => {
  const rules: PermissionRule[] = [
    { host: 'open.example', permission: 'allow' },
    { host: 'secret.example', permission: 'deny' },
  ]
  const settings = { server: { tools: { [http.id]: { rules } } }, session: {} }
  const call = { method: 'GET', url: 'https://open.example/' }
  const reaches = (host: string, isApproved: boolean) =>
    mayReach(http, settings, { arguments: call, address: `https://${host}/x`, isApproved })
  const hosts = ['open.example', 'other.example', 'secret.example']
  expect(hosts.map((host) => reaches(host, false))).toEqual([true, false, false])
  expect(hosts.map((host) => reaches(host, true))).toEqual([true, true, false])
})
