import { clip } from '@phaseline/basics';
import type { BacktestHit, JobBacktest } from '@phaseline/contracts';
import { assessHit } from './assess-hit.js';
import type { TestedJob } from './backtest-job.js';
import type { GuardHit } from './phase-account.js';

/** Characters of the arguments of a call that a hit shows. */
const MAX_SHOWN_CHARACTERS = 200;

/** Renders what a guard would have done in a job as it is reported, with shortened arguments. */
export function toBacktestRecord({ hits, status, untested, ...job }: TestedJob): JobBacktest {
  return {
    ...job,
    status: status ?? 'unknown',
    untested: [...untested],
    hits: hits.map((hit) => toHitRecord(hit, status)),
  };
}

function toHitRecord({ decided, call, ...hit }: GuardHit, status: TestedJob['status']): BacktestHit {
  const { point, decision, callId, reason, amended, failure } = decided;
  return {
    ...hit,
    point,
    decision,
    ...(callId === undefined ? {} : { callId }),
    ...(call ? { tool: call.name } : {}),
    ...(call?.arguments ? { arguments: show(call.arguments) } : {}),
    ...(reason === undefined ? {} : { reason }),
    ...(amended ? { amended: show(amended) } : {}),
    ...(failure ? { failure: failure.message } : {}),
    assessment: assessHit({ decided, outcome: hit.outcome }, status),
  };
}

function show(value: object): string {
  return clip(JSON.stringify(value), MAX_SHOWN_CHARACTERS);
}
