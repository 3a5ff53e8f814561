import { expect, it } from 'vitest';
import { isAllowedHost } from './allow-list.js';

it.each([
  ['registry.example', 443, true],
  ['registry.example', 80, true],
  ['REGISTRY.example.', 443, true],
  ['registry.example', 22, false],
  ['a.registry.example', 443, false],
  ['registry.example.evil.example', 443, false],
  ['a.cdn.example', 443, true],
  ['cdn.example', 443, false],
  ['evilcdn.example', 443, false],
  ['git.example', 8443, true],
  ['git.example', 443, false],
  ['a.b.CDN.example.', 443, true],
  ['a.cdn.example', 8443, false],
  ['cdn.example.evil.example', 443, false],
  ['registry.example..', 443, false],
  ['10.0.0.1', 443, false],
  ['2.0.0.1', 443, false],
  ['192.0.2.7', 443, true],
])('%s:%i is allowed: %s', (host, port, isAllowed) => {
  expect(
    isAllowedHost(['registry.example', '*.cdn.example', 'git.example:8443', '*.0.0.1', '192.0.2.7'], host, port),
  ).toBe(isAllowed);
});
