import type { ProcessId, StreamId } from '@phaseline/contracts';
import type { AgentDefinition, Workflow } from '@phaseline/domain';

/** A definition of an agent with what belongs to it. Hashes are SHA-256 of the named content, in hex. */
export interface ResolvedDefinition {
  readonly definition: AgentDefinition;
  readonly hash: string;
  readonly instructions: string;
  /** Files that every job of the agent starts with; paths are relative to the workspace. */
  readonly files?: readonly {
    readonly path: string;
    readonly content: Uint8Array;
    readonly mode?: 'executable';
  }[];
}

/** An agent with all definitions that apply to its jobs. */
export interface ResolvedAgent extends ResolvedDefinition {
  readonly workflow: Workflow;
  readonly workflowHash: string;
  /** The other agents that states of the workflow name. */
  readonly agents?: readonly ResolvedDefinition[];
}

export interface AgentSource {
  /**
   * Finds an agent for a job of a tenant. Throws an error with a message for the user when the agent does not exist or its tools cannot be
   * listed.
   */
  resolve(name: string, tenant: string): ResolvedAgent | Promise<ResolvedAgent>;
}

/** Stored secrets, without their values. */
export interface SecretNames {
  /**
   * Returns the hosts to which repositories may send the secret that an agent of a tenant uses under this name, and the agent if it is
   * the only one that may use the secret; undefined if there is none.
   */
  findForRepository(
    scope: { readonly tenant: string; readonly agent: string },
    name: string,
  ): Promise<{ readonly agent?: string; readonly repositoryHosts: readonly string[] } | undefined>;
}

/** What earlier jobs of an agent learned. */
export interface ExperienceSource {
  /** Returns the text of experiences.md for a new job of the tenant and agent; `undefined` when there is none yet. */
  buildFile(tenant: string, agent: string): Promise<string | undefined>;
}

/**
 * Checks whether a process still holds the lease on a stream, from its heartbeats and the clock of the database.
 */
export interface Leases {
  isLeaseHeld(processId: ProcessId, streamId: StreamId): Promise<boolean>;
  /** Whether any process holds the lease on a call (`<stream>/<call>`). */
  isCallHeld(lease: string): Promise<boolean>;
}

export interface Clock {
  now(): Date;
}
