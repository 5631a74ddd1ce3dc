import { ADMIN_KEY } from '../../support/admin-key.ts'
import { startYaa, workFolder, type Running } from '../../support/cli.ts'
import { calls, startScriptedModel, type MockModel } from '../../support/scripted-model.ts'

/** A server as anybody runs it, with a model that asks to delete a file, and then ends. */
export interface World {
  url: string
  key: string
  /** A folder of its own, for what is made of the document. */
  folder: string
  /** The OpenAPI document, as the server gives it, in a file. */
  document: string
  close(): Promise<void>
}

export async function startWorld(): Promise<World> {
  const folder = workFolder()
  const model = await startScriptedModel({
    script: [calls('delete_file', { path: NOTE.path }), calls('finish', { reason: RESULT })],
  })
  const { yaa, url } = await started(folder, model)
  const document = await fetch(`${url}/openapi.json`)
  return {
    url,
    key: ADMIN_KEY,
    folder: folder.path,
    document: folder.file('openapi.json', await document.text()),
    close: async () => {
      yaa.process.kill('SIGKILL')
      await yaa.ended
      await model.close()
      folder.remove()
    },
  }
}

async function started(
  folder: ReturnType<typeof workFolder>,
  model: MockModel,
): Promise<{ yaa: Running; url: string }> {
  const config = folder.file('config.json', {
    language: 'en',
    models: { m: { api_url: model.url, model: 'm', protocol: 'native', retry: { times: 0 } } },
    default_model: 'm',
  })
  const yaa = startYaa(['serve', '--port', '0', '--data', 'data', '--config', config], { cwd: folder.path })
  const [, port] = await yaa.says(/yaa ready on http:\/\/localhost:(\d+)\n/)
  return { yaa, url: `http://127.0.0.1:${port}` }
}

const NOTE = { path: 'note.txt', text: 'to be thrown away' }
const RESULT = 'The note is gone.'

/** What a client says at its end, in every language: it made a session, sent a file, ran, listed, decided and heard the events. */
export const REPORT = {
  title: 'Clean up',
  uploaded: [{ path: NOTE.path, size: NOTE.text.length }],
  asked: { status: 'interrupted', tool: 'delete_file', arguments: { path: NOTE.path } },
  listed: true,
  ended: { status: 'completed', result: RESULT },
  files: [],
  last_event: { type: 'run-end', status: 'completed' },
  refused: { status: 404, code: 'not_found' },
}
