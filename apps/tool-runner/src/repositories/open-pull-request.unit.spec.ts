import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { RepositoryOutput } from '@phaseline/domain';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openPullRequest, type PullRequestTarget } from './open-pull-request.js';

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

let server: Server;
let seen: Seen[];
/** Pull requests that are open on the server, by head. */
let open: Map<string, string>;
let refusal: { readonly status: number; readonly message: string } | undefined;
let target: PullRequestTarget;

beforeEach(async () => {
  seen = [];
  open = new Map();
  refusal = undefined;
  server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method, url, headers } = request;
      const parsed = (body === '' ? undefined : JSON.parse(body)) as { head?: string } | undefined;
      seen.push({ method, url, authorization: headers.authorization, body: parsed });
      const answer = (status: number, value: unknown) => response.writeHead(status).end(JSON.stringify(value));
      if (refusal) return answer(refusal.status, { message: refusal.message });
      if (method === 'GET') {
        const head = new URL(url!, 'http://x').searchParams.get('head')!.split(':')[1]!;
        return answer(200, open.has(head) ? [{ html_url: open.get(head) }] : []);
      }
      const address = `https://example.org/owner/name/pull/${open.size + 1}`;
      open.set(parsed!.head!, address);
      return answer(201, { html_url: address });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  target = {
    api: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v3/`,
    url: 'https://example.org/owner/name.git',
    token: 'the-token',
    rule: { allowed: 'any' },
    signal: new AbortController().signal,
  };
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

const output = { request: { kind: 'pull_request', title: 'Correct it', body: 'Why' } } as RepositoryOutput;

it('opens one pull request, however often it is repeated', async () => {
  const first = await openPullRequest(output, 'phaseline/x', 'main', target);
  expect(first).toBe('https://example.org/owner/name/pull/1');
  expect(await openPullRequest(output, 'phaseline/x', 'main', target)).toBe(first);
  expect(seen.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET']);
  expect(seen[1]).toEqual({
    method: 'POST',
    url: '/api/v3/repos/owner/name/pulls',
    authorization: 'Bearer the-token',
    body: { title: 'Correct it', body: 'Why', head: 'phaseline/x', base: 'main' },
  });
});

it('reports a refusal without the token, and an outage as an error that is tried again', async () => {
  refusal = { status: 422, message: 'Validation\u001b[2J failed' };
  await expect(openPullRequest(output, 'x', 'main', target)).rejects.toMatchObject({
    code: 'pull_request_refused',
    message: 'the server refused the pull request (422): Validation [2J failed',
  });
  refusal = { status: 503, message: 'later' };
  await expect(openPullRequest(output, 'x', 'main', target)).rejects.not.toHaveProperty('code');
});

it('reaches no private address unless it is allowed', async () => {
  const { parseNetworks } = await import('@phaseline/sandbox');
  const guarded = { ...target, rule: { allowed: parseNetworks([]) } };
  await expect(openPullRequest(output, 'x', 'main', guarded)).rejects.toMatchObject({ code: 'private_address' });
  expect(seen).toEqual([]);
});
