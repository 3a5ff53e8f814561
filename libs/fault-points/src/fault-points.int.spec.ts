import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { typescriptProcess } from '@phaseline/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { firedFile } from './order-folder.js';
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

/** Runs the process that passes a point six times. */
function passBy(orders: string | undefined): { child: ChildProcess; said: () => string; ended: Promise<unknown[]> } {
  const child = spawn(process.execPath, typescriptProcess(new URL('./testing/passer-by.ts', import.meta.url)), {
    env: { PATH: process.env.PATH, ...(orders === undefined ? {} : { PHASELINE_FAULT_POINTS: orders }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return { child, said: () => said, ended: once(child, 'close') };
}

describe('a fault point', () => {
  it('does nothing in a process that was not armed', async () => {
    const { ended, said } = passBy(undefined);
    expect(await ended).toEqual([0, null]);
    expect(said()).toContain('passed 6');
  });

  it('kills the process the third time that it gets there', async () => {
    const { ended, said } = passBy('worker.before-append:kill@3');
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(said()).toBe('passed 1\npassed 2\n');
  });

  it('stops the process until it is sent on', async () => {
    const { child, ended, said } = passBy('worker.before-append:stop@2');
    await expect.poll(async () => stateOf(child.pid!)).toBe('T');
    expect(said()).toBe('passed 1\n');
    child.kill('SIGCONT');
    expect(await ended).toEqual([0, null]);
    expect(said()).toContain('passed 6');
  });

  it('blocks the event loop', async () => {
    const { ended, said } = passBy('worker.before-append:block=400');
    expect(await ended).toEqual([0, null]);
    expect(Number(/late (\d+)/.exec(said())?.[1])).toBeGreaterThanOrEqual(400);
  });

  it('takes an order out of a folder while it runs, once for all processes, and leaves word', async () => {
    await writeFile(join(folder, 'worker.before-append'), 'kill@2');
    const ends = await Promise.all([passBy(`@${folder}`).ended, passBy(`@${folder}`).ended]);
    expect(ends.filter(([, signal]) => signal === 'SIGKILL')).toHaveLength(1);
    expect(ends.filter(([code]) => code === 0)).toHaveLength(1);
    const fired: unknown = JSON.parse(await readFile(firedFile(folder, 'worker.before-append'), 'utf8'));
    expect(fired).toMatchObject({ action: { kind: 'kill' }, subject: expect.stringMatching(/^stream-\d$/) });
    expect(children.map(({ pid }) => pid)).toContain((fired as { pid: number }).pid);
  });

  it.each(['worker.no-such-point:kill', 'worker.before-append:explode', 'worker.before-append:kill@0'])(
    'does not start with an order that would test nothing: %s',
    async (orders) => {
      const { ended, said } = passBy(orders);
      expect(await ended).toEqual([1, null]);
      expect(said()).toContain('fault point');
    },
  );
});

it('an order reads as it was written', () => {
  for (const order of ['kill@1', 'stop@7', 'block=5000@2']) expect(renderOrder(parseOrder(order))).toBe(order);
  expect(parseOrder('kill').nth).toBe(1);
});

/** `T` is a process that was stopped. */
async function stateOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).slice(0, 1);
}
