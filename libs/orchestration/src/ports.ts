import type { AgentDefinition, Workflow } from '@phaseline/domain';

/** An agent with everything that a job of it runs by; hashes are SHA-256 in hex of the content they name. */
export interface ResolvedAgent {
  readonly definition: AgentDefinition;
  readonly hash: string;
  readonly instructions: string;
  /** Files that every job of the agent is given, by their path in the workspace. */
  readonly files?: readonly { readonly path: string; readonly content: Uint8Array }[];
  readonly workflow: Workflow;
  readonly workflowHash: string;
}

export interface AgentSource {
  /** Throws an error with a message for the user when there is no such agent, or its tools cannot be told. */
  resolve(name: string): ResolvedAgent | Promise<ResolvedAgent>;
}

/** What earlier jobs of an agent learned. */
export interface ExperienceSource {
  /** The text of experiences.md for a new job of that tenant and agent; `undefined` where there is nothing yet. */
  fileFor(tenant: string, agent: string): Promise<string | undefined>;
}

/** Puts a message on a queue; sending what is there already does nothing. */
export interface Sender {
  send(
    queue: 'strategic' | 'tactical' | 'tools' | 'timers',
    payload: Readonly<Record<string, unknown>>,
    options: { id: string; priority?: number; delayMs?: number },
  ): Promise<void>;
  /** Removes a message that nobody handles yet. Absent where messages cannot be removed; they do no harm when they arrive. */
  withdraw?(queue: 'timers', id: string): Promise<unknown>;
}

/** Tells whether a process still works on a stream, judged by its heartbeats and the database's clock. */
export interface Leases {
  isHeld(processId: string, streamId: string): Promise<boolean>;
}

export interface Clock {
  now(): Date;
}
