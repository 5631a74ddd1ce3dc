/** What the user's own words are published as. */
export const REQUIREMENT = 'UserRequirement'

/** Who the user is on the bus. */
export const USER = 'user'

/** In a watch: every message; in `send_to`: every role. */
export const EVERYBODY = '*'
