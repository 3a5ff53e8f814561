import { ALL_CHECKS, type LogChecks } from '@phaseline/harness';

/** A safeguard that the wiring of the simulator removes. The fields say which safeguards are in place. */
export interface Mutation {
  readonly description: string;
  /** The invariant that must detect the removal; `undefined` if the engine must not depend on the safeguard. */
  readonly caughtBy: string | undefined;
  readonly log: LogChecks;
  readonly dedupe: boolean;
  /** Whether messages of vanished workers are delivered again. */
  readonly redelivery: boolean;
  readonly leases: 'as they are' | 'never held' | 'always held';
  /** Whether processes silenced by an outage of the log get time to return before others take over their work. */
  readonly hasOutageGrace: boolean;
  readonly reconciler: boolean;
  readonly notifications: boolean;
  /** Whether the record that a `once` call was started is respected. */
  readonly respectsOnceMark: boolean;
  /** Whether the tool `charge` declares the effect `once`. */
  readonly hasHonestEffects: boolean;
  readonly hasPrices: boolean;
  /** Whether the model client reports that an attempt may have been charged. */
  readonly hasChargeReports: boolean;
  readonly refreshesFolds: boolean;
  readonly epochs: boolean;
  /** Whether the edit of a file is refused when the file is not what its sender saw. */
  readonly checksSeenContent: boolean;
  /** Whether a phase starts with the edits that people made after the phase before it had ended. */
  readonly keepsEditsBetweenPhases: boolean;
  /** Whether a failed run of a verifier looks like one that passed. */
  readonly respectsFailedRuns: boolean;
  /** Whether a job remembers the handoff that is open. */
  readonly remembersHandoffs: boolean;
  /** Whether a child job that runs looks as if it does. */
  readonly awaitsChildJobs: boolean;
  /** Whether a price is reserved at the version of the daily budget on which that was decided. */
  readonly reservesAtVersion: boolean;
  /** Whether a phase knows what was used in its turn. */
  readonly remembersTurns: boolean;
  /** Whose clock the queues use. */
  readonly queueTimes: 'server' | 'caller';
  /** Whose clock the deciders and runners use. */
  readonly decisionTimes: 'database' | 'process';
}

export const NO_MUTATION: Mutation = {
  description: 'no safeguard is removed',
  caughtBy: undefined,
  log: ALL_CHECKS,
  dedupe: true,
  redelivery: true,
  leases: 'as they are',
  hasOutageGrace: true,
  reconciler: true,
  notifications: true,
  respectsOnceMark: true,
  hasHonestEffects: true,
  hasPrices: true,
  hasChargeReports: true,
  refreshesFolds: true,
  epochs: true,
  checksSeenContent: true,
  keepsEditsBetweenPhases: true,
  respectsFailedRuns: true,
  remembersHandoffs: true,
  awaitsChildJobs: true,
  reservesAtVersion: true,
  remembersTurns: true,
  queueTimes: 'server',
  decisionTimes: 'database',
};

const removing = (
  what: string,
  caughtBy: string | undefined,
  change: Partial<Omit<Mutation, 'log'>> & { readonly log?: Partial<LogChecks> },
): Mutation => ({ ...NO_MUTATION, description: what, caughtBy, ...change, log: { ...ALL_CHECKS, ...change.log } });

const ENDS = 'every job ends or names what it waits for';

/** Mutations by name. `npm run simulate -- --mutation <name>` shows which invariant detects one. */
export const mutations: Readonly<Record<string, Mutation>> = {
  'no-expected-version': removing('the log ignores expected versions', 'a stale lease owner is refused', {
    log: { expectedVersion: false },
  }),
  'open-ends': removing(
    'the log accepts appends to closed streams and ignores expected versions',
    'no phase completes twice',
    {
      log: { closedStreams: false, expectedVersion: false },
    },
  ),
  'half-commits': removing('of an append to several streams only the first is stored', 'no unexpected error', {
    log: { wholeUnits: false },
  }),
  'broken-chain': removing('an event is not chained to the previous one', 'every hash chain verifies', {
    log: { chain: false },
  }),
  'always-held': removing('a dead process owns its leases for ever', ENDS, { leases: 'always held' }),
  'never-held': removing('a live process does not own its leases', 'a live lease owner keeps its work', {
    leases: 'never held',
  }),
  'no-outage-grace': removing(
    'every process counts as dead right after an outage of the log',
    'a live lease owner keeps its work',
    { hasOutageGrace: false },
  ),
  'no-reconciler': removing('lost messages are not sent again', ENDS, { reconciler: false }),
  'no-once-mark': removing('a started `once` call looks as if it was not started', 'no once tool has two effects', {
    respectsOnceMark: false,
  }),
  'wrong-effect': removing('a `once` tool declares that it may run twice', 'no once tool has two effects', {
    hasHonestEffects: false,
  }),
  'no-reservation': removing('model calls are assumed to be free', 'money spent stays within the cap', {
    hasPrices: false,
  }),
  'silent-retries': removing(
    'the model client silently repeats attempts that may have been charged',
    'money spent stays within the cap',
    {
      hasChargeReports: false,
    },
  ),
  'stale-folds': removing('a process never refreshes a state that it has read', ENDS, { refreshesFolds: false }),
  'caller-times': removing('the queues use the clocks of their callers', ENDS, { queueTimes: 'caller' }),
  'own-clocks': removing('deciders and runners use the clock of their process', 'no timer fires before its time', {
    decisionTimes: 'process',
  }),
  'blind-edits': removing(
    'an edit replaces a file whatever its sender saw',
    'an edit is recorded once, by its person, over what the person saw',
    { checksSeenContent: false },
  ),
  'lost-edits': removing(
    'a phase starts without the edits that people made after the phase before it had ended',
    'no file is lost between phases',
    { keepsEditsBetweenPhases: false },
  ),
  'ignored-failures': removing(
    'a failed run of a verifier looks like one that passed',
    'a claim is decided once, on runs that passed',
    { respectsFailedRuns: false },
  ),
  'forgotten-handoffs': removing('a job forgets the handoff that is open', 'a handoff is issued once and ends once', {
    remembersHandoffs: false,
  }),
  'early-children': removing(
    'a child job that runs looks as if it had completed',
    'a delegated task has one child job, within its share, and ends with its parent',
    { awaitsChildJobs: false },
  ),
  'racing-reservations': removing(
    'a price is reserved in the budget of a day whatever was reserved meanwhile',
    'what a person spends in a day stays within the cap',
    { reservesAtVersion: false },
  ),
  'forgotten-turns': removing('a phase forgets what was used in its turn', 'limits of turns hold', {
    remembersTurns: false,
  }),
  'no-dedupe': removing('the queues accept a second message with the same id', undefined, { dedupe: false }),
  'no-redelivery': removing('messages of vanished workers are lost', undefined, { redelivery: false }),
  'no-notifications': removing('no process is notified of control events', undefined, { notifications: false }),
  'no-epochs': removing('messages from before a takeover look current', undefined, { epochs: false }),
  'no-event-ids': removing('the log does not recognise repeated appends', undefined, {
    log: { repeatedEventIds: false },
  }),
};
