/** What is used of fflate behind `import()`: of a package that is imported so itself, a bundler can leave nothing out. */
export { Inflate, strToU8, zipSync } from 'fflate'
