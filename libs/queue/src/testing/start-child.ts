import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { getTypescriptArguments } from '@phaseline/testing';
import type { ChildOptions } from './child-worker.js';

export interface Child {
  /** Resolves with the event of this name, including one that was already received. */
  waitForEvent(name: string): Promise<Record<string, unknown>>;
  /** Sends SIGKILL and waits until the process has exited. */
  kill(): Promise<void>;
  readonly exited: Promise<void>;
}

/** Starts `child-worker.ts` from its source and waits until it is ready. */
export async function startChild(orders: ChildOptions, environment: Record<string, string> = {}): Promise<Child> {
  const worker = new URL('./child-worker.ts', import.meta.url);
  const child = spawn(process.execPath, getTypescriptArguments(worker), {
    env: { PATH: process.env.PATH, ...environment, CHILD_ORDERS: JSON.stringify(orders) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const received = new Map<string, Record<string, unknown>>();
  const waiting = new Map<string, PromiseWithResolvers<Record<string, unknown>>>();
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as Record<string, unknown>;
    received.set(String(message.event), message);
    waiting.get(String(message.event))?.resolve(message);
  });
  const event = (name: string): Promise<Record<string, unknown>> => {
    const earlier = received.get(name);
    if (earlier) return Promise.resolve(earlier);
    const promised = waiting.get(name) ?? Promise.withResolvers<Record<string, unknown>>();
    waiting.set(name, promised);
    void gone.then(() => promised.reject(new Error(`the child ended before "${name}": ${errors}`)));
    return promised.promise;
  };
  await event('ready');
  return {
    waitForEvent: event,
    exited: gone,
    kill: async () => {
      child.kill('SIGKILL');
      await gone;
    },
  };
}
