export { backtestJob } from './backtest/backtest-job.js';
export { FiguresSum } from './backtest/sum-figures.js';
export { toBacktestRecord } from './backtest/to-backtest-record.js';
export { checkJob } from './release/check-job.js';
export { billJob } from './bill/bill-job.js';
