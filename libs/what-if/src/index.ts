export { backtestJob } from './backtest/backtest-job.js';
export { checkJob } from './release/check-job.js';
