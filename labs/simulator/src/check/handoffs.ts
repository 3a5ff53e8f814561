import { hasJobEnded, type JobEvent } from '@phaseline/domain';
import type { RunResult } from '../run/world.js';
import { readJobLogs, type JobLog } from './streams.js';

type Told<Type extends JobEvent['type']> = Extract<JobEvent, { readonly type: Type }>['data'];

/** Checks that each handoff is issued once, reaches the phase that received it, and ends in exactly one way. */
export function* checkHandoffs(remains: RunResult): Iterable<string> {
  for (const log of readJobLogs(remains))
    for (const problem of findHandoffProblems(log)) yield `${log.agent}: ${problem}`;
}

function* findHandoffProblems({ events, phases, state }: JobLog): Iterable<string> {
  const issued = new Set<string>();
  let open: Told<'HandoffIssued'> | undefined;
  let receiver: number | undefined;
  for (const { event } of events) {
    switch (event.type) {
      case 'HandoffIssued': {
        const { handoff } = event.data;
        if (issued.has(handoff)) yield `${handoff} was issued twice`;
        if (open) yield `${handoff} was issued while ${open.handoff} was open`;
        if (!phases[event.data.phase - 1]?.state.end)
          yield `${handoff} was issued by phase ${event.data.phase}, which has not ended`;
        issued.add(handoff);
        open = event.data;
        receiver = undefined;
        break;
      }
      case 'HandoffAccepted':
        if (open?.handoff !== event.data.handoff) yield `${event.data.handoff} was accepted although it was not open`;
        if (receiver !== undefined) yield `${event.data.handoff} was accepted twice`;
        receiver = event.data.phase;
        break;
      case 'PhaseDispatched': {
        const { phase } = event.data;
        const received = phases[phase - 1]?.state.start.plan.handoff?.handoff;
        const isReceiver = receiver !== undefined && phase >= receiver;
        if (isReceiver && received !== open?.handoff)
          yield `phase ${phase} received ${received ?? 'no handoff'} while ${open?.handoff ?? 'none'} was open`;
        break;
      }
      case 'HandoffRefused':
      case 'HandoffCompleted':
      case 'HandoffTimedOut': {
        const { handoff } = event.data;
        if (open?.handoff !== handoff) yield `${handoff} ended as ${event.type} although it was not open`;
        yield* findWrongEnd(event, { receiver, phases });
        open = undefined;
        receiver = undefined;
      }
    }
  }
  if (open && state.status === 'completed') yield `${open.handoff} never ended`;
  if (open && !hasJobEnded(state) && !state.paused) yield `${open.handoff} never ended, and neither did its job`;
}

type End = Extract<JobEvent, { readonly type: 'HandoffRefused' | 'HandoffCompleted' | 'HandoffTimedOut' }>;

/** Checks that the phase of the receiver ended as its handoff did. */
function* findWrongEnd(
  { type, data }: End,
  { receiver, phases }: { readonly receiver: number | undefined; readonly phases: JobLog['phases'] },
): Iterable<string> {
  const { handoff, phase } = data;
  if (phase === undefined) {
    if (receiver !== undefined) yield `${handoff} was refused as if phase ${receiver} had not received it`;
    return;
  }
  const received = phases[phase - 1]?.state;
  if (receiver === undefined || phase < receiver)
    yield `${handoff} ended with phase ${phase}, which did not receive it`;
  if (received?.start.plan.handoff?.handoff !== handoff)
    yield `${handoff} ended with phase ${phase}, which has another one`;
  const end = received?.end?.kind;
  const expected = { HandoffCompleted: 'completed', HandoffTimedOut: 'cancelled', HandoffRefused: 'failed' }[type];
  if (end !== expected) yield `${handoff} ended as ${type}, but its phase is ${end ?? 'open'}`;
}

/** Checks that items end tested or blocked, each tested one with the evidence of its phase, and that no item gets more attempts than it may. */
export function* checkItems(remains: RunResult): Iterable<string> {
  for (const { agent, events, phases, state } of readJobLogs(remains)) {
    const limit = state.definition.workflow.items?.attempts ?? 0;
    const last = new Map<string, Told<'ItemChanged'>>();
    for (const { event } of events) {
      if (event.type !== 'ItemChanged') continue;
      const { id, phase, status, attempts } = event.data;
      const before = last.get(id)?.attempts ?? 0;
      if (attempts > before + 1 || attempts > limit)
        yield `${agent}: ${id} has ${attempts} failed attempts after ${before}`;
      if (status === 'blocked' && attempts < limit) yield `${agent}: ${id} was blocked after ${attempts} attempts`;
      if (status === 'tested' && !isProved(phases[phase - 1]?.state.end))
        yield `${agent}: ${id} is tested without evidence of phase ${phase}`;
      last.set(id, event.data);
    }
    if (state.status !== 'completed' || !state.items) continue;
    for (const { id, status } of state.items.list)
      if (status !== 'tested') yield `${agent} completed although ${id} is ${status}`;
  }
}

function isProved(end: JobLog['phases'][number]['state']['end']): boolean {
  return end?.kind === 'completed' && (end.evidence ?? []).some(({ check }) => 'proof' in check);
}
