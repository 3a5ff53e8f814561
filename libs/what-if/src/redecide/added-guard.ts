import type { Guard, PhaseEvent, PhaseState } from '@phaseline/domain';

/**
 * A guard that is tried on a log. It is in shadow: it is asked where live guards are, and what it decides is recorded without effect. Each list
 * of guards is built once, because a list is compiled when it is used for the first time.
 */
export class AddedGuard {
  readonly guard: Guard;
  /** The guard without any other. */
  readonly alone: readonly Guard[];
  private readonly all = new WeakMap<readonly Guard[], Guard[]>();
  private readonly pure = new WeakMap<readonly Guard[], readonly Guard[]>();

  constructor(guard: Guard) {
    this.guard = { ...guard, stage: 'shadow' };
    this.alone = [this.guard];
  }

  /** The begin of a phase as if it had begun with the guard too. Every other event is returned as it is. */
  addToStart(event: PhaseEvent): PhaseEvent {
    if (event.type !== 'PhaseStarted') return event;
    const { terms } = event.data;
    return { ...event, data: { ...event.data, terms: { ...terms, guards: this.addToList(terms.guards ?? []) } } };
  }

  /** The phase as if it had begun with the guard too. */
  addTo(state: PhaseState): PhaseState {
    const guards = state.start.terms.guards ?? [];
    if (guards.includes(this.guard)) return state;
    const guarded = withGuards(state, this.addToList(guards));
    if (!this.guard.points.includes('UserPromptSubmit')) return guarded;
    return { ...guarded, conversation: { ...guarded.conversation, decidesMessages: true } };
  }

  /** The phase as if it had begun with this guard alone. */
  isolateIn(state: PhaseState): PhaseState {
    return withGuards(state, this.alone);
  }

  /** The phase as if it had begun with its rules and scripts alone: those in production decide whether guards are asked for a permission. */
  withoutCommands(state: PhaseState): PhaseState {
    const guards = state.start.terms.guards ?? [];
    const pure =
      this.pure.get(guards) ??
      guards.filter(
        (one) => one === this.guard || (one.stage === 'production' && (one.kind === 'rule' || one.kind === 'script')),
      );
    this.pure.set(guards, pure);
    return withGuards(state, pure);
  }

  private addToList(guards: readonly Guard[]): Guard[] {
    const list = this.all.get(guards) ?? [...guards, this.guard];
    this.all.set(guards, list);
    return list;
  }
}

function withGuards(state: PhaseState, guards: readonly Guard[]): PhaseState {
  const { start } = state;
  return { ...state, start: { ...start, terms: { ...start.terms, guards: guards as Guard[] } } };
}
