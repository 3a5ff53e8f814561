export { TimeTravel } from './view/time-travel.js';
export type { JobAt } from './view/time-travel.js';
export { ForkConflict, ForkRefused } from './fork/fork-errors.js';
export { Forks } from './fork/forks.js';
export type { ForkOptions } from './fork/forks.js';
export { compareJobs } from './compare/compare-jobs.js';
export type { JobComparison } from './compare/compare-jobs.js';
export { diffJob } from './diff/diff.js';
export type { JobDiff } from './diff/diff.js';
