import { toCanonicalJson, type JsonValue } from '@phaseline/basics';
import type { AdaptationLogEntry, ArtifactKind } from '../artifacts/adaptation-log-entry.js';
import type { PlanContext } from '../artifacts/plan-context.js';
import type { PlanOutline } from '../artifacts/plan-outline.js';
import type { Roadmap } from '../artifacts/roadmap.js';

/** Parts of an artifact by id, which are compared one by one. */
type Parts = ReadonlyMap<string, JsonValue>;

/** Who changed an artifact, and why. */
export interface ChangeCause {
  readonly why: string;
  readonly introducedBy: AdaptationLogEntry['introducedBy'];
  readonly by: string;
}

/** Parts that one entry shows; the artifacts have them all. */
const MAX_SHOWN_PARTS = 50;

/** Describes what a new context changes in the one before it; `undefined` if dates, times, strategy and facts are the same. */
export function describeContextChange(
  before: PlanContext,
  after: PlanContext,
  cause: ChangeCause,
): AdaptationLogEntry | undefined {
  return describeChange('context', 'part', listContextParts(before), listContextParts(after), cause);
}

/** Describes what a new outline changes in the one before it; `undefined` if its nodes are the same. */
export function describeOutlineChange(
  before: PlanOutline,
  after: PlanOutline,
  cause: ChangeCause,
): AdaptationLogEntry | undefined {
  return describeChange('outline', 'node', listNodes(before), listNodes(after), cause);
}

/** Describes what a new roadmap changes in the one before it; `undefined` if phases and dependencies are the same. */
export function describeRoadmapChange(
  before: Roadmap,
  after: Roadmap,
  cause: ChangeCause,
): AdaptationLogEntry | undefined {
  return describeChange('roadmap', 'part', listParts(before), listParts(after), cause);
}

function listContextParts({ zone, dates, calendar, capacity, strategy, facts }: PlanContext): Parts {
  const parts = { zone, dates, calendar, capacity, strategy };
  return new Map([
    ...Object.entries(parts).map(([name, part]) => [name, toJson({ [name]: part })] as const),
    ...facts.map((fact) => [`fact: ${fact.question}`, toJson(fact)] as const),
  ]);
}

function listNodes({ nodes }: PlanOutline): Parts {
  // Who introduced a node is not part of the structure.
  return new Map(nodes.map(({ origin: _, ...node }) => [node.id, toJson(node)]));
}

function listParts({ phases, dependencies }: Roadmap): Parts {
  return new Map([
    ...phases.map((phase) => [phase.node, toJson(phase)] as const),
    ...dependencies.map((one) => [`${one.from} ${one.kind} ${one.to}`, toJson(one)] as const),
  ]);
}

function describeChange(
  artifact: ArtifactKind,
  noun: string,
  before: Parts,
  after: Parts,
  { why, introducedBy, by }: ChangeCause,
): AdaptationLogEntry | undefined {
  const added = [...after.keys()].filter((key) => !before.has(key));
  const removed = [...before.keys()].filter((key) => !after.has(key));
  const changed = [...after.keys()].filter(
    (key) => before.has(key) && toCanonicalJson(before.get(key)!) !== toCanonicalJson(after.get(key)!),
  );
  const touched = [...added, ...removed, ...changed];
  if (touched.length === 0) return undefined;
  const shown = touched.slice(0, MAX_SHOWN_PARTS);
  const [only] = touched;
  return {
    artifact,
    ...(touched.length === 1 && artifact === 'outline' && only !== undefined && { node: only }),
    what: `The ${artifact} changes: ${count(added, noun)} added, ${count(removed, noun)} removed, ${count(changed, noun)} changed.`,
    ...{ why, introducedBy, by },
    before: pick(before, shown),
    after: pick(after, shown),
  };
}

function count(keys: readonly string[], noun: string): string {
  return `${keys.length} ${noun}${keys.length === 1 ? '' : 's'}`;
}

function pick(parts: Parts, keys: readonly string[]): JsonValue {
  const found = keys.flatMap((key) => (parts.has(key) ? [[key, parts.get(key)!] as const] : []));
  return found.length === 0 ? null : Object.fromEntries(found);
}

/** Artifacts are plain JSON apart from members that are `undefined`. */
function toJson(value: object): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}
