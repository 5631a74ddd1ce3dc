import { createServer } from 'node:http'
import type { Stage } from '../support/console.ts'
import { onLoopback } from '../support/on-loopback.ts'

const SHOP = {
  openapi: '3.1.0',
  info: { title: 'Shop of the harbour', version: '2.1.0' },
  paths: {
    '/items': { get: { operationId: 'list_items' }, post: { operationId: 'add_item' } },
    '/items/{id}': { get: { operationId: 'read_item' }, delete: { operationId: 'remove_item' } },
  },
}
const DIGEST = {
  description: 'Reads a page and writes a digest of it for the team.',
  inputs: {
    type: 'object',
    properties: {
      page: { type: 'string', title: 'Page', description: 'Address of what is read' },
      length: { type: 'string', title: 'Length', enum: ['short', 'long'] },
      sentences: { type: 'integer', title: 'Sentences' },
    },
    required: ['page'],
  },
  steps: [{ id: 'read', type: 'agent', prompt: 'Read {{ inputs.page }} and sum it up.' }],
}

/** Fills the set-up of a server as people have it. What it gives ends the service that its API is of. */
export async function fillSetUp({ client, site }: Stage): Promise<() => Promise<void>> {
  const api = await onLoopback(createServer((_, response) => response.end(JSON.stringify(SHOP))))
  await client.settings.patch({ web: { allow_private_hosts: [site.host, api.host] } })
  await client.connections.create({ name: 'till', origin: api.url, secret: 'of-the-till-0123456789' })
  await client.openApiTools.create({
    name: 'shop',
    url: `${api.url}/openapi.json`,
    description: 'What is sold at the harbour, and how much of it is there.',
    auth: { connection: 'till' },
  })
  await client.workflows.put('digest', DIGEST)
  await client.webhooks.create({
    name: 'On each push',
    scheme: 'github',
    task_template: 'Review the push to {{body.repository.full_name}} by {{body.pusher.name}}.',
  })
  await client.callbacks.create({
    name: 'Harbour office',
    url: `${site.url}/ear`,
    template: 'slack',
    events: ['run.completed', 'run.failed', 'approval.requested'],
  })
  await client.schedules.create({
    name: 'Digest of the morning',
    cron: '0 7 * * 1-5',
    timezone: 'Europe/Berlin',
    workflow: 'digest',
    inputs: { page: site.url, length: 'short' },
  })
  return () => api.close()
}
