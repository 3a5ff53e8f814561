export { findCaseFiles, loadCase, type LoadedCase } from './load-cases.js';
export { parseExpectations } from './case-schema.js';
export { freezeJob, NotFreezable } from './freeze-job.js';
export { runCase, type CaseRun, type RealModel } from './run-case.js';
