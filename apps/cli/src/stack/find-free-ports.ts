import { findFreePort } from '@phaseline/local-stack';

/** Returns `count` different free ports. The system may return the same port twice, because nothing listens on it yet. */
export async function findFreePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await findFreePort());
  return [...ports];
}
