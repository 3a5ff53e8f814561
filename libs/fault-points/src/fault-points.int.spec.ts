import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getTypescriptArguments, readProcessState } from '@phaseline/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getFiredFilePath } from './order-folder.js';
import { parseOrder, renderOrder } from './order.js';

let folder: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-faults-'));
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

/** Starts the process that reaches a fault point six times. */
function startPasser(orders: string | undefined): {
  child: ChildProcess;
  getOutput: () => string;
  ended: Promise<unknown[]>;
} {
  const child = spawn(
    process.execPath,
    getTypescriptArguments(new URL('./testing/fault-point-process.ts', import.meta.url)),
    {
      env: { PATH: process.env.PATH, ...(orders === undefined ? {} : { PHASELINE_FAULT_POINTS: orders }) },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { child, getOutput: () => output, ended: once(child, 'close') };
}

describe('a fault point', () => {
  it('does nothing in a process that is not armed', async () => {
    const { ended, getOutput } = startPasser(undefined);
    expect(await ended).toEqual([0, null]);
    expect(getOutput()).toContain('passed 6');
  });

  it('kills the process when it reaches the point for the third time', async () => {
    const { ended, getOutput } = startPasser('worker.before-append:kill@3');
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(getOutput()).toBe('passed 1\npassed 2\n');
  });

  it('stops the process until it receives SIGCONT', async () => {
    const { child, ended, getOutput } = startPasser('worker.before-append:stop@2');
    await expect.poll(async () => readProcessState(child.pid!)).toBe('T');
    expect(getOutput()).toBe('passed 1\n');
    child.kill('SIGCONT');
    expect(await ended).toEqual([0, null]);
    expect(getOutput()).toContain('passed 6');
  });

  it('blocks the event loop', async () => {
    const { ended, getOutput } = startPasser('worker.before-append:block=400');
    expect(await ended).toEqual([0, null]);
    expect(Number(/late (\d+)/.exec(getOutput())?.[1])).toBeGreaterThanOrEqual(400);
  });

  it('executes an order from a folder in only one process, and records it', async () => {
    await writeFile(join(folder, 'worker.before-append'), 'kill@2');
    const ends = await Promise.all([startPasser(`@${folder}`).ended, startPasser(`@${folder}`).ended]);
    expect(ends.filter(([, signal]) => signal === 'SIGKILL')).toHaveLength(1);
    expect(ends.filter(([code]) => code === 0)).toHaveLength(1);
    const fired: unknown = JSON.parse(await readFile(getFiredFilePath(folder, 'worker.before-append'), 'utf8'));
    expect(fired).toMatchObject({ action: { kind: 'kill' }, subject: expect.stringMatching(/^stream-\d$/) });
    expect(children.map(({ pid }) => pid)).toContain((fired as { pid: number }).pid);
  });

  it.each(['worker.no-such-point:kill', 'worker.before-append:explode', 'worker.before-append:kill@0'])(
    'refuses to start with an invalid order: %s',
    async (orders) => {
      const { ended, getOutput } = startPasser(orders);
      expect(await ended).toEqual([1, null]);
      expect(getOutput()).toContain('fault point');
    },
  );
});

it('renderOrder is the inverse of parseOrder', () => {
  for (const order of ['kill@1', 'stop@7', 'block=5000@2']) expect(renderOrder(parseOrder(order))).toBe(order);
  expect(parseOrder('kill').nth).toBe(1);
});

/** Reads the state of a process from /proc; `T` means stopped. */
