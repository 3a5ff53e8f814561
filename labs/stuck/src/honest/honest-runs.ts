import type { RunKind } from '../labelled-run.js';
import { checkingFiles } from './checking-files.js';
import { commanding } from './commanding.js';
import { mixed } from './mixed.js';
import { outside } from './outside.js';
import { reading } from './reading.js';
import { searching } from './searching.js';
import { writing } from './writing.js';

/**
 * Long runs that a reader of the log would call honest work: every call requests something new, or repeats a request because something has
 * changed or time had to pass. They were written without knowledge of the detector and must not be used for tuning it.
 */
export const honestRuns: readonly RunKind[] = [
  ...checkingFiles,
  ...searching,
  ...reading,
  ...writing,
  ...commanding,
  ...outside,
  ...mixed,
];

export const HONEST_SEEDS: readonly number[] = [1, 2];
