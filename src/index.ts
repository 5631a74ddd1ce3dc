export { app as default } from './http/app.ts'
export { DirectoryObject } from './objects/directory-object.ts'
export { MemoryObject } from './objects/memory-object.ts'
export { SessionObject } from './objects/session-object.ts'
