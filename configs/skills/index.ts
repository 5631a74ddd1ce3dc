import { skillFolders } from '../../src/build/skill-folders.ts'

/** The shipped skills: the folders beside this file, by their names. Node reads them from the disk; a bundle has in this module's place
 *  what they held when it was built. */
export const SKILL_FILES = skillFolders(import.meta.dirname)
