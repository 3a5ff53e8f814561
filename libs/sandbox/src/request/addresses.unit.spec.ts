import { describe, expect, it } from 'vitest';
import { isInNetworks, isPublic, parseNetworks } from './addresses.js';

describe('public addresses', () => {
  it.each([
    '8.8.8.8', '1.1.1.1', '172.15.0.1', '172.32.0.1', '100.63.0.1', '192.167.1.1', '169.253.1.1', '223.255.255.255',
    '2606:4700:4700::1111', '2a00:1450:4001::1', '::ffff:8.8.8.8', '::ffff:808:808', '64:ff9b::808:808', '2002:808:808::1',
  ])('include %s', (address) => expect(isPublic(address)).toBe(true)); // prettier-ignore

  it.each([
    '0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '100.64.0.1', '127.0.0.1', '127.255.0.1', '169.254.169.254',
    '172.16.0.1', '172.31.255.255', '192.0.0.170', '192.168.1.1', '198.18.0.1', '224.0.0.1', '240.0.0.1', '255.255.255.255',
    '::', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:a9fe:a9fe', '::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::a00:1',
    '64:ff9b:1::1', '2002:7f00:1::', '2002:c0a8:101::1', '2001::1', '2001:db8::1', 'fc00::1', 'fd12:3456::1', 'fe80::1',
    'fe80::1%eth0', 'fec0::1', 'ff02::1', '100::1', '4000::1', 'fd00:ec2::254', '', 'localhost', '999.1.1.1', '127.1',
  ])('do not include %s', (address) => expect(isPublic(address)).toBe(false)); // prettier-ignore

  it('are extended by allowed networks, which also match IPv4-mapped addresses', () => {
    const list = parseNetworks(['10.1.0.0/16', 'fd00::/8']);
    expect(['10.1.2.3', '::ffff:10.1.2.3', 'fd00::1'].map((one) => isInNetworks(list, one))).toEqual([
      true,
      true,
      true,
    ]);
    expect(['10.2.0.1', '::1', 'x'].map((one) => isInNetworks(list, one))).toEqual([false, false, false]);
    for (const bad of ['10.0.0.0', '10.0.0.0/33', 'x/8', 'fd00::/129', '10.0.0.0/-1', ''])
      expect(() => parseNetworks([bad])).toThrow(/expected a network/);
  });
});
