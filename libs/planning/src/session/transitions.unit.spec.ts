import { describe, expect, it } from 'vitest';
import type { AdaptationLogEntry } from '../artifacts/adaptation-log-entry.js';
import type { StageConfidence } from '../confidence/compute-confidence.js';
import type { Violation } from '../grammar/violation.js';
import { approvalSubjects, type ApprovalSubject } from '../policy/approval-cadence.js';
import { assessContext } from './assess-context.js';
import { assessDraft, type AssessedDraft } from './assess-draft.js';
import { decideValidation, type ValidatedDraft } from './decide-validation.js';
import { followAnswer } from './follow-answer.js';
import { followApproval, type ApprovalEnd } from './follow-approval.js';
import type { PendingQuestion } from './pending-question.js';
import { buildSession, HASH, OTHER_HASH } from './plan-session.fixture.js';
import { draftStages, type DraftStage } from './plan-stage.js';
import { NO_ATTEMPTS, planSessionSchema, type PlanSession } from './plan-session.js';

const policies = ['single_final', 'milestone_approvals', 'strict_every_step'] as const;

const violation = (remedy: Violation['remedy']): Violation => ({
  ...{ code: 'estimate_missing', artifact: 'outline', node: 'a', field: 'estimateMinutes', severity: 'retryable' },
  ...{ message: 'The task a has no estimate.', remedy },
});
const instruction = violation({ kind: 'instruction', text: 'Give the task a an estimate.' });
const fix = violation({
  ...{ kind: 'fix', description: 'Remove the rule.', operations: [{ op: 'remove', path: '/nodes/0/recurrence' }] },
});

const confidence = (band: StageConfidence['band']): StageConfidence => ({
  ...{ confidence: band === 'go_on' ? 0.9 : band === 'retry' ? 0.5 : 0.2, band, self: 0.5, validator: 0.5 },
  ...{ heuristics: 0.5, heuristicValues: {} },
});
const draft = (band: StageConfidence['band'], changes: Partial<AssessedDraft> = {}): AssessedDraft => ({
  ...{ stage: 'outline', confidence: confidence(band), violations: [instruction], hasFixes: false, ...changes },
});

/** Every session that a decision returns can be stored. */
const check = (session: PlanSession): PlanSession => planSessionSchema.parse(session);

describe.each(policies)('with the approval policy %s', (approvalPolicy) => {
  const isStrict = approvalPolicy === 'strict_every_step';
  const asksMilestones = approvalPolicy !== 'single_final';

  it('collecting context ends by questions, by an approval of the goal, or goes to the outline', () => {
    const open = buildSession({ approvalPolicy }, { questions: ['Until when?'] });
    expect(assessContext(open, HASH)).toMatchObject({
      outcome: 'needs_clarification',
      session: { planningStatus: 'needs_clarification', pending: { kind: 'facts' }, responseText: /Until when/ },
    });
    const known = assessContext(buildSession({ approvalPolicy }), HASH);
    expect(known.outcome).toBe(isStrict ? 'needs_approval' : 'sufficient_context');
    expect(check(known.session).approval).toEqual(isStrict ? { subject: 'goal', hash: HASH } : undefined);
  });

  it.each(draftStages)('a valid %s is approved first where the policy says so', (stage) => {
    const valid: ValidatedDraft = { stage, hash: HASH, outcome: 'valid', violations: [] };
    const { outcome, session } = decideValidation(buildSession({ approvalPolicy }), valid);
    const asks = asksMilestones || stage === 'schedule';
    expect(outcome).toBe(asks ? 'needs_approval' : 'valid');
    expect(check(session).approval).toEqual(asks ? { subject: stage, hash: HASH } : undefined);
  });

  it('structural changes are approved before the artifact, one after another, where the policy says so', () => {
    const entry: AdaptationLogEntry = {
      ...{ artifact: 'outline', what: 'A node was added.', why: 'It was missing.', introducedBy: 'ai_adaptation' },
      ...{ by: 'planner', before: null, after: null },
    };
    const adaptations = [HASH, OTHER_HASH].map((hash) => ({ entry, hash, isApproved: false }));
    const hashes = { context: HASH, outline: HASH };
    const start = buildSession({ approvalPolicy }, { adaptations, hashes });
    const valid: ValidatedDraft = { stage: 'outline', hash: HASH, outcome: 'valid', violations: [] };
    const asked: string[] = [];
    let { session } = decideValidation(start, valid);
    while (session.approval) {
      asked.push(session.approval.subject);
      session = followApproval(check(session), { kind: 'approved' }).session;
    }
    expect(asked).toEqual(isStrict ? ['adaptation', 'adaptation', 'outline'] : asksMilestones ? ['outline'] : []);
    expect(session.stage).toBe('roadmap');
  });

  it.each(draftStages)('an invalid %s is drafted twice more, then the person is asked', (stage) => {
    let session = buildSession({ approvalPolicy });
    const outcomes = [1, 2, 3].map(() => {
      const invalid: ValidatedDraft = { stage, hash: HASH, outcome: 'invalid_retryable', violations: [instruction] };
      const decision = decideValidation(session, invalid);
      session = check(decision.session);
      return decision.outcome;
    });
    expect(outcomes).toEqual(['invalid_retryable', 'invalid_retryable', 'invalid_fatal']);
    expect(session.pending).toMatchObject({ kind: 'invalid', stage });
    // An answer of the person resets the counters.
    expect(followAnswer(session, session.pending!, 'Two hours.').session.attempts[stage]).toEqual(NO_ATTEMPTS);
  });

  it.each(draftStages)('a %s with a fatal violation is shown to the person at once', (stage) => {
    const fatal: ValidatedDraft = { stage, hash: HASH, outcome: 'invalid_fatal', violations: [instruction] };
    expect(decideValidation(buildSession({ approvalPolicy }), fatal).outcome).toBe('invalid_fatal');
  });

  it('a plan that does not fit waits for a decision about the schedule', () => {
    const conflict = { code: 'infeasible', text: 'Too much work.', choices: [{ id: 'a', title: 'Later' }] } as const;
    const decision = decideValidation(buildSession({ approvalPolicy }), {
      ...{ stage: 'schedule', hash: HASH, outcome: 'valid', violations: [], conflict },
    });
    expect(decision).toMatchObject({
      outcome: 'infeasible',
      session: { planningStatus: 'needs_scheduling_escalation', escalateReason: 'Too much work.' },
    });
    expect(check(decision.session).responseText).toContain("Reply with 'a' or 'stop'.");
  });

  const next: Readonly<Record<ApprovalSubject, readonly [approved: string, rejected: string]>> = {
    goal: ['approved_to_outline', 'rejected_to_context'],
    outline: ['approved_to_roadmap', 'rejected_to_outline'],
    roadmap: ['approved_to_schedule', 'rejected_to_roadmap'],
    schedule: ['approved', 'rejected_to_outline'],
    adaptation: ['approved', 'rejected_to_outline'],
  };
  it.each(approvalSubjects)('an approval of %s', (subject) => {
    const session = buildSession({ approvalPolicy }, { approval: { subject, hash: HASH }, stage: 'approval' });
    const follow = (end: ApprovalEnd) => followApproval(session, end);
    const approved = follow({ kind: 'approved' });
    // After the last artifact, approving a change leads to the final request.
    if (subject === 'adaptation') expect(approved.outcome).toBe('approved_to_approval');
    else expect(approved.outcome).toBe(next[subject][0]);
    const rejected = follow({ kind: 'rejected', text: 'Shorter, please.' });
    expect(rejected).toMatchObject({ outcome: next[subject][1], session: { instructions: ['Shorter, please.'] } });
    expect(check(rejected.session).messages.at(-1)).toEqual({ from: 'person', text: 'Shorter, please.' });
    expect(rejected.session.hasFeedback).toBe(true);
    const late = follow({ kind: 'no_response' });
    expect(late).toMatchObject({ outcome: 'no_response', session: { pending: { kind: 'no_response' } } });
    // The request that follows is for the same artifact.
    expect(check(late.session).approval).toEqual(session.approval);
  });
});

it('an approved schedule whose time other plans have taken is made again, whatever was asked before', () => {
  const approval = { subject: 'schedule', hash: HASH } as const;
  const tried = { ...NO_ATTEMPTS, invalid: 2 };
  const attempts = { outline: NO_ATTEMPTS, roadmap: NO_ATTEMPTS, schedule: tried };
  const session = buildSession({}, { approval, stage: 'approval', attempts });
  const conflicts = ['saw is at the same time as "Shop".', `On ${'x'.repeat(3_000)}`];
  const { outcome, session: next } = followApproval(session, { kind: 'overtaken', conflicts });
  expect(outcome).toBe('rejected_to_schedule');
  expect(check(next)).toMatchObject({
    ...{ stage: 'schedule', planningStatus: 'in_progress', attempts: { schedule: NO_ATTEMPTS }, hasFeedback: false },
    hashes: session.hashes,
  });
  expect(next.approval).toBeUndefined();
  expect(next.instructions[0]).toBe(conflicts[0]);
  expect(next.instructions).toHaveLength(2);
  expect(next.messages.at(-1)).toEqual({ from: 'planner', text: next.responseText });
  expect(next.responseText).toContain(conflicts[0]);
});

it('an approved schedule that could not be compared with other plans is asked about again', () => {
  const approval = { subject: 'schedule', hash: HASH } as const;
  const session = buildSession({}, { approval, stage: 'approval' });
  const { outcome, session: next } = followApproval(session, { kind: 'unchecked' });
  expect(outcome).toBe('approved_to_approval');
  expect(check(next)).toMatchObject({ approval, stage: 'approval', hashes: session.hashes });
  expect(next.messages.at(-1)?.text).toMatch(/^Your other plans could not be read/);
});

describe('a draft', () => {
  it('continues with a confidence in the first band, whatever was violated', () => {
    expect(assessDraft(buildSession(), draft('go_on'))).toMatchObject({ outcome: 'success' });
  });

  it('in the middle band is fixed once, narrowed once, sent back once, and then shown to the person', () => {
    const steps: unknown[] = [];
    let session = buildSession();
    for (let step = 0; step < 4; step++) {
      const decision = assessDraft(session, draft('retry', { hasFixes: true, violations: [fix, instruction] }));
      session = check(decision.session);
      if ('applyFixes' in decision) steps.push('fixes');
      else steps.push(decision.outcome ?? decision.message?.split('\n').at(-1));
    }
    expect(steps).toEqual(['fixes', '- Give the task a an estimate.', 'low_confidence', 'escalate']);
    expect(session).toMatchObject({ pending: { kind: 'uncertain', stage: 'outline' } });
  });

  it('in the last band is shown to the person', () => {
    expect(assessDraft(buildSession(), draft('escalate'))).toMatchObject({
      outcome: 'escalate',
      session: { pending: { kind: 'uncertain' }, planningStatus: 'needs_clarification' },
    });
  });

  it('asks before fixes are applied with low autonomy only', () => {
    const withFixes = draft('retry', { hasFixes: true, violations: [fix] });
    const kinds = (['high', 'medium', 'low'] as const).map((autonomy) => {
      const decision = assessDraft(buildSession({ autonomy }), withFixes);
      return 'applyFixes' in decision ? 'applied' : decision.session.pending?.kind;
    });
    expect(kinds).toEqual(['applied', 'applied', 'fixes']);
  });

  it('asks for the choice of an option by autonomy and band', () => {
    const options = ['a', 'b'].map((id) => ({ id, title: id, description: `Option ${id}` }));
    const asks = (autonomy: 'high' | 'medium' | 'low', band: StageConfidence['band']): boolean => {
      const session = buildSession({ autonomy }, { options });
      return assessDraft(session, draft(band, { stage: 'roadmap' })).session.pending?.kind === 'option';
    };
    expect([asks('high', 'retry'), asks('medium', 'go_on'), asks('medium', 'retry'), asks('low', 'go_on')]).toEqual([
      ...[false, false, true, true],
    ]);
  });

  it('with a proposal waits for its approval, with every autonomy', () => {
    const pattern = {
      patternType: 'recurring_cycle',
      subtype: 'proposed:daily',
      introducedBy: 'ai_adaptation',
    } as const;
    const proposal = {
      pattern: { ...pattern, sourcePattern: 'recurring_cycle' as const, rfc: 'No subtype has doses.' },
      fallback: { patternType: 'recurring_cycle' as const, introducedBy: 'system' as const },
    };
    const { session } = assessDraft(buildSession({ autonomy: 'high' }, { proposal }), draft('go_on'));
    expect(session.pending).toEqual({ kind: 'proposal', rfcText: 'No subtype has doses.', nearest: 'recurring_cycle' });
    const approved = followAnswer(check(session), session.pending!, 'approve');
    expect(approved).toMatchObject({ outcome: 'to_outline', session: { selectedPattern: proposal.pattern } });
    expect(check(approved.session).approvedProposals).toEqual(['recurring_cycle/proposed:daily']);
    const refused = followAnswer(check(session), session.pending!, 'refuse');
    expect(refused).toMatchObject({ outcome: 'to_outline', session: { selectedPattern: proposal.fallback } });
    expect(check(refused.session).refusedProposals).toEqual(['recurring_cycle/proposed:daily']);
    expect([approved.session.proposal, refused.session.proposal]).toEqual([undefined, undefined]);
  });
});

describe('an answer', () => {
  const stage: DraftStage = 'roadmap';
  const questions: readonly (readonly [PendingQuestion, string])[] = [
    [{ kind: 'facts', questions: ['Until when?'] }, 'to_context'],
    [{ kind: 'invalid', stage, problems: ['Wrong.'] }, 'to_roadmap'],
    [{ kind: 'uncertain', stage, reason: 'Unsure.' }, 'to_roadmap'],
    [{ kind: 'uncertain', stage: 'context', reason: 'Unsure.' }, 'to_context'],
    [{ kind: 'proposal', rfcText: 'New.', nearest: 'recurring_cycle' }, 'to_outline'],
    [{ kind: 'fixes', stage, fixes: ['Remove it.'] }, 'to_roadmap'],
    [{ kind: 'infeasible', code: 'infeasible', conflict: 'No.', choices: [{ id: 'a', title: 'Later' }] }, 'to_outline'],
    [{ kind: 'no_response' }, 'to_approval'],
    [{ kind: 'budget', code: 'daily_cap' }, 'to_schedule'],
  ];
  it.each(questions)('to %j leads %s', (pending, outcome) => {
    const session = buildSession({}, { pending, planningStatus: 'needs_clarification', stage: 'schedule' });
    const decision = followAnswer(session, pending, 'a');
    expect(decision.outcome).toBe(outcome);
    expect(check(decision.session)).toMatchObject({ planningStatus: 'in_progress', hasFeedback: true });
    expect(decision.session.pending).toBeUndefined();
    expect(followAnswer(session, pending, ' Stop. ')).toMatchObject({
      outcome: 'stop',
      session: { planningStatus: 'aborted' },
    });
  });

  it('chooses an option by its id, or gives instructions for new ones', () => {
    const pending: PendingQuestion = {
      ...{
        kind: 'option',
        stage,
        choices: [
          { id: 'a', title: 'In order' },
          { id: 'b', title: 'At once' },
        ],
      },
    };
    const options = [{ id: 'a', title: 'In order', description: 'One after another' }];
    const session = buildSession({}, { options, pending });
    expect(followAnswer(session, pending, 'B').session).toMatchObject({ chosenOption: 'b' });
    const other = followAnswer(session, pending, 'Neither: start with the theory.').session;
    expect(other).toMatchObject({ options: [], instructions: ['Neither: start with the theory.'] });
  });

  it('to an infeasible plan leads to the earliest stage that the chosen relaxation changed', () => {
    const pending: PendingQuestion = { kind: 'infeasible', code: 'infeasible', conflict: 'No.', choices: [] };
    expect(followAnswer(buildSession(), pending, 'a', 'roadmap').outcome).toBe('to_roadmap');
  });
});

describe('words of a person', () => {
  const LONG = `${'é'.repeat(5_000)}\uD800`;
  it.each([LONG, ' \n\u2060 ', '\uDC00'])('never make a session that cannot be stored', (words) => {
    for (const kind of ['invalid', 'uncertain'] as const) {
      const pending = { kind, stage: 'outline', problems: ['Wrong.'], reason: 'Unsure.' } as unknown as PendingQuestion;
      check(followAnswer(buildSession(), pending, words).session);
    }
    const choices = ['a', 'b'].map((id) => ({ id, title: id }));
    check(followAnswer(buildSession(), { kind: 'option', stage, choices }, words).session);
    const session = buildSession({}, { approval: { subject: 'schedule', hash: HASH }, stage: 'approval' });
    check(followApproval(session, { kind: 'rejected', text: words }).session);
  });
  const stage: DraftStage = 'roadmap';

  it('nor do long texts of the planner', () => {
    const options = ['a', 'b'].map((id) => ({ id, title: 'x'.repeat(200), description: 'y'.repeat(2_000) }));
    check(assessDraft(buildSession({ autonomy: 'low' }, { options }), draft('go_on', { stage })).session);
    const pattern = {
      patternType: 'recurring_cycle',
      subtype: 'proposed:daily',
      introducedBy: 'ai_adaptation',
    } as const;
    const proposal = {
      pattern: { ...pattern, sourcePattern: 'recurring_cycle' as const, rfc: 'z'.repeat(2_000) },
      fallback: { patternType: 'recurring_cycle' as const, introducedBy: 'system' as const },
    };
    check(assessDraft(buildSession({}, { proposal }), draft('go_on')).session);
  });
});
