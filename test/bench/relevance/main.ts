// `npm run bench:relevance [-- --pages DIR --seed N]`: of long texts with a known answer passage, in how many it survives when they are
// cut to 2,000 tokens: by the words of the question, and by head and tail or head alone. `--pages`: also on real pages (folders with
// source.html and expected.html), where a paragraph of the article is asked for by half of its words. Exit 0 whatever the numbers are.
import { Command } from 'commander'
import { randomOf } from '../../chaos/random.ts'
import { type Document, makeDocuments, otherForms } from './documents.ts'
import { pageDocuments } from './page-documents.ts'
import { survival, WAYS } from './survival.ts'

const command = new Command('bench:relevance')
  .option('--pages <dir>', 'folder of pages with known articles')
  .option('--seed <seed>', 'which documents are made', '1')
  .option('--lost', 'name the documents whose passage was lost', false)
  .parse()
const { pages, seed, lost } = command.opts<{ pages?: string; seed: string; lost: boolean }>()
const random = randomOf(seed)

for (const [wording, kind] of [
  ['answer', 'made'],
  ['reworded', 'made, no word shared'],
] as const) {
  const made = makeDocuments(wording, random)
  for (const language of ['en', 'zh-CN'])
    report(
      `${kind}, ${language}`,
      made.filter((one) => one.language === language),
    )
}
report(
  'made, other word forms, en',
  makeDocuments('answer', random)
    .filter((one) => one.language === 'en')
    .map(otherForms),
)
if (pages !== undefined) report('pages', pageDocuments(pages, random))

function report(name: string, documents: readonly Document[]): void {
  const chars = documents.map(({ text }) => text.length)
  console.log(`${name}: ${documents.length} texts of ${Math.min(...chars)} to ${Math.max(...chars)} characters`)
  for (const [way, wayName] of Object.entries(WAYS)) {
    const gone = documents.filter((document) => !survival(document, way))
    const share = 1 - gone.length / documents.length
    console.log(`  ${wayName.padEnd(22)} ${(100 * share).toFixed(1)} %`)
    if (lost && way === 'relevance') for (const one of gone) console.log(`    lost: ${one.name}`)
  }
}
