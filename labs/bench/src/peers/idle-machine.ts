import { readdir, readFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Maximum load average of the last minute per processor. */
const MAX_LOAD_PER_PROCESSOR = 0.5;
/** Maximum share of one processor that other processes may use. */
const MAX_OTHER_SHARE = 0.1;
const SAMPLE_MS = 3_000;
/** Unit of the times in /proc; Linux has the same on every processor that Node.js supports. */
const TICKS_PER_SECOND = 100;

/** What uses the machine besides this process. */
export interface MachineUse {
  readonly processors: number;
  /** Load average of the last minute. */
  readonly load: number;
  /** Share of one processor that all other processes use, and what a hypervisor withholds. */
  readonly otherShare: number;
  /** The other process that uses most, with its share of one processor. */
  readonly busiest?: { readonly pid: number; readonly command: string; readonly share: number };
}

/** Describes why a machine is too busy for figures that can be compared; empty if it is not. */
export function listBusyReasons({ processors, load, otherShare, busiest }: MachineUse): string[] {
  const reasons: string[] = [];
  if (load > MAX_LOAD_PER_PROCESSOR * processors)
    reasons.push(
      `the load of the last minute is ${load.toFixed(2)}, more than ${MAX_LOAD_PER_PROCESSOR} per processor (${processors})`,
    );
  if (otherShare > MAX_OTHER_SHARE) {
    const most = busiest
      ? `, most of all ${busiest.command} (process ${busiest.pid}, ${toPercent(busiest.share)})`
      : '';
    reasons.push(
      `other processes use ${toPercent(otherShare)} of a processor, more than ${toPercent(MAX_OTHER_SHARE)}${most}`,
    );
  }
  return reasons;
}

/** Measures for some seconds, during which this process has to be idle, too. */
export async function measureMachineUse(sampleMs = SAMPLE_MS): Promise<MachineUse> {
  const [busyBefore, timesBefore] = [await readBusyTicks(), await readProcessTicks()];
  const started = performance.now();
  await sleep(sampleMs);
  const [busyAfter, timesAfter] = [await readBusyTicks(), await readProcessTicks()];
  const ticks = ((performance.now() - started) / 1_000) * TICKS_PER_SECOND;
  const used = [...timesAfter].map(([pid, { command, ticks: after }]) => ({
    ...{ pid, command },
    share: (after - (timesBefore.get(pid)?.ticks ?? 0)) / ticks,
  }));
  const own = used.find(({ pid }) => pid === process.pid)?.share ?? 0;
  const busiest = used.filter(({ pid }) => pid !== process.pid).toSorted((a, b) => b.share - a.share)[0];
  return {
    processors: availableParallelism(),
    load: loadavg()[0]!,
    otherShare: Math.max(0, (busyAfter - busyBefore) / ticks - own),
    ...(busiest && busiest.share > 0 ? { busiest } : {}),
  };
}

/** Reads how long all processors were not idle, with the time that a hypervisor gave to other machines. */
async function readBusyTicks(): Promise<number> {
  const line = /^cpu +(.*)$/m.exec(await readFile('/proc/stat', 'utf8'))?.[1] ?? '';
  const [user, nice, system, , , irq, softIrq, steal] = line.split(' ').map(Number);
  return user! + nice! + system! + irq! + softIrq! + steal!;
}

async function readProcessTicks(): Promise<Map<number, { readonly command: string; readonly ticks: number }>> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const entries = await Promise.all(
    pids.map(async (pid) => {
      // The process may have ended since.
      const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      const [, command, rest] = /^\d+ \((.*)\) (.*)$/s.exec(text) ?? [];
      const fields = rest?.split(' ') ?? [];
      const ticks = Number(fields[11]) + Number(fields[12]);
      return command === undefined ? [] : [[Number(pid), { command, ticks }] as const];
    }),
  );
  return new Map(entries.flat());
}

function toPercent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
