// Part of `npm ci`: npm links the bins of dependencies only, and `npx yaa` is to work in this folder too.
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { ROOT } from './bundle.ts'

const folder = `${ROOT}node_modules/.bin`
mkdirSync(folder, { recursive: true })
rmSync(`${folder}/yaa`, { force: true })
symlinkSync('../../src/cli/yaa.mjs', `${folder}/yaa`)
