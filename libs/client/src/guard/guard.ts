import {
  backtestFiguresSchema,
  guardCasesSchema,
  guardLimitsSchema,
  promotionBasisSchema,
  promotionCauses,
  wellFormedText,
} from '@phaseline/contracts';
import { z } from 'zod';
import { tenantNameSchema } from '../tenant/tenant.js';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const time = z.iso.datetime();

/** The scopes of guards that belong to no agent. */
const sharedScopes = ['system', 'tenant'] as const;
const stages = ['draft', 'backtest', 'shadow', 'production'] as const;

/** A version of a guard. Versions of guards in files have no number. */
const versionNameSchema = z.object({
  number: z.int().min(1).optional(),
  /** SHA-256 of everything that determines what the version decides. */
  version: sha256,
});

const summaryShape = {
  /** `system` for a guard of the installation. */
  scope: z.enum(sharedScopes),
  /** Missing for a guard of the installation. */
  tenant: z.string().optional(),
  name: z.string(),
  /** Person or team that answers for the guard. */
  owner: z.string(),
  kind: z.string(),
  /** `file`: read from a folder of the installation when the server started; `stored`: its versions are in the log. */
  source: z.enum(['file', 'stored']),
  newest: versionNameSchema,
  /** The version that is recorded without effect, if there is one. */
  shadow: versionNameSchema.optional(),
  /** The version that has an effect, if there is one. */
  production: versionNameSchema.optional(),
};

const guardSummarySchema = z.object(summaryShape).meta({ id: 'GuardSummary' });
export type GuardSummaryRecord = z.infer<typeof guardSummarySchema>;

export const guardListSchema = z.object({ items: z.array(guardSummarySchema) }).meta({ id: 'GuardList' });
export type GuardList = z.infer<typeof guardListSchema>;

/** What a backtest found, and who asked for it. */
const guardBacktestSchema = z
  .object({ at: time, actor: z.string(), number: z.int().min(1), ...backtestFiguresSchema.shape })
  .meta({ id: 'GuardBacktest' });
export type GuardBacktestRecord = z.infer<typeof guardBacktestSchema>;

const guardVersionSchema = z.object({
  number: z.int().min(1),
  version: sha256,
  stage: z.enum(stages),
  owner: z.string(),
  description: z.string().optional(),
  addedBy: z.string(),
  addedAt: time,
  /** Number of compared calls with a known outcome that a backtest needs before the version is promoted. */
  minLabelled: z.int().min(0),
  /** When the version should be taken out of production. */
  limits: guardLimitsSchema.optional(),
  /** What backtests of the version found. Newest first, at most 20. */
  backtests: z.array(guardBacktestSchema),
  /** What the version decides; for the newest version, and for those in shadow and production. */
  definition: z.record(z.string(), z.unknown()).optional(),
});

const stageChangeSchema = z.object({
  number: z.int().min(1),
  from: z.enum(stages),
  to: z.enum(stages),
  cause: z.enum(['promoted', 'replaced', 'rolled_back', 'restored']),
  actor: z.string(),
  reason: z.string(),
  /** What the change is based on; of promotions, and of rollbacks by the system. */
  basis: promotionBasisSchema.optional(),
  at: time,
});

export const guardSchema = z
  .object({
    ...summaryShape,
    /** Newest first, at most 50; empty for a guard in a file. */
    versions: z.array(guardVersionSchema),
    /**
     * How often its decisions led to what, by version, in the jobs of tenants that the caller may see; a few milliseconds behind. `shadow` and
     * `overridden` had no effect; `failed` could not decide and was skipped.
     */
    decisions: z.array(z.object({ version: sha256, outcome: z.string(), count: z.int().min(0) })),
    /** Newest first, at most 100. */
    changes: z.array(stageChangeSchema),
  })
  .meta({ id: 'Guard' });
export type GuardRecord = z.infer<typeof guardSchema>;

/** Which of the guards with a name. Default: that of the tenant. */
const placeShape = {
  scope: z.enum(sharedScopes).optional(),
  /** Default: `default`, or the only tenant in which the caller has the right. */
  tenant: tenantNameSchema.optional(),
};

export const listGuardsQuerySchema = z
  .strictObject({ tenant: tenantNameSchema.optional() })
  .meta({ id: 'ListGuardsQuery' });
export type ListGuardsQuery = z.infer<typeof listGuardsQuerySchema>;

export const guardPlaceQuerySchema = z.strictObject(placeShape).meta({ id: 'GuardPlaceQuery' });
export type GuardPlaceQuery = z.infer<typeof guardPlaceQuerySchema>;

export const addGuardRequestSchema = z
  .strictObject({
    ...placeShape,
    /** The members of a guard's file, with `code` instead of the name of a script's file. `stage` is no member: a new version is a draft. */
    guard: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AddGuardRequest' });
export type AddGuardRequest = z.infer<typeof addGuardRequestSchema>;

const reason = wellFormedText().min(1).max(2_000);

const describedCauses = Object.entries(promotionCauses).map(([name, text]) => `${name} (${text})`);
const causeNames = promotionBasisSchema.shape.cause.options;
const expectedBasis = `expected a cause with its figure. Causes: ${describedCauses.join(' ')}`;

export const promoteGuardRequestSchema = z
  .strictObject({
    ...placeShape,
    /** SHA-256 of the version, as shown by the guard. */
    version: sha256,
    /** Number of the version. Default: the newest with this hash; an older one can have another `minLabelled` or other limits. */
    number: z.int().min(1).optional(),
    to: z.enum(['shadow', 'production']),
    /** What the promotion is based on; recorded in the log. */
    basis: z.strictObject(
      {
        cause: z.enum(causeNames, { error: `expected one of: ${describedCauses.join(' ')}` }),
        /** The figure that shows the cause. */
        figure: wellFormedText().min(1).max(500),
      },
      { error: expectedBasis },
    ),
    /** Why; recorded in the log. */
    reason,
  })
  .meta({ id: 'PromoteGuardRequest' });
export type PromoteGuardRequest = z.infer<typeof promoteGuardRequestSchema>;

export const rollBackGuardRequestSchema = z
  .strictObject({
    ...placeShape,
    /** Why; recorded in the log. */
    reason,
  })
  .meta({ id: 'RollBackGuardRequest' });
export type RollBackGuardRequest = z.infer<typeof rollBackGuardRequestSchema>;

/** Maximum number of jobs of a recorded backtest. */
const MAX_BACKTEST_JOBS = 10_000;

export const backtestGuardRequestSchema = z
  .strictObject({
    ...placeShape,
    /** Number of the version. Default: the newest. */
    number: z.int().min(1).optional(),
    /** Only jobs that were submitted at or after this time. */
    since: time.optional(),
    /** Only jobs of this agent. */
    agent: z.string().min(1).max(200).optional(),
    /** At most this many jobs, the newest ones. */
    maxJobs: z.int().min(1).max(MAX_BACKTEST_JOBS).default(1_000),
    /** What recorded cases showed that the caller ran without the guard and with it. */
    cases: guardCasesSchema.optional(),
  })
  .meta({ id: 'BacktestGuardRequest' });
export type BacktestGuardRequest = z.input<typeof backtestGuardRequestSchema>;
export type ParsedBacktestGuardRequest = z.output<typeof backtestGuardRequestSchema>;

export const recordedBacktestSchema = z
  .object({ guard: guardSummarySchema, stage: z.enum(stages), backtest: guardBacktestSchema })
  .meta({ id: 'RecordedBacktest' });
export type RecordedBacktest = z.infer<typeof recordedBacktestSchema>;

export const guardChangeSchema = z
  .object({
    /** False if there was nothing to do, and nothing was recorded. */
    changed: z.boolean(),
    guard: guardSummarySchema,
  })
  .meta({ id: 'GuardChange' });
export type GuardChangeRecord = z.infer<typeof guardChangeSchema>;

/** Longest time for which a guard can be overridden: one day, in milliseconds. */
const MAX_OVERRIDE_MS = 86_400_000;

/** Scope of a guard of a job. Needed only if guards of several scopes have the same name. */
const scope = z.enum(['system', 'tenant', 'agent']).optional();

export const overrideGuardRequestSchema = z
  .strictObject({
    scope,
    /** Why; recorded in the log, and named by each decision that has no effect. */
    reason,
    /** Time after which the guard has its effect again, in milliseconds; at most one day. */
    expiresInMs: z.int().min(1).max(MAX_OVERRIDE_MS).default(3_600_000),
  })
  .meta({ id: 'OverrideGuardRequest' });
export type OverrideGuardRequest = z.input<typeof overrideGuardRequestSchema>;
export type ParsedOverrideGuardRequest = z.output<typeof overrideGuardRequestSchema>;

export const revokeGuardOverrideRequestSchema = z
  .strictObject({ scope, reason })
  .meta({ id: 'RevokeGuardOverrideRequest' });
export type RevokeGuardOverrideRequest = z.infer<typeof revokeGuardOverrideRequestSchema>;
