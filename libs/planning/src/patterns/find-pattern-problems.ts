import { getKindDepth, getKindTime, type NodeKind } from '../artifacts/node-kind.js';
import { isProposedName } from '../artifacts/pattern-spec.js';
import { mergeSubtype } from './find-grammar.js';
import type { PatternDefinition, PatternGrammar } from './pattern-definition.js';

/**
 * Returns what is inconsistent in a pattern; empty if plans can follow it. Used for files and for proposed top-level patterns, so that a
 * grammar that no plan fulfils is never approved.
 */
export function findPatternProblems(definition: PatternDefinition): readonly string[] {
  const { pattern, sourcePattern, features, subtypes } = definition;
  const names = subtypes.map(({ name }) => name);
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  return [
    ...(isProposedName(pattern) && sourcePattern === undefined
      ? ['sourcePattern: a proposal names the canonical pattern that it departs from']
      : []),
    ...(Object.values(features).some(({ weight }) => weight > 0) ? [] : ['features: expected a weight above 0']),
    ...repeated.map((name) => `subtypes: ${name} occurs more than once`),
    ...findGrammarProblems(definition),
    ...subtypes.flatMap((subtype) =>
      findGrammarProblems(mergeSubtype(definition, subtype)).map((problem) => `subtype ${subtype.name}: ${problem}`),
    ),
  ];
}

function findGrammarProblems(grammar: PatternGrammar): readonly string[] {
  const reachable = listReachableKinds(grammar);
  return [
    ...findContainmentProblems(grammar, reachable),
    ...findLevel1Problems(grammar),
    ...findUnreachable(grammar.needs, 'needs', reachable),
    ...findEndProblems(grammar, reachable),
  ];
}

/** Returns the kinds of nodes that plans of a pattern can have. */
export function listReachableKinds({ contains }: PatternGrammar): ReadonlySet<NodeKind> {
  const reachable = new Set<NodeKind>();
  const open = [...(contains.plan ?? [])];
  for (let kind = open.pop(); kind !== undefined; kind = open.pop()) {
    if (reachable.has(kind)) continue;
    reachable.add(kind);
    open.push(...(contains[kind] ?? []));
  }
  return reachable;
}

function findContainmentProblems({ contains }: PatternGrammar, reachable: ReadonlySet<NodeKind>): readonly string[] {
  const { plan = [], ...rest } = contains;
  const entries = Object.entries(rest) as [NodeKind, readonly NodeKind[]][];
  return [
    ...(plan.length === 0 ? ['contains.plan: expected at least one kind'] : []),
    ...plan.filter((kind) => getKindDepth(kind) !== 1).map((kind) => `contains.plan: ${kind} is not of level L1`),
    ...entries.flatMap(([kind, kinds]) => [
      ...(reachable.has(kind) ? [] : [`contains.${kind}: no plan can contain this kind`]),
      ...kinds
        .filter((inner) => getKindDepth(inner) <= getKindDepth(kind))
        .map((inner) => `contains.${kind}: ${inner} is not of a deeper level`),
    ]),
    // Phases and milestones consist of tasks, so that they must be able to contain something.
    ...[...reachable]
      .filter((kind) => getKindDepth(kind) <= 2 && contains[kind] === undefined)
      .map((kind) => `contains.${kind}: missing, so that such a node can have no tasks`),
  ];
}

function findLevel1Problems({ level1, needs }: PatternGrammar): readonly string[] {
  const needed = new Set(needs.filter((kind) => getKindDepth(kind) === 1)).size;
  if (level1.min > level1.max) return ['level1: min is greater than max'];
  return needed > level1.max ? [`level1: max is ${level1.max}, but the pattern needs ${needed} kinds of L1 nodes`] : [];
}

function findEndProblems({ contains, ends }: PatternGrammar, reachable: ReadonlySet<NodeKind>): readonly string[] {
  const ending = new Set([...(ends.criterion ?? []), ...(ends.recurrence ?? []), ...(ends.target ?? [])]);
  const canEnd = (kind: NodeKind): boolean =>
    ending.has(kind) ||
    (contains[kind] ?? []).some((inner) => getKindDepth(inner) > getKindDepth(kind) && canEnd(inner));
  return [
    ...findUnreachable([...ending], 'ends', reachable),
    ...(ends.recurrence ?? [])
      .filter((kind) => getKindTime(kind) !== 'recurring')
      .map((kind) => `ends.recurrence: ${kind} does not recur`),
    ...(ends.target ?? [])
      .filter((kind) => getKindTime(kind) !== 'cumulative')
      .map((kind) => `ends.target: ${kind} has no measure`),
    ...(contains.plan ?? []).filter((kind) => !canEnd(kind)).map((kind) => `ends: nothing ends ${kind}`),
  ];
}

function findUnreachable(kinds: readonly NodeKind[], field: string, reachable: ReadonlySet<NodeKind>): string[] {
  return kinds.filter((kind) => !reachable.has(kind)).map((kind) => `${field}: no plan can contain ${kind}`);
}
