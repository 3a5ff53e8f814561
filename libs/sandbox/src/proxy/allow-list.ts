import { isIP } from 'node:net';

/** Ports that an entry without a port allows. */
const DEFAULT_PORTS = [80, 443];

/** Whether the list allows connections to a host and port. */
export function isAllowedHost(list: readonly string[], host: string, port: number): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  return list.some((entry) => {
    const [pattern = '', entryPort] = entry.toLowerCase().split(':');
    if (entryPort === undefined ? !DEFAULT_PORTS.includes(port) : Number(entryPort) !== port) return false;
    if (!pattern.startsWith('*.')) return name === pattern;
    // The end of an address is no domain.
    return name.endsWith(pattern.slice(1)) && isIP(name) === 0;
  });
}
