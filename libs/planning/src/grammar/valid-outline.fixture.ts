import type { SeededRandom } from '@phaseline/testing';
import { getKindDepth, getKindTime, toNodeKind, type NodeKind, type NodeLevel } from '../artifacts/node-kind.js';
import type { PatternSpec } from '../artifacts/pattern-spec.js';
import type { Measure, OutlineNode, PlanOutline } from '../artifacts/plan-outline.js';
import type { PatternGrammar } from '../patterns/pattern-definition.js';

const rules = [
  'FREQ=DAILY;COUNT=14',
  'FREQ=WEEKLY;BYDAY=MO,TH;COUNT=12',
  'FREQ=MONTHLY;BYDAY=1FR;UNTIL=20271231T000000Z',
];

/** Generates outlines that a grammar accepts, from the grammar alone. */
class OutlineGenerator {
  readonly nodes: OutlineNode[] = [];
  readonly #grammar: PatternGrammar;
  readonly #random: SeededRandom;

  constructor(grammar: PatternGrammar, random: SeededRandom) {
    this.#grammar = grammar;
    this.#random = random;
  }

  generate(): void {
    const { level1, needs, contains } = this.#grammar;
    const needed = needs.filter((kind) => getKindDepth(kind) === 1);
    const count = this.#random.between(Math.max(level1.min, needed.length), Math.min(level1.max, level1.min + 2));
    for (let index = 0; index < count; index++) this.#add(needed[index] ?? this.#random.pick(contains.plan!), null);
    for (const kind of needs) this.#need(kind);
    for (const node of this.nodes) this.#complete(node);
  }

  #add(kind: NodeKind, parent: OutlineNode | null): void {
    const number = this.nodes.length + 1;
    const node: OutlineNode = {
      id: `n${number}`,
      parent: parent?.id ?? null,
      level: kind.slice(0, 2) as NodeLevel,
      time: getKindTime(kind),
      title: `Part ${number} of the plan`,
      origin: 'system',
      ...(this.#random.chance(0.2) && { agent: 'coding-agent' }),
    };
    this.nodes.push(node);
    const inner = this.#grammar.contains[kind] ?? [];
    if (inner.length === 0) return;
    const isTask = getKindDepth(kind) >= 3;
    const count = isTask ? (this.#random.chance(0.3) ? 2 : 0) : this.#random.between(1, 3);
    for (let index = 0; index < count; index++) this.#add(this.#random.pick(inner), node);
  }

  #need(kind: NodeKind): void {
    if (this.nodes.some((node) => toNodeKind(node) === kind)) return;
    const parents = this.nodes.filter((node) => this.#grammar.contains[toNodeKind(node)]?.includes(kind));
    this.#add(kind, this.#random.pick(parents));
  }

  #complete(node: OutlineNode): void {
    const { ends } = this.#grammar;
    const kind = toNodeKind(node);
    const parent = this.nodes.find(({ id }) => id === node.parent);
    const isTop = parent?.time !== node.time;
    if (ends.criterion?.includes(kind) || this.#random.chance(0.2)) node.endCriterion = 'A person has checked it.';
    if (node.time === 'recurring' && (isTop || ends.recurrence?.includes(kind) || this.#random.chance(0.2)))
      node.recurrence = this.#random.pick(rules);
    if (node.time === 'cumulative' && (isTop || ends.target?.includes(kind) || this.#random.chance(0.2)))
      node.measure = this.#buildMeasure();
    this.#estimate(node);
  }

  #estimate(node: OutlineNode): void {
    const children = this.nodes.filter(({ parent }) => parent === node.id);
    if (getKindDepth(toNodeKind(node)) < 3) return;
    if (children.length === 0) node.estimateMinutes = this.#random.between(1, 40) * 5;
    // Actions have at most 200 minutes each.
    else if (this.#random.chance(0.5)) node.estimateMinutes = 200 * children.length;
  }

  #buildMeasure(): Measure {
    const from = this.#random.between(-5, 5);
    const step = this.#random.between(1, 3);
    const targets = [1, 2, 3].map((number) => ({ value: from + number * step, by: `2027-0${number}-01` }));
    return { unit: 'kilometres', from, targets };
  }
}

/** Generates an outline that the grammar of a pattern accepts. The order of its nodes is arbitrary. */
export function generateOutline(
  grammar: PatternGrammar,
  random: SeededRandom,
  { contextHash, pattern }: { readonly contextHash: string; readonly pattern: PatternSpec },
): PlanOutline {
  const generator = new OutlineGenerator(grammar, random);
  generator.generate();
  const ranks = new Map(generator.nodes.map((node) => [node, random.next()]));
  const nodes = random.chance(0.5)
    ? generator.nodes
    : generator.nodes.toSorted((one, other) => ranks.get(one)! - ranks.get(other)!);
  return { contextHash, pattern, nodes };
}
