/** Name of the tool with which an agent delegates a task to another agent. */
export const DELEGATE = 'delegate';
/** Folder of the files that child jobs returned. */
export const DELEGATED_DIRECTORY = 'delegated';
/** Maximum number of child jobs of one phase that have not ended. */
export const MAX_OPEN_CHILD_JOBS = 8;
/** A child job may delegate, and its child job may not. */
export const MAX_DELEGATION_DEPTH = 2;
