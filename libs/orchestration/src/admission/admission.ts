import type { JobId } from '@phaseline/contracts';
import type { PhaseKind } from '@phaseline/domain';

/** A phase that is to be dispatched. */
export interface SlotRequest {
  readonly jobId: JobId;
  readonly phase: number;
  readonly kind: PhaseKind;
  /** The tenant that owns the job; the concurrency key. */
  readonly tenant: string;
  /** Priority among the tenant's own jobs; the lowest number goes first. */
  readonly priority: number;
}

/** A slot that was granted to a job. */
export interface SlotGrant {
  readonly jobId: JobId;
  readonly phase: number;
  /** Time the job waited for the slot, in milliseconds. */
  readonly waitedMs: number;
}

export interface SlotResponse {
  /** False when the job waits. A later response, to any caller, names it once its turn has come. */
  readonly isGranted: boolean;
  /** Slots that this call freed and that were granted to other jobs. The caller advances those jobs. */
  readonly grantsToOthers: readonly SlotGrant[];
}

/** A job that has a slot or waits for one. */
export interface Slot extends SlotRequest {
  /** When the slot was requested, on the clock of the implementation; ISO 8601. */
  readonly requestedAt: string;
  /** Absent while it waits. */
  readonly grantedAt?: string;
}

/** Why a job waits for a slot, as shown to people. */
export interface SlotWait {
  readonly tenant: string;
  readonly since: string;
  /** Number of jobs of the same tenant that are ahead in line. */
  readonly ahead: number;
  /** Number of running phases of the tenant, of all kinds. */
  readonly tenantActive: number;
  /** Maximum number of running phases of the tenant; absent when only the workers limit it. */
  readonly tenantLimit?: number;
  /** Number of running phases of this kind, of all tenants. `window` is their maximum. */
  readonly active: number;
  readonly window: number;
}

/**
 * Decides which phases may run. A phase is dispatched only when its job holds a slot, and the job keeps the slot until
 * the phase ends. The queues therefore never hold more than the workers can take, and turns are decided here instead of
 * by the order of a queue. `PostgresAdmission` keeps the slots in a table, `MemoryAdmission` in memory; both satisfy
 * one contract.
 *
 * This state is derived from the log and may be lost at any time: see `reconcileSlots`.
 */
export interface Admission {
  /**
   * Requests a slot for the job's next phase and releases the one it holds for an earlier phase, in one step. Repeating
   * a request for the same phase gives the same response.
   */
  requestSlot(request: SlotRequest): Promise<SlotResponse>;
  /**
   * Releases the job's slot: the job has ended, is paused, or waits for something else. Returns the grants that this
   * made possible.
   */
  releaseSlot(jobId: JobId): Promise<readonly SlotGrant[]>;
  /** Records a phase that the log shows to be running. It counts from now on, even when there is no room for it. */
  recordRunning(request: SlotRequest): Promise<void>;
  /**
   * Grants every free slot. Needed only when slots become free in another way: by a new worker or a raised limit.
   */
  grantAvailable(): Promise<readonly SlotGrant[]>;
  listSlots(): Promise<readonly Slot[]>;
}

/** Limits on the number of running phases. */
export interface AdmissionSettings {
  /** Maximum number of running phases per kind, over all tenants: a number, or derived from the live workers. */
  readonly window: number | WorkerWindow;
  /**
   * Maximum number of running phases of a tenant that `tenantLimits` does not name. Absent: only the window limits it.
   */
  readonly tenantLimit?: number;
  readonly tenantLimits?: Readonly<Record<string, number>>;
}

/**
 * A window that follows the capacity of the live workers: capacity times `factor`. A factor above 1 keeps workers busy
 * while phases wait for tools, but lets messages wait in a queue, where tenants do not take turns. `withoutWorkers`
 * applies while no worker is known.
 */
interface WorkerWindow {
  readonly factor: number;
  readonly withoutWorkers: number;
}

/** Load of one tenant, as shown to people. */
export interface TenantLoad {
  readonly tenant: string;
  /** Number of running phases. */
  readonly active: number;
  /** Number of jobs that wait for a slot. */
  readonly waiting: number;
  /** Maximum number of running phases; absent when only the window limits them. */
  readonly limit?: number;
  /** Who set the limit at run time, and when; absent when it comes from the configuration. */
  readonly setBy?: { readonly actor: string; readonly at: string };
  /** Longest time that a job of the tenant has waited so far, in milliseconds. */
  readonly longestWaitMs?: number;
}

/** What operators can read and set while the system runs. */
export interface Tenants {
  /** Lists every tenant that holds or waits for a slot or has its own limit, and those that are named, sorted. */
  listTenants(named?: readonly string[]): Promise<readonly TenantLoad[]>;
  /**
   * Sets a limit, or with `undefined` returns to the configured one. Records who set it, and grants the slots that become
   * free.
   */
  setLimit(
    tenant: string,
    limit: { readonly maxPhases: number | undefined; readonly actor: string },
  ): Promise<readonly SlotGrant[]>;
  /** Returns why a job waits; `undefined` when it does not wait for a slot. */
  findWait(jobId: JobId): Promise<SlotWait | undefined>;
}
