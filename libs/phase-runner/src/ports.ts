import type { RecordedPhase } from '@phaseline/history';
import type { ChatModel, ModelProfile } from '@phaseline/model';

/** A model that a worker can call, by the name that agent definitions use. */
export interface ConfiguredModel {
  readonly profile: ModelProfile;
  readonly model: ChatModel;
  /** Tokens that one call can take, request and answer together. */
  readonly contextTokens: number;
  /** What is repeated instead of calling it. */
  readonly recorded?: RecordedPhase;
}

export interface ModelCatalogue {
  /** `undefined` when the worker's configuration has no such profile. */
  find(name: string): ConfiguredModel | undefined | Promise<ConfiguredModel | undefined>;
}

/** Tells whether a process still works on a stream, judged by its heartbeats and the database's clock. */
export interface Leases {
  isHeld(processId: string, streamId: string): Promise<boolean>;
}

/** Which streams this process works on; its heartbeats carry the list. */
export interface Holdings {
  add(streamId: string): void;
  remove(streamId: string): void;
}

/** Puts a message on a queue; sending what is there already does nothing. */
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
