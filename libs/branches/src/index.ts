export { bisect } from './bisect/bisect.js';
export type { Bisection, TestedPoint } from './bisect/bisect.js';
export { runExperiment } from './experiment/experiment.js';
export type { Experiment, ExperimentJob, ExperimentSide } from './experiment/experiment.js';
export type { Estimate } from './experiment/compare-rates.js';
export { answerEventTypes, readAnswers } from './point/recorded-answer.js';
export type { AnswerCalls, AnswerEvent, RecordedAnswer } from './point/recorded-answer.js';
export type { Branch, BranchRequest, BranchRunner, BranchChanges } from './point/branch.js';
export type { BranchStop } from './point/branch-budget.js';
