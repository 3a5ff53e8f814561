import {
  readCount,
  readList,
  readObject,
  readString,
  type JobStateResponse,
  type UntypedData,
} from '@phaseline/client';

/** What the screen shows of the state of a job at a position. */
export interface Moment {
  readonly status: string;
  readonly phase?: MomentPhase;
  readonly todos: readonly MomentTodo[];
  readonly openCalls: readonly { readonly callId: string; readonly name: string; readonly arguments: UntypedData }[];
  /** Whether the model is being asked. */
  readonly isModelAsked: boolean;
  readonly result?: string;
  readonly failure?: { readonly code: string; readonly message: string };
}

interface MomentPhase {
  readonly number: number;
  readonly kind: string;
  /** State of the workflow. */
  readonly state: string;
  readonly name: string;
  readonly model?: string;
  /** How it ended; undefined while it runs. */
  readonly end?: string;
}

export interface MomentTodo {
  readonly id: number;
  readonly content: string;
  readonly isDone: boolean;
  readonly note?: string;
  readonly blocked?: string;
}

/** Reads the state, whose inner shapes belong to the server and may be of another release: what is missing is left out. */
export function readMoment({ job, phase }: Pick<JobStateResponse, 'job' | 'phase'>): Moment {
  const failure = readObject(job, 'failure');
  const result = readString(readObject(job, 'completion'), 'summary');
  return {
    status: readString(job, 'status') ?? 'unknown',
    ...(phase ? { phase: readPhase(phase) } : {}),
    todos: phase ? readList(readObject(phase, 'todos'), 'list').map(readTodo) : [],
    openCalls: phase ? readOpenCalls(phase) : [],
    isModelAsked: phase !== undefined && Object.keys(readObject(readObject(phase, 'modelCall'), 'open')).length > 0,
    ...(result === undefined ? {} : { result }),
    ...(readString(failure, 'message') === undefined
      ? {}
      : { failure: { code: readString(failure, 'code') ?? '', message: readString(failure, 'message') ?? '' } }),
  };
}

function readPhase(phase: UntypedData): MomentPhase {
  const start = readObject(phase, 'start');
  const identity = readObject(start, 'identity');
  const end = readString(readObject(phase, 'end'), 'kind');
  const model = readString(readObject(readObject(start, 'terms'), 'model'), 'name');
  return {
    number: readCount(identity, 'phase') ?? 0,
    kind: readString(identity, 'kind') ?? '',
    state: readString(identity, 'state') ?? '',
    name: readString(identity, 'name') ?? '',
    ...(model === undefined ? {} : { model }),
    ...(end === undefined ? {} : { end }),
  };
}

function readTodo(todo: UntypedData): MomentTodo {
  const note = readString(todo, 'note');
  const blocked = readString(todo, 'blocked');
  return {
    id: readCount(todo, 'id') ?? 0,
    content: readString(todo, 'content') ?? '',
    isDone: readString(todo, 'status') === 'done',
    ...(note === undefined ? {} : { note }),
    ...(blocked === undefined ? {} : { blocked }),
  };
}

function readOpenCalls(phase: UntypedData): Moment['openCalls'] {
  const calls = readObject(readObject(phase, 'calls'), 'byId');
  return Object.keys(calls).flatMap((callId) => {
    const call = readObject(calls, callId);
    const isOpen = ['requested', 'started'].includes(readString(call, 'status') ?? '');
    return isOpen ? [{ callId, name: readString(call, 'name') ?? '', arguments: readObject(call, 'arguments') }] : [];
  });
}
