import type { Guard, PhaseEventData } from '@phaseline/domain';

export type GuardDecided = PhaseEventData<'GuardDecided'>;

/** Whether an event records a decision of a guard that is tried. */
export function isDecisionOf(
  { name, scope, version }: Guard,
  event: { readonly type: string; readonly data: unknown },
): event is { readonly type: 'GuardDecided'; readonly data: GuardDecided } {
  if (event.type !== 'GuardDecided') return false;
  const { guard } = event.data as GuardDecided;
  return guard.name === name && guard.scope === scope && guard.version === version && guard.stage === 'shadow';
}

/** The decisions of a guard that is tried, in the order in which they are recorded. */
export function listDecisionsOf(
  guard: Guard,
  events: readonly { readonly type: string; readonly data: unknown }[],
): readonly GuardDecided[] {
  return events.flatMap((event) => (isDecisionOf(guard, event) ? [event.data] : []));
}
