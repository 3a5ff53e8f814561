import { spawn } from 'node:child_process';
import { afterEach, expect, it } from 'vitest';
import { listBusyReasons, measureMachineUse } from './idle-machine.js';

const idle = { processors: 2, load: 0.4, otherShare: 0.05 };

it('finds nothing to object to on an idle machine', () => {
  expect(listBusyReasons(idle)).toEqual([]);
});

it('reports a load that is too high for the number of processors', () => {
  expect(listBusyReasons({ ...idle, load: 1.2 })).toEqual([
    'the load of the last minute is 1.20, more than 0.5 per processor (2)',
  ]);
  expect(listBusyReasons({ ...idle, processors: 4, load: 1.2 })).toEqual([]);
});

it('names the process that uses most', () => {
  const busiest = { pid: 17, command: 'cc1', share: 0.9 };
  expect(listBusyReasons({ ...idle, otherShare: 1.1, busiest })).toEqual([
    'other processes use 110 % of a processor, more than 10 %, most of all cc1 (process 17, 90 %)',
  ]);
});

let stop = (): unknown => undefined;
afterEach(() => stop());

it('sees that another process uses a processor', async () => {
  const other = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
  stop = () => other.kill('SIGKILL');
  // The process may have to wait for a processor, so one sample may not contain it.
  await expect.poll(async () => (await measureMachineUse(300)).otherShare).toBeGreaterThan(0.1);
});
