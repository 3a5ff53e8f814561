import { jsonObjectSchema } from '@phaseline/basics';
import { backtestFiguresSchema, guardLimitsSchema, promotionBasisSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { defineEvent, type EventOf } from '../../event/define-event.js';
import { guardStages, hookPoints } from '../guard-vocabulary.js';

/** Kinds of guards that a tenant or the installation can store: those that need no files. */
const storedGuardKinds = ['rule', 'script'] as const;

/** What a version of a stored guard decides, and where. */
const storedGuardSchema = z.object({
  kind: z.enum(storedGuardKinds),
  points: z.array(z.enum(hookPoints)).min(1),
  workflows: z.array(z.string()).optional(),
  onFailure: z.enum(['deny', 'continue']),
  /** The rule, or the code of the script. */
  body: jsonObjectSchema,
});
export type StoredGuard = z.infer<typeof storedGuardSchema>;

const version = {
  /** Principal who made the change. */
  actor: z.string(),
  /** Number of the version, from 1. */
  number: z.int().min(1),
  /** SHA-256 of everything that determines what the version decides. */
  version: z.string().regex(/^[0-9a-f]{64}$/),
};

const guardVersionAdded = defineEvent(
  'GuardVersionAdded',
  2,
  'A version of a guard was added to a tenant or to the installation, as a draft. It is not asked yet.',
  z.object({
    ...version,
    name: z.string(),
    /** Person or team that answers for the guard. */
    owner: z.string(),
    description: z.string().optional(),
    definition: storedGuardSchema,
    /** Number of compared calls with a known outcome that a backtest needs before the version is promoted. */
    minLabelled: z.int().min(0),
    /** When the version should be taken out of production; absent if only people decide it. */
    limits: guardLimitsSchema.optional(),
  }),
);

const guardBacktested = defineEvent(
  'GuardBacktested',
  1,
  'A version of a guard was asked about recorded calls. A draft is then in the stage `backtest`; in other stages the figures are newer ones.',
  z.object({ ...version, ...backtestFiguresSchema.shape }),
);

/** Why the stage of a version changed. */
const stageCauses = ['promoted', 'replaced', 'rolled_back', 'restored'] as const;

const guardStageChanged = defineEvent(
  'GuardStageChanged',
  2,
  'The stage of a version of a guard changed. Phases that start from now on receive the guards in shadow and production.',
  z.object({
    ...version,
    from: z.enum(guardStages),
    to: z.enum(guardStages),
    /** A person promoted it; another version replaced it; a person rolled it back; it returned because the version after it was rolled back. */
    cause: z.enum(stageCauses),
    reason: z.string(),
    /** What the change is based on: of each promotion since version 2, and of a rollback by the system. */
    basis: promotionBasisSchema.optional(),
  }),
);

export const guardRegistryEventDefinitions = [guardVersionAdded, guardBacktested, guardStageChanged] as const;
export type GuardRegistryEvent =
  EventOf<typeof guardVersionAdded> | EventOf<typeof guardBacktested> | EventOf<typeof guardStageChanged>;
export type GuardVersionAdded = EventOf<typeof guardVersionAdded>['data'];
export type GuardBacktested = EventOf<typeof guardBacktested>['data'];
