import type { JobId } from '@phaseline/contracts';
import { controlResponseSchema, type ControlResponse } from '../control/control-job.js';
import {
  createGet,
  createLongWrite,
  createWrite,
  createWriteWithKey,
  type Cancellable,
  type Keyed,
} from '../http/requests.js';
import { routes } from '../http/routes.js';
import type { Transport } from '../http/transport.js';
import {
  guardChangeSchema,
  guardListSchema,
  guardSchema,
  recordedBacktestSchema,
  type AddGuardRequest,
  type BacktestGuardRequest,
  type GuardChangeRecord,
  type GuardPlaceQuery,
  type GuardRecord,
  type GuardSummaryRecord,
  type ListGuardsQuery,
  type OverrideGuardRequest,
  type PromoteGuardRequest,
  type RecordedBacktest,
  type RevokeGuardOverrideRequest,
  type RollBackGuardRequest,
} from './guard.js';

/** Guards of tenants and of the installation, and their overrides in jobs. */
export class GuardApi {
  constructor(private readonly transport: Transport) {}

  /** Lists the guards of the installation, and those of the tenants in which the caller may see them. */
  async list(query: ListGuardsQuery = {}, options: Cancellable = {}): Promise<readonly GuardSummaryRecord[]> {
    return (await this.transport.json(createGet(routes.guards(), query, options), guardListSchema)).items;
  }

  /** Returns a guard with its versions and the changes of their stages. Throws PhaselineClientError `guard_not_found`. */
  get(name: string, query: GuardPlaceQuery = {}, options: Cancellable = {}): Promise<GuardRecord> {
    return this.transport.json(createGet(routes.guard(name), query, options), guardSchema);
  }

  /** Adds a version as a draft. Adding what an earlier version decides changes nothing. Throws InvalidRequest. */
  add(request: AddGuardRequest, options: Cancellable = {}): Promise<GuardChangeRecord> {
    return this.transport.json(createWrite('POST', routes.guards(), request, options), guardChangeSchema);
  }

  /**
   * Runs a version on recorded calls, and records what it found. Throws RequestRefused, or PhaselineClientError `what_if_running` while the server
   * decides other jobs again.
   */
  backtest(name: string, request: BacktestGuardRequest, options: Cancellable = {}): Promise<RecordedBacktest> {
    return this.transport.json(createLongWrite(routes.guardBacktests(name), request, options), recordedBacktestSchema);
  }

  /** Takes a version to its next stage. Throws RequestRefused, also if the caller wrote the version. */
  promote(name: string, request: PromoteGuardRequest, options: Cancellable = {}): Promise<GuardChangeRecord> {
    return this.transport.json(createWrite('POST', routes.guardPromotion(name), request, options), guardChangeSchema);
  }

  /** Takes the version in production out of effect; the one before it returns. Throws RequestRefused. */
  rollBack(name: string, request: RollBackGuardRequest, options: Cancellable = {}): Promise<GuardChangeRecord> {
    // Sent twice, it would roll back two versions.
    const write = { ...createWrite('POST', routes.guardRollback(name), request, options), isRepeatable: false };
    return this.transport.json(write, guardChangeSchema);
  }

  /** Lets the calls of one job pass a guard, until the override expires. Throws RequestRefused. */
  override(jobId: JobId, name: string, request: OverrideGuardRequest, options: Keyed = {}): Promise<ControlResponse> {
    return this.transport.json(
      createWriteWithKey(routes.jobGuardOverride(jobId, name), request, options),
      controlResponseSchema,
    );
  }

  /** Ends the overrides of a guard in one job before they expire. */
  revokeOverride(
    jobId: JobId,
    name: string,
    request: RevokeGuardOverrideRequest,
    options: Keyed = {},
  ): Promise<ControlResponse> {
    return this.transport.json(
      createWriteWithKey(routes.jobGuardRevocation(jobId, name), request, options),
      controlResponseSchema,
    );
  }
}
