import { BlockList, isIP, isIPv4 } from 'node:net';

/** IPv4 networks that are not the public internet: private, shared, local, for documentation, multicast, reserved. */
const CLOSED_V4 = [
  '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24',
  '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24',
  '224.0.0.0/4', '240.0.0.0/4',
]; // prettier-ignore
/** The only IPv6 addresses that are public are in 2000::/3; these of them are not. */
const CLOSED_V6 = ['2001::/23', '2001:db8::/32', '3fff::/20'];
/** IPv6 networks whose addresses stand for an IPv4 address, and where in the address its four bytes are. */
const EMBEDDING = [
  { network: networks(['::ffff:0:0/96', '64:ff9b::/96']), at: 12 },
  { network: networks(['2002::/16']), at: 2 },
] as const;

const closed = networks([...CLOSED_V4, ...CLOSED_V6]);
const global = networks(['2000::/3']);

/** Networks in CIDR notation, such as `10.1.0.0/16`. Throws an Error that names one that is none. */
export function networks(cidrs: readonly string[]): BlockList {
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

/** Whether an IP address is one of the public internet. An IPv6 address that stands for an IPv4 address is judged by that. */
export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !closed.check(address, 'ipv4');
  if (isIP(address) !== 6) return false;
  for (const { network, at } of EMBEDDING)
    if (network.check(address, 'ipv6'))
      return isPublic(
        bytesOf(address)
          .slice(at, at + 4)
          .join('.'),
      );
  return global.check(address, 'ipv6') && !closed.check(address, 'ipv6');
}

/** Whether an IP address, or the IPv4 address that it stands for, is in one of the networks. */
export function isIn(list: BlockList, address: string): boolean {
  if (isIPv4(address)) return list.check(address, 'ipv4');
  if (isIP(address) !== 6) return false;
  if (list.check(address, 'ipv6')) return true;
  return EMBEDDING.some(
    ({ network, at }) =>
      network.check(address, 'ipv6') &&
      list.check(
        bytesOf(address)
          .slice(at, at + 4)
          .join('.'),
        'ipv4',
      ),
  );
}

/** The sixteen bytes of an IPv6 address. */
function bytesOf(address: string): number[] {
  // A URL gives the one spelling without dots: `[::ffff:7f00:1]`.
  const spelled = new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname.slice(1, -1);
  const [head = '', tail] = spelled.split('::');
  const groups = (text: string): number[] => (text === '' ? [] : text.split(':').map((group) => parseInt(group, 16)));
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return [...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 255]);
}
