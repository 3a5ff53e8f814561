import { buildPhaseStart } from '@phaseline/domain/testing';
import type { CallId } from '@phaseline/contracts';
import type { JobEvent, PhaseEvent } from '@phaseline/domain';
import { expect, it } from 'vitest';
import { addCounts, emptyCounts, JobTally, type LearningCounts } from './job-tally.js';
import { buildReport, toShare } from './learning-report.js';

type AnyEvent = JobEvent | PhaseEvent;
const call = (callId: string) => ({ callId: callId as CallId });

/** An event with the members that a tally reads. */
const event = (type: AnyEvent['type'], data: object = {}): AnyEvent => ({ type, data }) as unknown as AnyEvent;

const start = (state: string, steps: number, item?: string): AnyEvent => {
  const { limits } = (buildPhaseStart() as Extract<PhaseEvent, { type: 'PhaseStarted' }>).data.terms;
  return buildPhaseStart({
    identity: { state },
    terms: { limits: { ...limits, steps } },
    ...(item === undefined ? {} : { plan: { item: { id: item } } }),
  } as never);
};
const answers = (count: number): AnyEvent[] => Array.from({ length: count }, () => event('ModelResponded'));
const deny = (point: string, callId: string | undefined, changes: object = {}): AnyEvent =>
  event('GuardDecided', {
    ...{ point, decision: 'deny', guard: { stage: 'production', ...changes } },
    ...(callId === undefined ? {} : call(callId)),
  });

/** Counts one job; events of phase 0 are those of the job. */
function tally(...phases: readonly (readonly [number, readonly AnyEvent[]])[]): JobTally {
  const job = new JobTally();
  for (const [phase, events] of phases)
    for (const one of events)
      if (phase === 0) job.applyJobEvent(one as JobEvent);
      else job.applyPhaseEvent(phase, one as PhaseEvent);
  return job;
}

/** A feature that was implemented twice: its first test failed, and it was tested in the second. Nine claims, one of which was refuted. */
const featureJob = tally(
  [1, [start('code', 10, 'F1'), ...answers(9), event('TodoCompleted'), event('PhaseCompleted')]],
  [0, [event('ItemChanged', { id: 'F1', status: 'implemented', phase: 1 })]],
  [0, [event('HandoffIssued', { handoff: 'h1', phase: 1 })]],
  [2, [start('test', 10, 'F1'), ...answers(2), event('TodoCompleted'), event('PhaseCompleted')]],
  // The same failure is told twice.
  [0, [event('ItemChanged', { id: 'F1', status: 'pending', phase: 2 }), event('HandoffRolledBack', { handoff: 'h1' })]],
  [3, [start('code', 10, 'F1'), event('ReflectionRecorded', { part: 'assumption' })]],
  [3, [event('ReflectionRecorded', { part: 'prevention', refused: 'it names nothing' }), ...answers(5)]],
  [3, [event('TodoCompleted'), event('PhaseCompleted')]],
  [0, [event('ItemChanged', { id: 'F1', status: 'implemented', phase: 3 })]],
  [4, [start('test', 10, 'F1'), ...answers(4), event('TodoCompleted'), event('PhaseCompleted')]],
  [0, [event('ItemChanged', { id: 'F1', status: 'tested', phase: 4 })]],
  [4, [event('JobCompletionProposed', { completion: { confidence: 0.9 } })]],
  [0, [event('JobCompleted'), event('JobSteered')]],
);

/** A job that fails: one state failed as A, B, A. Its list was abandoned with two accepted todos, and its completion refused. */
const failedJob = tally(
  [1, [start('work', 4), ...answers(4), event('PhaseFailed', { code: 'a', message: 'm' })]],
  [2, [start('work', 4), ...answers(1), event('PhaseFailed', { code: 'b', message: 'm' })]],
  [3, [start('work', 4), ...answers(1), event('PhaseFailed', { code: 'a', message: 'm' })]],
  [4, [start('work', 4), event('ReflectionRecorded', { part: 'prevention' })]],
  [4, [event('TodoCompleted'), event('TodoCompleted'), event('TodosRewound'), event('PhaseCompleted')]],
  [5, [start('end', 4), event('QuestionAsked'), event('ApprovalRequested', call('c1'))]],
  // Held; passed; overridden; only in shadow; held at a claim; passed at a claim.
  [5, [deny('PreToolUse', 'c2'), event('ToolCallDenied', call('c2'))]],
  [5, [deny('PreToolUse', 'c3'), event('ToolCallRequested', { ...call('c3'), name: 'write_file', arguments: {} })]],
  [5, [deny('PreToolUse', 'c4', {}), deny('PreToolUse', 'c5', { stage: 'shadow' })]],
  [5, [event('GuardDecided', { point: 'Stop', decision: 'deny', guard: { stage: 'production' }, override: {} })]],
  [5, [deny('Stop', undefined), event('ClaimRefused'), event('ClaimAccepted')]],
  [5, [deny('Stop', undefined), event('ClaimAccepted')]],
  [5, [event('ToolCallRequested', { ...call('c6'), name: 'get_trace', arguments: { id: 't1' } })]],
  [5, [event('JobCompletionProposed', { completion: { confidence: 0.7 } })]],
);

it('a hand-counted set of jobs gives exactly these figures', () => {
  const counts = [featureJob, failedJob].map((job) => job.counts).reduce(addCounts, emptyCounts());
  expect(counts).toEqual({
    jobs: 2,
    // Four todos, four phases and the job; two todos and one phase. Refuted: phase 1; both todos.
    ...{ acceptedClaims: 12, refutedClaims: 3 },
    ...{ questions: 1, approvals: 1, steers: 1 },
    ...{ heldDenials: 3, passedDenials: 2, overriddenDenials: 1 },
    ...{ reflections: 2, genericReflections: 1 },
    ...{ laterAttempts: 1, oscillations: 1 },
    ...{ proposedCompletions: 2, confidence: 0.9 + 0.7, acceptedCompletions: 1 },
    // Steps of the ended phases: 9, 2, 5 and 4 of 10; 4, 1, 1 and 0 of 4.
    ...{ limitedPhases: 8, longPhases: 2, usedLimits: 2 + 1.5 },
  } satisfies LearningCounts);
  expect([...failedJob.readTraces]).toEqual(['t1']);
  expect(buildReport(counts, toShare(3, 4), toShare(2, 5), true)).toEqual({
    ...{ jobs: 2, hasMore: true },
    antiPatterns: {
      neverRetrieved: { count: 3, of: 4, share: 0.75 },
      oscillation: { count: 1, of: 1, share: 1 },
      genericReflections: { count: 1, of: 2, share: 0.5 },
      selfScore: {
        ...{ proposals: 2, meanConfidence: 0.8, shareAccepted: 0.5 },
        overConfidence: expect.closeTo(0.3),
      },
      overthinking: { count: 2, of: 8, share: 0.25, meanUsed: 0.4375 },
    },
    metrics: {
      prematureCompletion: { count: 3, of: 12, share: 0.25, per100: 25 },
      userPrompts: { questions: 1, approvals: 1, steers: 1, perJob: 1.5 },
      repeatedMistakes: { count: 2, of: 5, share: 0.4 },
      ruleCompliance: { count: 3, of: 5, share: 0.6, overridden: 1 },
    },
  });
});

it('without jobs, there are no shares', () => {
  const report = buildReport(emptyCounts(), toShare(0, 0), toShare(0, 0), false);
  expect(report.metrics.prematureCompletion).toEqual({ count: 0, of: 0, share: null, per100: null });
  expect(report.antiPatterns.selfScore.overConfidence).toBeNull();
});
