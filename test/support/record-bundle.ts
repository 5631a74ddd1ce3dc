// `node test/support/record-bundle.ts NAME`: keeps the Worker of this code as test/fixtures/NAME.json.gz: its modules, and the capnp
// that `yaa serve` has of it. Run it with the code of a release, so that the next can be tried beside it on the same data.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath, URL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { bundleWorker, ROOT } from '../../src/build/bundle.ts'

const FOLDER = fileURLToPath(new URL('../fixtures/', import.meta.url))
const [name] = process.argv.slice(2)
if (name === undefined) throw new Error('the name of the release is missing')

const capnp = readFileSync(`${ROOT}src/cli/serve/config.capnp`, 'utf8')
const built = await bundleWorker()
const modules = built.map((module) => ({ name: module.name, text: new TextDecoder().decode(module.bytes) }))
mkdirSync(FOLDER, { recursive: true })
writeFileSync(`${FOLDER}${name}.json.gz`, gzipSync(JSON.stringify({ capnp, modules }), { level: 9 }))
