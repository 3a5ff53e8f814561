/** A prerequisite of a check. */
export type Prerequisite = 'database' | 'schema' | 'queues';
