/** The header of an answer that is what the first sending of a keyed request got. */
export const REPLAYED = 'idempotent-replayed'
