import type { Chance, Roll } from '@phaseline/harness';

/** Kinds of operations at which a fault can occur. */
export type Place =
  | 'append'
  | 'read'
  | 'send'
  | 'settle'
  | 'deliver'
  | 'notify'
  | 'beat'
  | 'model'
  | 'answer'
  | 'tool'
  | 'world'
  | 'outage'
  | 'clock';

export type FaultKind = (typeof faultsOf)[Place][number];

/** Faults of each place. A fault that is listed twice occurs twice as often. */
const faultsOf = {
  append: [
    'crash before',
    'crash after',
    'crash after',
    'pause before',
    'pause after',
    'slow',
    'unreachable before',
    'unreachable after',
  ],
  read: ['crash before', 'pause after', 'slow', 'unreachable before'],
  send: ['crash before', 'crash after', 'unreachable before', 'unreachable after', 'lost', 'doubled', 'late', 'late'],
  settle: ['crash before', 'crash after', 'unreachable before', 'unreachable after', 'pause before'],
  deliver: ['doubled', 'late'],
  notify: ['lost'],
  beat: ['lost'],
  model: [
    'crash before',
    'crash after',
    'pause before',
    'pause after',
    'slow',
    'very slow',
    'model down',
    'model refuses',
    'stream breaks',
    'stop',
  ],
  answer: ['plain text', 'plain text', 'unknown tool', 'malformed call', 'bad arguments', 'cut', 'too early', 'empty'],
  tool: [
    'crash before',
    'crash after',
    'crash after',
    'pause before',
    'pause after',
    'slow',
    'tool fails',
    'tool fails for now',
    'tool throws',
    'tool hangs',
    'stop',
  ],
  world: ['queues flushed', 'all restart', 'log away', 'queues away', 'log away', 'one stops'],
  outage: ['models away', 'models fail'],
  clock: ['clock ahead', 'clock behind', 'clock far ahead', 'clock far behind'],
} as const;

/** Relative frequency of faults per place; higher for operations that are rare. */
const WEIGHTS: Readonly<Record<Place, number>> = {
  append: 1.5,
  read: 0.4,
  send: 1.5,
  settle: 1,
  deliver: 1.5,
  notify: 0.5,
  beat: 0.3,
  model: 4,
  answer: 4,
  tool: 5,
  world: 6,
  outage: 3,
  clock: 15,
};

/** A fault of a run: `at` is the name of the operation in this run. */
export interface Fault {
  readonly at: string;
  readonly kind: FaultKind;
}

/** Groups of faults. A run uses one or a few of them, so that each group also occurs alone. */
const styles: Readonly<Record<string, readonly FaultKind[]>> = {
  crashes: ['crash before', 'crash after', 'all restart', 'stop', 'one stops'],
  pauses: ['pause before', 'pause after', 'slow', 'very slow', 'late'],
  network: ['unreachable before', 'unreachable after', 'log away', 'queues away', 'slow'],
  queues: ['lost', 'doubled', 'late', 'queues flushed', 'queues away'],
  model: [
    'model down',
    'model refuses',
    'stream breaks',
    'plain text',
    'unknown tool',
    'malformed call',
    'bad arguments',
    'cut',
    'too early',
    'empty',
    'very slow',
    'models away',
    'models fail',
  ],
  tools: ['tool fails', 'tool fails for now', 'tool throws', 'tool hangs', 'slow', 'crash after'],
};

/** Decides which faults occur and records them. */
export class FaultPlan {
  readonly injected: Fault[] = [];
  private readonly allowed: ReadonlySet<FaultKind>;
  private readonly rate: number;
  private readonly fixedFaults: ReadonlyMap<string, FaultKind> | undefined;
  private readonly place: Readonly<Record<Place, readonly FaultKind[]>>;

  /** With `only`, exactly these faults occur, provided that their operations are reached. */
  constructor(
    private readonly chance: Chance,
    only?: readonly Fault[],
  ) {
    this.fixedFaults = only && new Map(only.map(({ at, kind }) => [at, kind]));
    const roll = chance.rollFor('style');
    const names = Object.keys(styles);
    const everything = roll.happens(0.4);
    const chosen = everything ? names : names.filter(() => roll.happens(0.35));
    this.allowed = new Set(chosen.flatMap((name) => [...styles[name]!]));
    this.rate = everything ? roll.pick([0.005, 0.015, 0.03]) : roll.pick([0.01, 0.03, 0.08]);
    const clocks = chance.rollFor('clocks').happens(0.5);
    this.place = Object.fromEntries(
      Object.entries(faultsOf).map(([place, kinds]) => [
        place,
        // Clock faults use a separate roll and no style, so that the draws of older seeds do not change.
        place === 'clock' ? (clocks ? kinds : []) : kinds.filter((kind) => this.allowed.has(kind)),
      ]),
    ) as Record<Place, FaultKind[]>;
  }

  /** Draws the fault of this operation, if any. */
  draw(place: Place, at: string): FaultKind | undefined {
    const kind = this.fixedFaults ? this.fixedFaults.get(at) : this.drawNew(place, at);
    if (kind !== undefined) this.injected.push({ at, kind });
    return kind;
  }

  private drawNew(place: Place, at: string): FaultKind | undefined {
    const kinds = this.place[place];
    if (kinds.length === 0) return undefined;
    const roll: Roll = this.chance.rollFor(`fault ${at}`);
    return roll.happens(this.rate * WEIGHTS[place]) ? roll.pick(kinds) : undefined;
  }
}
