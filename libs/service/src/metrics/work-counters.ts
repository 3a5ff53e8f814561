import type { Counter, Registry } from 'prom-client';
import { createCounter } from './create-metric.js';
import type { LogEvent } from './log-event.js';
import { nameGuardOutcome } from './name-guard-outcome.js';

const JOB_OUTCOMES = ['completed', 'failed', 'blocked', 'aborted', 'cancelled'];
const RETRY_KINDS = ['model', 'tool', 'phase', 'job'];

/** Counts jobs, ends of phases, decisions of gates and guards, retries and takeovers. */
export class WorkCounters {
  private readonly submitted: Counter;
  private readonly ended: Counter<'outcome'>;
  private readonly phases: Counter<'outcome'>;
  private readonly gates: Counter<'gate' | 'outcome'>;
  private readonly claims: Counter<'outcome'>;
  private readonly guards: Counter<'scope' | 'outcome'>;
  private readonly retries: Counter<'kind'>;
  private readonly takeovers: Counter;

  constructor(registry: Registry) {
    this.submitted = createCounter(registry, 'phaseline_jobs_submitted_total', 'Jobs submitted.');
    const jobOutcomes = `Jobs that ended, by outcome: ${JOB_OUTCOMES.join(', ')}.`;
    this.ended = createCounter(registry, 'phaseline_jobs_ended_total', jobOutcomes, ['outcome']);
    const phaseOutcomes = 'Phases that ended, by outcome: completed, cancelled, or the code of the failure.';
    this.phases = createCounter(registry, 'phaseline_phases_ended_total', phaseOutcomes, ['outcome']);
    const gateOutcomes =
      'Ends of phases that gates decided about, by outcome: passed (gate "all") or refused (by the named gate).';
    this.gates = createCounter(registry, 'phaseline_gate_decisions_total', gateOutcomes, ['gate', 'outcome']);
    const claimOutcomes =
      'Claims of agents, by outcome: refused, or accepted after runs of verifiers or judges. Other accepted claims are not counted.';
    this.claims = createCounter(registry, 'phaseline_claim_decisions_total', claimOutcomes, ['outcome']);
    const guardOutcomes = 'Decisions of guards other than a plain allow, by scope of the guard and outcome.';
    this.guards = createCounter(registry, 'phaseline_guard_decisions_total', guardOutcomes, ['scope', 'outcome']);
    const retryKinds = 'Repeated attempts, by kind: calls of models and of tools, phases and jobs.';
    this.retries = createCounter(registry, 'phaseline_retries_total', retryKinds, ['kind']);
    const takeovers = 'Phases that a worker took over from one that was lost.';
    this.takeovers = createCounter(registry, 'phaseline_takeovers_total', takeovers);
    this.startAtZero();
  }

  /** Counts the events of one commit in one stream. */
  count(events: readonly LogEvent[]): void {
    for (const event of events) {
      this.countEnd(event);
      this.countDecision(event);
      this.countRetry(event);
    }
    // The next attempt is reserved in the commit that records the failed one.
    if (hasType(events, 'ModelCallFailed') && hasType(events, 'ModelCallStarted')) this.retries.inc({ kind: 'model' });
  }

  private countEnd({ type, data }: LogEvent): void {
    if (type === 'JobSubmitted') this.submitted.inc();
    else if (type === 'JobCompleted') this.ended.inc({ outcome: 'completed' });
    else if (type === 'JobFailed') this.ended.inc({ outcome: data.end ?? 'failed' });
    else if (type === 'JobCancelled') this.ended.inc({ outcome: 'cancelled' });
    else if (type === 'PhaseCompleted') this.phases.inc({ outcome: 'completed' });
    else if (type === 'PhaseFailed') this.phases.inc({ outcome: data.code });
    else if (type === 'PhaseCancelled') this.phases.inc({ outcome: 'cancelled' });
  }

  private countDecision({ type, data }: LogEvent): void {
    if (type === 'PhaseCompleted') this.gates.inc({ gate: 'all', outcome: 'passed' });
    else if (type === 'TransitionRejected') this.gates.inc({ gate: data.gate, outcome: 'refused' });
    else if (type === 'ClaimAccepted') this.claims.inc({ outcome: 'accepted' });
    else if (type === 'ClaimRefused') this.claims.inc({ outcome: 'refused' });
    else if (type === 'GuardDecided') this.guards.inc({ scope: data.guard.scope, outcome: nameGuardOutcome(data) });
  }

  private countRetry({ type, data }: LogEvent): void {
    if (type === 'ToolCallCompleted' || type === 'ToolCallFailed')
      this.retries.inc({ kind: 'tool' }, Math.max(0, data.attempts - 1));
    else if (type === 'PhaseDispatched' && data.attempt > 1) this.retries.inc({ kind: 'phase' });
    else if (type === 'JobRetried') this.retries.inc({ kind: 'job' });
    else if (type === 'PhaseTakenOver') this.takeovers.inc();
  }

  /** Without a first value, `rate` would miss the first event of a series. */
  private startAtZero(): void {
    for (const outcome of JOB_OUTCOMES) this.ended.inc({ outcome }, 0);
    for (const outcome of ['accepted', 'refused']) this.claims.inc({ outcome }, 0);
    for (const kind of RETRY_KINDS) this.retries.inc({ kind }, 0);
  }
}

function hasType(events: readonly LogEvent[], type: LogEvent['type']): boolean {
  return events.some((event) => event.type === type);
}
