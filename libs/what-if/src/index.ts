export { backtestJob, type GuardHit, type JobBacktest } from './backtest/backtest-job.js';
export { groupCommits, type Commit } from './log/commits.js';
export { RecordedJob, type ReadableLog } from './log/recorded-job.js';
export { redecideCommit } from './redecide/redecide-commit.js';
export type { DecisionParts } from './redecide/redecide-parts.js';
export { checkJob } from './release/check-job.js';
