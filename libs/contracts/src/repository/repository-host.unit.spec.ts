import { describe, expect, it } from 'vitest';
import { getRepositoryHost, repositoryHostsSchema } from './repository-host.js';

describe('the host of a repository', () => {
  it.each([
    ['https://GitHub.com/owner/name.git', 'github.com'],
    ['https://github.com:443/owner/name', 'github.com'],
    ['http://github.com:443/owner/name', 'github.com:443'],
    ['https://github.com./owner/name', 'github.com.'],
    ['https://git.example.org:8443/x', 'git.example.org:8443'],
    ['https://[2001:DB8::1]/x', '[2001:db8::1]'],
    // Everything behind a backslash is part of the path, so git must get the address in this reading.
    ['https://github.com\\@git.example.org/x', 'github.com'],
    ['git@GitHub.com:owner/name.git', 'github.com'],
    ['ssh://git@github.com:22/owner/name', 'github.com'],
    ['ssh://git@ssh.github.com:443/owner/name', 'ssh.github.com:443'],
    ['ssh://git@[2001:DB8::1]:2222/x', '[2001:db8::1]:2222'],
  ])('of %s is %s', (url, host) => {
    expect(getRepositoryHost(url)).toBe(host);
  });
});

describe('the hosts of a secret', () => {
  it('are stored in lower case, once, and in one order', () => {
    expect(repositoryHostsSchema.parse(['b.example', 'GitHub.com', 'github.com', 'a.example:8443'])).toEqual([
      ...['a.example:8443', 'b.example', 'github.com'],
    ]);
  });

  it.each([
    '',
    'https://github.com',
    'github.com/owner',
    'ada@github.com',
    '*.example.org',
    'a b',
    'a,b',
    'a:0',
    'ü.example',
  ])('are refused with %j', (host) => {
    expect(repositoryHostsSchema.safeParse([host]).success).toBe(false);
  });
});
