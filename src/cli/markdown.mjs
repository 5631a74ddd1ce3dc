// Markdown files are texts, as they are in the Worker's bundle. Loaded before what imports them: `node --import`.
import { readFileSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

module.registerHooks?.({
  load: (url, context, next) => {
    if (!url.endsWith('.md')) return next(url, context)
    const text = readFileSync(fileURLToPath(url), 'utf8')
    return { format: 'module', shortCircuit: true, source: `export default ${JSON.stringify(text)}` }
  },
})
