/** Ports that an entry without a port allows. */
const DEFAULT_PORTS = [80, 443];

/** Whether the list allows connections to a host and port. */
export function isAllowedHost(list: readonly string[], host: string, port: number): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  return list.some((entry) => {
    const [pattern = '', entryPort] = entry.toLowerCase().split(':');
    if (entryPort === undefined ? !DEFAULT_PORTS.includes(port) : Number(entryPort) !== port) return false;
    return pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern;
  });
}
