import { editFile } from './edit.ts'
import { listFiles } from './list.ts'
import { readFile } from './read.ts'
import { searchFiles } from './search.ts'
import { deleteFile, writeFile } from './write.ts'

/** The tools of a session's workspace. */
export const FILE_TOOLS = [readFile, writeFile, editFile, listFiles, searchFiles, deleteFile] as const
