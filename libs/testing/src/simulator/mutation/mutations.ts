import { ALL_CHECKS, type LogChecks } from '../memory/log-checks.js';

/** A safeguard that is taken out in the wiring of the simulator. The fields say what is in place. */
export interface Mutation {
  readonly what: string;
  /** An invariant that must notice; `undefined` where the engine is not to depend on the safeguard, so nothing may notice. */
  readonly caughtBy: string | undefined;
  readonly log: LogChecks;
  readonly dedupe: boolean;
  /** Whether messages of vanished workers come back by themselves. */
  readonly redelivery: boolean;
  readonly leases: 'as they are' | 'never held' | 'always held';
  /** Whether processes that fell silent with the log may come back before others take their work over. */
  readonly outageGrace: boolean;
  readonly reconciler: boolean;
  readonly notifications: boolean;
  /** Whether the mark that a `once` call was started is read. */
  readonly onceMark: boolean;
  /** Whether `charge` says that it must not run twice. */
  readonly honestEffects: boolean;
  readonly pricesKnown: boolean;
  /** Whether the model client tells an attempt that may have been charged from one that cost nothing. */
  readonly chargesTold: boolean;
  readonly foldsRefreshed: boolean;
  readonly epochs: boolean;
  /** Whose clock the queues go by. */
  readonly queueTimes: 'server' | 'caller';
  /** Whose clock the deciders and runners go by. */
  readonly decisionTimes: 'database' | 'process';
}

export const NO_MUTATION: Mutation = {
  what: 'nothing is taken out',
  caughtBy: undefined,
  log: ALL_CHECKS,
  dedupe: true,
  redelivery: true,
  leases: 'as they are',
  outageGrace: true,
  reconciler: true,
  notifications: true,
  onceMark: true,
  honestEffects: true,
  pricesKnown: true,
  chargesTold: true,
  foldsRefreshed: true,
  epochs: true,
  queueTimes: 'server',
  decisionTimes: 'database',
};

const without = (
  what: string,
  caughtBy: string | undefined,
  change: Partial<Omit<Mutation, 'log'>> & { readonly log?: Partial<LogChecks> },
): Mutation => ({ ...NO_MUTATION, what, caughtBy, ...change, log: { ...ALL_CHECKS, ...change.log } });

const ENDS = 'every job ends or names what it waits for';

/** By name. `npm run simulate -- --mutation <name>` shows what notices. */
export const mutations: Readonly<Record<string, Mutation>> = {
  'no-expected-version': without('the log takes an append whatever version it follows', 'a stale holder is refused', {
    log: { expectedVersion: false },
  }),
  'open-ends': without('closed streams take appends, and nobody looks at versions', 'no phase completes twice', {
    log: { closedStreams: false, expectedVersion: false },
  }),
  'half-commits': without('of an append to several streams only the first is written', 'no unexpected error', {
    log: { wholeUnits: false },
  }),
  'broken-chain': without('an event is not chained to the one before it', 'every hash chain verifies', {
    log: { chain: false },
  }),
  'always-held': without('a dead process counts as the holder for good', ENDS, { leases: 'always held' }),
  'never-held': without('a living process does not count as the holder', 'a living holder is left alone', {
    leases: 'never held',
  }),
  'no-outage-grace': without(
    'everybody counts as dead right behind an outage of the log',
    'a living holder is left alone',
    { outageGrace: false },
  ),
  'no-reconciler': without('nobody looks for work that no queue knows of', ENDS, { reconciler: false }),
  'no-once-mark': without('a `once` call that was started looks as if it was not', 'no once tool has two effects', {
    onceMark: false,
  }),
  'wrong-effect': without('a `once` tool says that it may run twice', 'no once tool has two effects', {
    honestEffects: false,
  }),
  'no-reservation': without('calls are thought to cost nothing', 'money spent stays within the cap', {
    pricesKnown: false,
  }),
  'silent-retries': without('the model client repeats what may have been charged', 'money spent stays within the cap', {
    chargesTold: false,
  }),
  'stale-folds': without('a process never reads again what it has read', ENDS, { foldsRefreshed: false }),
  'caller-times': without('the queues go by the clock of whoever calls them', ENDS, { queueTimes: 'caller' }),
  'own-clocks': without('deciders and runners go by the clock of their process', 'no timer fires before its time', {
    decisionTimes: 'process',
  }),
  'no-dedupe': without('the queues take a second message under the same id', undefined, { dedupe: false }),
  'no-redelivery': without('messages of vanished workers are lost', undefined, { redelivery: false }),
  'no-notifications': without('nobody is told of control events', undefined, { notifications: false }),
  'no-epochs': without('messages from before a take-over look new', undefined, { epochs: false }),
  'no-event-ids': without('the log does not know an append that is repeated', undefined, {
    log: { repeatedEventIds: false },
  }),
};
