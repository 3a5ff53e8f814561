import type { Guard, HookPoint, PhaseEvent, PhaseState } from '@phaseline/domain';
import { mayDecide, mayDecideAbout, type GuardEvent } from '@phaseline/guards';
import { mayFire } from '@phaseline/hooks';

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

  /** Whether the guard may decide something at a hook point about a call of this tool. */
  mayDecide(point: HookPoint, tool: string): boolean {
    const { guard, alone } = this;
    if (guard.kind !== 'command') return mayDecide(alone, point, tool);
    return guard.points.includes(point) && mayFire(guard, point, tool);
  }

  /** Whether the guard may decide something about a call, as far as that is known without the files and calls of the phase. */
  mayDecideAbout(event: GuardEvent & { readonly tool: string }, phase: Pick<PhaseState, 'start'>): boolean {
    if (this.guard.kind === 'command') return this.mayDecide(event.point, event.tool);
    return mayDecideAbout(this.alone, event, phase);
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

  /**
   * The phase as if it had begun with its rules and scripts, and the guard, alone: those in production decide whether guards are asked for a
   * permission.
   */
  withoutOtherCommands(state: PhaseState): PhaseState {
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
