import type { EndedRun, Remembered } from '../domain/memory.ts'
import { LIMITS } from '../domain/limits.ts'
import { cutText } from '../lib/text.ts'
import type { Database } from './database.ts'
import { roundOf, storedTask, type RoundRow, type TaskRow, indexedWords } from './memory-rows.ts'
import { isMigrated, schemaOf } from './migrate.ts'
import { listPreferences } from './preferences.ts'

const { textCharsMax, taskCharsMax, roundsMax, tasksMax, loadedRounds, loadedTasks, preferencesMax } = LIMITS.memory

const WORDS = "fts5 (words, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2')"

/** Tables of one user's memory. The index `…_by_age` lets the newest rounds of other sessions be found without reading texts. */
export const MEMORY_SCHEMA = schemaOf(
  [
    `CREATE TABLE IF NOT EXISTS conversations (id INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE, session_id TEXT NOT NULL,
     user_message TEXT NOT NULL, ai_response TEXT NOT NULL, timestamp INTEGER NOT NULL, untrusted INTEGER NOT NULL);
   CREATE INDEX IF NOT EXISTS conversations_by_age ON conversations (id, session_id);
   CREATE VIRTUAL TABLE IF NOT EXISTS conversation_words USING ${WORDS};
   CREATE TABLE IF NOT EXISTS tasks (id INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE, session_id TEXT NOT NULL, user_id TEXT NOT NULL,
     task_data TEXT NOT NULL, timestamp INTEGER NOT NULL, untrusted INTEGER NOT NULL);
   CREATE VIRTUAL TABLE IF NOT EXISTS task_words USING ${WORDS};
   CREATE TABLE IF NOT EXISTS preferences (id INTEGER PRIMARY KEY, user_id TEXT NOT NULL, key TEXT NOT NULL UNIQUE, value TEXT NOT NULL,
     timestamp INTEGER NOT NULL);`,
  ],
  { countedSteps: 1 },
)

/** Remember runs that are over, or bring what is known of them up to date; a run without a result is a task, but no round.
 *  The oldest go when they are too many. */
export function saveRuns(db: Database, user: string, runs: readonly EndedRun[]): void {
  db.transaction(() => {
    for (const run of runs) {
      if (run.result !== null) saveRound(db, { ...run, result: run.result })
      saveTask(db, user, run)
    }
    trim(db, 'conversations', 'conversation_words', roundsMax)
    trim(db, 'tasks', 'task_words', tasksMax)
  })
}

function saveRound(db: Database, { runId, sessionId, task, result, time, untrusted }: EndedRun & { result: string }) {
  const said = [cutText(task, textCharsMax), cutText(result, textCharsMax)] as const
  const row = db.first<{ id: number }>(
    `INSERT INTO conversations (run_id, session_id, user_message, ai_response, timestamp, untrusted) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (run_id) DO UPDATE SET user_message = excluded.user_message, ai_response = excluded.ai_response,
       timestamp = excluded.timestamp, untrusted = excluded.untrusted
     RETURNING id`,
    runId,
    sessionId,
    ...said,
    time,
    untrusted ? 1 : 0,
  )
  index(db, 'conversation_words', row?.id ?? 0, said.join('\n'))
}

function saveTask(db: Database, user: string, run: EndedRun): void {
  const { runId, sessionId, status, time, untrusted } = run
  const task = cutText(run.task, taskCharsMax)
  const result = run.result === null ? null : cutText(run.result, taskCharsMax)
  const row = db.first<{ id: number }>(
    `INSERT INTO tasks (run_id, session_id, user_id, task_data, timestamp, untrusted) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (run_id) DO UPDATE SET task_data = excluded.task_data, timestamp = excluded.timestamp,
       untrusted = excluded.untrusted
     RETURNING id`,
    runId,
    sessionId,
    user,
    JSON.stringify({ task, result, status }),
    time,
    untrusted ? 1 : 0,
  )
  index(db, 'task_words', row?.id ?? 0, `${task}\n${result ?? ''}`)
}

type WordsTable = 'conversation_words' | 'task_words'

/** Numbers are bound as reals, which FTS5 does not take for row ids. */
function index(db: Database, table: WordsTable, id: number, text: string): void {
  db.all(`INSERT OR REPLACE INTO ${table} (rowid, words) VALUES (CAST(? AS INTEGER), ?)`, id, indexedWords(text))
}

function trim(db: Database, table: 'conversations' | 'tasks', words: WordsTable, rowsMax: number): void {
  const gone = db.all<{ id: number }>(
    `DELETE FROM ${table} WHERE id <= (SELECT max(id) FROM ${table}) - ? RETURNING id`,
    rowsMax,
  )
  for (const { id } of gone) db.all(`DELETE FROM ${words} WHERE rowid = CAST(? AS INTEGER)`, id)
}

/** What a run of a session is told: the newest rounds of the user's other sessions, all preferences, the newest tasks. */
export function loadMemory(db: Database, sessionId: string): Remembered {
  const rounds = db.all<RoundRow>(
    `SELECT * FROM conversations WHERE id IN (SELECT id FROM conversations INDEXED BY conversations_by_age
       WHERE session_id <> ? ORDER BY id DESC LIMIT ?) ORDER BY id DESC`,
    sessionId,
    loadedRounds,
  )
  const tasks = db.all<TaskRow>('SELECT * FROM tasks ORDER BY id DESC LIMIT ?', loadedTasks)
  const preferences = listPreferences(db, { limit: preferencesMax }).data
  return { rounds: rounds.map(roundOf), tasks: tasks.map(storedTask), preferences }
}

const TABLES = [
  ['conversations', 'conversation_words'],
  ['tasks', 'task_words'],
] as const

/** What was remembered of one session goes; gives how much it was. */
export function forgetSessionMemory(db: Database, sessionId: string): Record<'conversations' | 'tasks', number> {
  const were = { conversations: 0, tasks: 0 }
  if (!isMigrated(db, MEMORY_SCHEMA)) return were
  db.transaction(() => {
    for (const [table, words] of TABLES) {
      const gone = db.all<{ id: number }>(`DELETE FROM ${table} WHERE session_id = ? RETURNING id`, sessionId)
      for (const { id } of gone) db.all(`DELETE FROM ${words} WHERE rowid = CAST(? AS INTEGER)`, id)
      were[table] = gone.length
    }
  })
  return were
}

/** Everything goes; gives how much it was. */
export function forgetMemory(db: Database): Record<'conversations' | 'tasks' | 'preferences', number> {
  if (!isMigrated(db, MEMORY_SCHEMA)) return { conversations: 0, tasks: 0, preferences: 0 }
  return db.transaction(() => {
    const count = (table: string) => db.first<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n ?? 0
    const were = { conversations: count('conversations'), tasks: count('tasks'), preferences: count('preferences') }
    // A row that is deleted from an index leaves its words in it.
    for (const [table, words] of TABLES)
      db.script(`DELETE FROM ${table}; INSERT INTO ${words} (${words}) VALUES ('delete-all')`)
    db.script('DELETE FROM preferences')
    return were
  })
}
