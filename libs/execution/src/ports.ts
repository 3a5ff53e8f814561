import type { RecordedPhase } from '@phaseline/repository';
import type { ChatModel, ModelProfile } from '@phaseline/model';

/** A model that a worker can call, under the name that agent definitions use. */
export interface ConfiguredModel {
  readonly profile: ModelProfile;
  readonly model: ChatModel;
  /** Maximum number of tokens per call, request and answer together. */
  readonly contextTokens: number;
  /** The recording to replay instead of calling the model. */
  readonly recorded?: RecordedPhase;
}

export interface ModelCatalogue {
  /** Finds a model by its profile name; `undefined` when the worker's configuration has no such profile. */
  find(name: string): ConfiguredModel | undefined | Promise<ConfiguredModel | undefined>;
}

/**
 * Tells whether a process still holds the lease on a stream or a call, judged by its heartbeats and the clock of the database.
 */
export interface Leases {
  isLeaseHeld(processId: string, streamId: string): Promise<boolean>;
}

/** The leases that this process holds on streams and calls; its heartbeats carry the list. */
export interface HeldLeases {
  addLease(streamId: string): void;
  removeLease(streamId: string): void;
}

/** Sends messages to queues. Sending does nothing when the queue already holds a message with this id. */
export interface Sender {
  send(
    queue: 'strategic' | 'tactical' | 'tools',
    payload: Readonly<Record<string, unknown>>,
    options: { id: string; priority?: number },
  ): Promise<void>;
}

export interface Clock {
  now(): Date;
}
