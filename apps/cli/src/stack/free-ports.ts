import { freePort } from '@phaseline/local-stack';

/** As many different free ports as asked for. The system may name one twice in a row, as nobody listens on it yet. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}
