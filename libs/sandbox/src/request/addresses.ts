import { BlockList, isIP, isIPv4 } from 'node:net';

/** IPv4 networks that are not public: private, shared, local, documentation, multicast, reserved. */
const NON_PUBLIC_V4 = [
  '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24',
  '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24',
  '224.0.0.0/4', '240.0.0.0/4',
]; // prettier-ignore
/** Networks within 2000::/3 that are not public. IPv6 addresses outside 2000::/3 are never public. */
const NON_PUBLIC_V6 = ['2001::/23', '2001:db8::/32', '3fff::/20'];
/** IPv6 networks whose addresses embed an IPv4 address, and the offset of its four bytes. */
const EMBEDDING = [
  { network: parseNetworks(['::ffff:0:0/96', '64:ff9b::/96']), at: 12 },
  { network: parseNetworks(['2002::/16']), at: 2 },
] as const;

const nonPublic = parseNetworks([...NON_PUBLIC_V4, ...NON_PUBLIC_V6]);
const globalUnicast = parseNetworks(['2000::/3']);

/** Parses networks in CIDR notation, such as `10.1.0.0/16`. Throws an Error that names an invalid one. */
export function parseNetworks(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', prefix = ''] = cidr.split('/');
    const family = isIP(address);
    const bits = /^\d{1,3}$/.test(prefix) ? Number(prefix) : NaN;
    if (family === 0 || !(bits <= (family === 4 ? 32 : 128)))
      throw new Error(`expected a network such as 10.1.0.0/16 or fd00::/8, found '${cidr}'`);
    list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/** Whether an IP address is public. An IPv6 address that embeds an IPv4 address is public if the IPv4 address is. */
export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !nonPublic.check(address, 'ipv4');
  if (isIP(address) !== 6) return false;
  for (const { network, at } of EMBEDDING)
    if (network.check(address, 'ipv6'))
      return isPublic(
        toBytes(address)
          .slice(at, at + 4)
          .join('.'),
      );
  return globalUnicast.check(address, 'ipv6') && !nonPublic.check(address, 'ipv6');
}

/** Whether an IP address, or the IPv4 address that it embeds, is in one of the networks. */
export function isInNetworks(list: BlockList, address: string): boolean {
  if (isIPv4(address)) return list.check(address, 'ipv4');
  if (isIP(address) !== 6) return false;
  if (list.check(address, 'ipv6')) return true;
  return EMBEDDING.some(
    ({ network, at }) =>
      network.check(address, 'ipv6') &&
      list.check(
        toBytes(address)
          .slice(at, at + 4)
          .join('.'),
        'ipv4',
      ),
  );
}

/** Whether an address may be reached: a public one, or one in an allowed network. */
export function isAddressAllowed(address: string, networks: BlockList): boolean {
  return isPublic(address) || isInNetworks(networks, address);
}

/** Returns the sixteen bytes of an IPv6 address. */
function toBytes(address: string): number[] {
  // The URL parser normalises the address to the form without dots: `[::ffff:7f00:1]`.
  const normalised = new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname.slice(1, -1);
  const [head = '', tail] = normalised.split('::');
  const parseGroups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => parseInt(group, 16));
  const before = parseGroups(head);
  const after = tail === undefined ? [] : parseGroups(tail);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return [...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 255]);
}
