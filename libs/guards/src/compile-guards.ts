import { isGlob, matchesGlob } from '@phaseline/checks';
import {
  ruleSchema,
  scriptBodySchema,
  toGuardRef,
  type Guard,
  type GuardRef,
  type HookPoint,
  type Rule,
} from '@phaseline/domain';

/** A pure guard with its parsed body. */
export type PureGuard = {
  readonly ref: GuardRef;
  readonly onFailure: Guard['onFailure'];
} & (
  | { readonly kind: 'rule'; readonly rule: Rule }
  | { readonly kind: 'script'; readonly code: string }
  /** Written by a newer release. It fails whenever it is asked. */
  | { readonly kind: 'unreadable' }
);

/** The pure guards of a phase, in the order in which they run, found by hook point and tool. */
export class CompiledGuards {
  /** Guards that may apply, by hook point and name of the tool; filled as calls are made. */
  private readonly found = new Map<string, readonly PureGuard[]>();
  private readonly entries: readonly { readonly guard: PureGuard; readonly points: readonly HookPoint[] }[];

  constructor(guards: readonly Guard[]) {
    this.entries = guards
      .filter(({ stage, kind }) => runsIn.has(stage) && (kind === 'rule' || kind === 'script'))
      .toSorted(compareGuards)
      .map((guard) => ({ guard: parseGuard(guard), points: guard.points }));
  }

  /** The guards that have to be asked, without those whose rule names only other tools. */
  find(point: HookPoint, tool: string | undefined): readonly PureGuard[] {
    const key = `${point} ${tool ?? ''}`;
    const known = this.found.get(key);
    if (known) return known;
    const guards = this.entries
      .filter(({ guard, points }) => points.includes(point) && mayConcernTool(guard, tool))
      .map(({ guard }) => guard);
    // A model may invent any number of names, but only calls of known tools are asked about.
    this.found.set(key, guards);
    return guards;
  }
}

/** Stages in which a guard is run. */
const runsIn: ReadonlySet<Guard['stage']> = new Set(['shadow', 'production']);

/** Scopes of guards, highest first. */
export const scopeOrder: Readonly<Record<Guard['scope'], number>> = { system: 0, tenant: 1, agent: 2 };

/** Orders guards by scope, highest first, then by name. */
function compareGuards(one: Guard, other: Guard): number {
  return scopeOrder[one.scope] - scopeOrder[other.scope] || (one.name < other.name ? -1 : 1);
}

/** The guards of one kind that are asked at a hook point, in order of scope and name. */
export function listGuardsAt(guards: readonly Guard[], kind: Guard['kind'], point: HookPoint): readonly Guard[] {
  return guards
    .filter((guard) => guard.kind === kind && runsIn.has(guard.stage) && guard.points.includes(point))
    .toSorted(compareGuards);
}

const compiled = new WeakMap<readonly Guard[], CompiledGuards>();

/** Compiles the guards of a phase once. The list is part of the start of the phase, and never changes. */
export function compileGuards(guards: readonly Guard[]): CompiledGuards {
  const known = compiled.get(guards);
  if (known) return known;
  const made = new CompiledGuards(guards);
  compiled.set(guards, made);
  return made;
}

/** Whether a rule or a script among these may decide something at a hook point about a call of this tool. */
export function mayDecide(guards: readonly Guard[], point: HookPoint, tool: string): boolean {
  return compileGuards(guards).find(point, tool).length > 0;
}

function parseGuard(guard: Guard): PureGuard {
  const ref = toGuardRef(guard);
  const { onFailure, body } = guard;
  const rule = guard.kind === 'rule' ? ruleSchema.safeParse(body).data : undefined;
  if (rule) return { ref, onFailure, kind: 'rule', rule };
  const script = guard.kind === 'script' ? scriptBodySchema.safeParse(body).data : undefined;
  return script ? { ref, onFailure, kind: 'script', code: script.code } : { ref, onFailure, kind: 'unreadable' };
}

function mayConcernTool(guard: PureGuard, tool: string | undefined): boolean {
  const names = guard.kind === 'rule' ? guard.rule.when.tool : undefined;
  return names === undefined || (tool !== undefined && hasToolName(names, tool));
}

/** Whether the name of a tool is one of these names or globs. */
export function hasToolName(names: string | readonly string[], tool: string): boolean {
  return [names].flat().some((name) => (isGlob(name) ? matchesGlob(name, tool) : name === tool));
}
