import type { JobEvent, PhaseEvent } from '@phaseline/domain';

/** Name of the tool with which agents read learning traces. */
const GET_TRACE = 'get_trace';

/** Share of the limit of steps from which a phase counts as long. */
const LONG_PHASE = 0.8;

/** What a number of jobs did, as counts that can be added. */
export interface LearningCounts {
  jobs: number;
  /** Claims that were accepted: todos, phases, jobs. And those of them that were refuted later. */
  acceptedClaims: number;
  refutedClaims: number;
  questions: number;
  approvals: number;
  steers: number;
  /** Denials by guards in production: that held, that let the call happen all the same, and that a person had overridden. */
  heldDenials: number;
  passedDenials: number;
  overriddenDenials: number;
  /** Reflections, and those that were refused because they name nothing of the attempt. */
  reflections: number;
  genericReflections: number;
  /** Third and later attempts at the same work, and those that failed like the attempt before the last, and not like the last. */
  laterAttempts: number;
  oscillations: number;
  /** Completions that agents proposed, the sum of their confidences, and those that were accepted. */
  proposedCompletions: number;
  confidence: number;
  acceptedCompletions: number;
  /** Phases with a limit of steps, those that used most of it, and the sum of the used shares. */
  limitedPhases: number;
  longPhases: number;
  usedLimits: number;
}

export const emptyCounts = (): LearningCounts => ({
  ...{ jobs: 0, acceptedClaims: 0, refutedClaims: 0, questions: 0, approvals: 0, steers: 0 },
  ...{ heldDenials: 0, passedDenials: 0, overriddenDenials: 0, reflections: 0, genericReflections: 0 },
  ...{ laterAttempts: 0, oscillations: 0, proposedCompletions: 0, confidence: 0, acceptedCompletions: 0 },
  ...{ limitedPhases: 0, longPhases: 0, usedLimits: 0 },
});

export function addCounts(one: LearningCounts, other: LearningCounts): LearningCounts {
  const names = Object.keys(one) as (keyof LearningCounts)[];
  // It has the same names, which the type of `fromEntries` does not say.
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as unknown as LearningCounts;
}

/** Events that a tally reads. All others may be left out. */
export const talliedTypes = [
  ...(['PhaseEnded', 'ItemChanged', 'HandoffIssued', 'HandoffRefused', 'HandoffRolledBack', 'JobSteered'] as const),
  ...(['JobCompleted', 'PhaseStarted', 'ModelResponded', 'TodoCompleted', 'TodosRewound', 'PhaseCompleted'] as const),
  ...(['PhaseFailed', 'QuestionAsked', 'ApprovalRequested', 'GuardDecided', 'ToolCallRequested'] as const),
  ...(['ClaimAccepted', 'ClaimRefused', 'JobCompletionProposed', 'ReflectionRecorded'] as const),
] as const satisfies readonly (JobEvent | PhaseEvent)['type'][];

/** Counts what one job did, from its events in the order of the log. */
export class JobTally {
  readonly counts: LearningCounts = { ...emptyCounts(), jobs: 1 };
  /** Ids of the learning traces that agents of the job read. */
  readonly readTraces = new Set<string>();
  /** Accepted claims that were refuted later, each once. */
  private readonly refuted = new Set<string>();
  /** Phases that implemented the items whose test is due, and that issued the open handoffs. */
  private readonly implementedBy = new Map<string, number>();
  private readonly issuedBy = new Map<string, number>();
  private readonly phases = new Map<number, PhaseTally>();
  /** Why the attempts at the same work failed, by state and item. */
  private readonly failures = new Map<string, string[]>();

  applyJobEvent(event: JobEvent): void {
    switch (event.type) {
      case 'JobCompleted':
        this.counts.acceptedClaims += 1;
        this.counts.acceptedCompletions += 1;
        break;
      case 'JobSteered':
        this.counts.steers += 1;
        break;
      case 'ItemChanged': {
        const { id, status, phase } = event.data;
        if (status === 'implemented') this.implementedBy.set(id, phase);
        else this.refutePhase(status === 'tested' ? undefined : this.implementedBy.get(id));
        if (status !== 'implemented') this.implementedBy.delete(id);
        break;
      }
      case 'HandoffIssued':
        this.issuedBy.set(event.data.handoff, event.data.phase);
        break;
      case 'HandoffRefused':
      case 'HandoffRolledBack':
        this.refutePhase(this.issuedBy.get(event.data.handoff ?? ''));
        break;
    }
  }

  applyPhaseEvent(phase: number, event: PhaseEvent): void {
    if (event.type === 'PhaseStarted') {
      const { identity, terms, plan } = event.data;
      this.phases.set(phase, {
        work: `${identity.state} ${plan.item?.id ?? ''}`,
        maxSteps: terms.limits.steps,
        steps: 0,
        doneTodos: 0,
        denied: new Set(),
        isEndDenied: false,
      });
    }
    const tally = this.phases.get(phase);
    if (tally) this.count(phase, tally, event);
  }

  private count(phase: number, tally: PhaseTally, event: PhaseEvent): void {
    const { counts } = this;
    switch (event.type) {
      case 'ModelResponded':
        tally.steps += 1;
        break;
      case 'TodoCompleted':
        counts.acceptedClaims += 1;
        tally.doneTodos += 1;
        this.passEnd(tally);
        break;
      case 'TodosRewound':
        for (let todo = 0; todo < tally.doneTodos; todo += 1) this.refute(`todo ${phase} ${todo}`);
        break;
      case 'PhaseCompleted':
        counts.acceptedClaims += 1;
        this.passEnd(tally);
        this.endPhase(tally);
        break;
      case 'PhaseFailed':
        this.addFailure(tally.work, `${event.data.code} ${event.data.message}`);
        this.endPhase(tally);
        break;
      case 'QuestionAsked':
        counts.questions += 1;
        break;
      case 'ApprovalRequested':
        counts.approvals += 1;
        this.passCall(tally, event.data.callId);
        break;
      case 'ToolCallRequested':
        this.passCall(tally, event.data.callId);
        if (event.data.name === GET_TRACE) this.readTraces.add(String(event.data.arguments['id']));
        break;
      case 'GuardDecided':
        this.countDecision(tally, event.data);
        break;
      case 'ClaimAccepted':
        this.passEnd(tally);
        break;
      case 'ClaimRefused':
        tally.isEndDenied = false;
        break;
      case 'JobCompletionProposed':
        counts.proposedCompletions += 1;
        counts.confidence += event.data.completion.confidence;
        break;
      case 'ReflectionRecorded':
        if (event.data.part !== 'prevention') break;
        counts.reflections += 1;
        if (event.data.refused !== undefined) counts.genericReflections += 1;
        break;
    }
  }

  private countDecision(
    tally: PhaseTally,
    { decision, guard, override, callId, point }: Extract<PhaseEvent, { type: 'GuardDecided' }>['data'],
  ): void {
    if (decision !== 'deny' || guard.stage !== 'production') return;
    if (override) {
      this.counts.overriddenDenials += 1;
      return;
    }
    this.counts.heldDenials += 1;
    if (point === 'PreToolUse' || point === 'PermissionRequest') tally.denied.add(callId ?? '');
    if (point === 'TaskCompleted' || point === 'Stop' || point === 'SubagentStop') tally.isEndDenied = true;
  }

  /** A call that a guard denied was admitted all the same. */
  private passCall(tally: PhaseTally, callId: string): void {
    if (tally.denied.delete(callId)) this.pass();
  }

  /** A claim that a guard denied was accepted all the same. */
  private passEnd(tally: PhaseTally): void {
    if (tally.isEndDenied) this.pass();
    tally.isEndDenied = false;
  }

  private pass(): void {
    this.counts.heldDenials -= 1;
    this.counts.passedDenials += 1;
  }

  private addFailure(work: string, reason: string): void {
    const reasons = this.failures.get(work) ?? [];
    this.failures.set(work, [...reasons, reason]);
    const [before, last] = reasons.slice(-2);
    if (before === undefined || last === undefined) return;
    this.counts.laterAttempts += 1;
    if (reason === before && reason !== last) this.counts.oscillations += 1;
  }

  private endPhase({ steps, maxSteps }: PhaseTally): void {
    this.counts.limitedPhases += 1;
    this.counts.usedLimits += steps / maxSteps;
    if (steps >= maxSteps * LONG_PHASE) this.counts.longPhases += 1;
  }

  private refutePhase(phase: number | undefined): void {
    if (phase !== undefined) this.refute(`phase ${phase}`);
  }

  private refute(claim: string): void {
    this.refuted.add(claim);
    this.counts.refutedClaims = this.refuted.size;
  }
}

/** What of a phase later events refer to. */
interface PhaseTally {
  readonly work: string;
  readonly maxSteps: number;
  steps: number;
  doneTodos: number;
  /** Calls that a guard denied. */
  readonly denied: Set<string>;
  /** Whether a guard denied the claim that is open. */
  isEndDenied: boolean;
}
