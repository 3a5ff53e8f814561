import type { PhaseKind } from '@phaseline/domain';

/** A phase that is to be dispatched. */
export interface SlotRequest {
  readonly jobId: string;
  readonly phase: number;
  readonly kind: PhaseKind;
  /** Whose job it is: the concurrency key. */
  readonly tenant: string;
  /** Of the tenant's own jobs the lowest number goes first. */
  readonly priority: number;
}

/** A slot that was given out. */
export interface GivenSlot {
  readonly jobId: string;
  readonly phase: number;
  /** How long it was waited for, in milliseconds. */
  readonly waitedMs: number;
}

export interface SlotAnswer {
  /** False: the job waits, and is named in some later answer when its turn has come. */
  readonly granted: boolean;
  /** Slots that became free by this call and went to other jobs. Whoever asked takes those jobs further. */
  readonly others: readonly GivenSlot[];
}

/** A job that has a slot or waits for one. */
export interface Slot extends SlotRequest {
  /** By the clock of whoever keeps the slots; ISO 8601. */
  readonly requestedAt: string;
  /** Absent while it waits. */
  readonly grantedAt?: string;
}

/** Why a job waits, for people. */
export interface SlotWait {
  readonly tenant: string;
  readonly since: string;
  /** Jobs of the same tenant whose turn comes before. */
  readonly ahead: number;
  /** Phases of the tenant that are under way, of all kinds. */
  readonly tenantActive: number;
  /** How many the tenant may have under way; absent when only the workers bound it. */
  readonly tenantLimit?: number;
  /** Phases of this kind under way, of all tenants, and how many there may be. */
  readonly active: number;
  readonly window: number;
}

/**
 * Decides which phases may be under way. A phase is dispatched only when its job holds a slot, which it keeps until the
 * phase has ended; so the queues never hold more than the workers can take, and whose turn it is, is decided here and not by
 * the order of a queue. Kept in a table (`PostgresAdmission`) or in memory (`MemoryAdmission`); both keep one contract.
 *
 * What is kept here is derived from the log and may be lost at any time: see `reconcileSlots`.
 */
export interface Admission {
  /**
   * Asks for a slot for the job's next phase. The one it holds for an earlier phase is given back in the same breath. Asking
   * again for the same phase answers the same.
   */
  ask(request: SlotRequest): Promise<SlotAnswer>;
  /** The job needs no slot at the moment: it has ended, is paused, or waits for something else. */
  leave(jobId: string): Promise<readonly GivenSlot[]>;
  /** The log says that this phase is under way: it counts from now on, even where there is no room for it. */
  note(request: SlotRequest): Promise<void>;
  /** Gives out what there is room for now. Needed only where room comes from elsewhere: a new worker, a raised limit. */
  fill(): Promise<readonly GivenSlot[]>;
  slots(): Promise<readonly Slot[]>;
}

/** How many phases there may be. */
export interface AdmissionSettings {
  /** Phases of each kind at once over all tenants: a number, or as many as the workers that live can take. */
  readonly window: number | WorkerWindow;
  /** Phases at once of a tenant that is not named in `tenantLimits`. Absent: no more than the window bounds. */
  readonly tenantLimit?: number;
  readonly tenantLimits?: Readonly<Record<string, number>>;
}

/**
 * As many phases as the workers have places, times `factor`. More than 1 keeps places busy whose phases wait for tools, and
 * lets messages wait in a queue, where tenants do not take turns. `withoutWorkers` counts while no worker is known.
 */
export interface WorkerWindow {
  readonly factor: number;
  readonly withoutWorkers: number;
}

/** The tenants as a person sees them. */
export interface TenantLoad {
  readonly tenant: string;
  /** Phases under way. */
  readonly active: number;
  /** Jobs that wait for a slot. */
  readonly waiting: number;
  /** Absent when only the window bounds it. */
  readonly limit?: number;
  /** Who set the limit at run time, and when; absent when it comes from the configuration. */
  readonly setBy?: { readonly actor: string; readonly at: string };
  /** How long the one has waited that waits longest, in milliseconds. */
  readonly longestWaitMs?: number;
}

/** What people may see and set while the system runs. */
export interface Tenants {
  tenants(): Promise<readonly TenantLoad[]>;
  /** `undefined` gives the word back to the configuration. Recorded with who asked; gives out what it makes room for. */
  setLimit(
    tenant: string,
    limit: { readonly maxPhases: number | undefined; readonly actor: string },
  ): Promise<readonly GivenSlot[]>;
  /** Why a job waits; `undefined` when it does not wait for a slot. */
  waitOf(jobId: string): Promise<SlotWait | undefined>;
}
