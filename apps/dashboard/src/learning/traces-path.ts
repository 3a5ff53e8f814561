/** Address of the list of learning traces; one of them has its id behind it. */
export const TRACES_PATH = '/learning/traces';
