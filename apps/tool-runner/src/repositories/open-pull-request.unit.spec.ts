import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { RepositoryOutput } from '@phaseline/domain';
import { parseNetworks } from '@phaseline/sandbox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPullRequest, type PullRequestTarget } from './open-pull-request.js';

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly body: Readonly<Record<string, string>> | undefined;
}

let server: Server;
let seen: Seen[];
/** Pull requests that are open on the server, by branch. */
let open: Map<string, string>;
let refusal: { readonly status: number; readonly body: object } | undefined;
/** Where the server redirects all requests. */
let redirect: string | undefined;
let api: string;

beforeEach(async () => {
  seen = [];
  open = new Map();
  refusal = undefined;
  redirect = undefined;
  server = createServer((request, response) => {
    void text(request).then((sent) => {
      const { method, url, headers } = request;
      const body = sent === '' ? undefined : (JSON.parse(sent) as Record<string, string>);
      seen.push({ method, url, authorization: headers.authorization, body });
      const answer = (status: number, value: unknown) => response.writeHead(status).end(JSON.stringify(value));
      if (redirect !== undefined) return response.writeHead(302, { location: redirect }).end();
      if (refusal) return answer(refusal.status, refusal.body);
      const isGitLab = url!.startsWith('/api/v4/');
      const field = isGitLab ? 'web_url' : 'html_url';
      const { searchParams } = new URL(url!, 'http://x');
      if (method === 'GET') {
        const found = open.get(
          (isGitLab ? searchParams.get('source_branch') : searchParams.get('head')?.split(':')[1])!,
        );
        return answer(200, found === undefined ? [] : [{ number: 1, state: 'open', [field]: found }]);
      }
      const address = `https://127.0.0.1/owner/name/pull/${open.size + 1}`;
      open.set((isGitLab ? body!['source_branch'] : body!['head'])!, address);
      return answer(201, { number: open.size, state: 'open', [field]: address });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

const targetOf = (changes: Partial<PullRequestTarget> = {}): PullRequestTarget => ({
  kind: 'github',
  api: `${api}/api/v3/`,
  url: `${api}/owner/name.git`,
  token: 'the-token',
  rule: { allowed: 'any' },
  signal: new AbortController().signal,
  ...changes,
});
const output = { request: { kind: 'pull_request', title: 'Correct it', body: 'Why' } } as RepositoryOutput;

describe('on a GitHub-compatible server', () => {
  it('opens one pull request, however often it is repeated', async () => {
    const first = await openPullRequest(output, { branch: 'phaseline/x', base: 'main' }, targetOf());
    expect(first).toBe('https://127.0.0.1/owner/name/pull/1');
    expect(await openPullRequest(output, { branch: 'phaseline/x', base: 'main' }, targetOf())).toBe(first);
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET']);
    expect(seen[0]?.url).toBe('/api/v3/repos/owner/name/pulls?head=owner%3Aphaseline%2Fx&base=main&state=open');
    expect(seen[1]).toEqual({
      method: 'POST',
      url: '/api/v3/repos/owner/name/pulls',
      authorization: 'Bearer the-token',
      body: { title: 'Correct it', body: 'Why', head: 'phaseline/x', base: 'main' },
    });
  });

  it('opens a draft that says so for unverified work', async () => {
    await openPullRequest(output, { branch: 'x', base: 'main', unverified: true }, targetOf());
    expect(seen[1]?.body).toMatchObject({ draft: true, body: expect.stringMatching(/^\*\*Unverified:.*\n\nWhy$/) });
  });

  it('reports a refusal with the errors of its fields, without the token, and an outage as an error that is tried again', async () => {
    const errors = [{ resource: 'PullRequest', code: 'custom', message: 'No commits between main and the-token' }];
    refusal = { status: 422, body: { message: 'Validation\u001b[2J Failed', errors } };
    await expect(openPullRequest(output, { branch: 'x', base: 'main' }, targetOf())).rejects.toMatchObject({
      code: 'pull_request_refused',
      message: 'the server refused the pull request (422): Validation [2J Failed; No commits between main and [token]',
    });
    refusal = { status: 503, body: { message: 'later' } };
    await expect(openPullRequest(output, { branch: 'x', base: 'main' }, targetOf())).rejects.not.toHaveProperty('code');
  });
});

describe('on a GitLab-compatible server', () => {
  const gitLab = () => targetOf({ kind: 'gitlab', api: `${api}/api/v4`, url: `${api}/group/sub%20group/name.git` });

  it('opens a draft that says so for unverified work', async () => {
    await openPullRequest(output, { branch: 'x', base: 'main', unverified: true }, gitLab());
    expect(seen[1]?.body).toMatchObject({ title: 'Draft: Correct it' });
  });

  it('opens one merge request, however often it is repeated', async () => {
    const first = await openPullRequest(output, { branch: 'phaseline/x', base: 'main' }, gitLab());
    expect(first).toBe('https://127.0.0.1/owner/name/pull/1');
    expect(await openPullRequest(output, { branch: 'phaseline/x', base: 'main' }, gitLab())).toBe(first);
    const path = '/api/v4/projects/group%2Fsub%20group%2Fname/merge_requests';
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET ${path}?state=opened&source_branch=phaseline%2Fx&target_branch=main`,
      `POST ${path}`,
      `GET ${path}?state=opened&source_branch=phaseline%2Fx&target_branch=main`,
    ]);
    expect(seen[1]).toMatchObject({
      authorization: 'Bearer the-token',
      body: { title: 'Correct it', description: 'Why', source_branch: 'phaseline/x', target_branch: 'main' },
    });
  });

  it.each([
    [409, { message: ['Another open merge request already exists for this source branch: !2'] }, /branch: !2$/],
    [400, { message: { title: ["can't be blank", 'is too short'] } }, /title can't be blank, is too short$/],
    [404, { message: '404 Project Not Found' }, /404 Project Not Found$/],
    [401, { error: 'invalid_token' }, /\{"error":"invalid_token"\}$/],
  ])('reports a refusal with status %i', async (status, body, message) => {
    refusal = { status, body };
    await expect(openPullRequest(output, { branch: 'x', base: 'main' }, gitLab())).rejects.toMatchObject({
      code: 'pull_request_refused',
      message: expect.stringMatching(message),
    });
  });
});

it('sends the token to the server of the repository only', async () => {
  for (const url of ['https://git.example.org/owner/name.git', 'http://127.0.0.1:1/owner/name.git'])
    await expect(openPullRequest(output, { branch: 'x', base: 'main' }, targetOf({ url })), url).rejects.toMatchObject({
      code: 'pull_request_refused',
    });
  expect(seen).toEqual([]);
});

it('follows no redirect', async () => {
  const other: (string | undefined)[] = [];
  const elsewhere = createServer(({ url }, response) => {
    other.push(url);
    response.end('[]');
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  redirect = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
  await expect(openPullRequest(output, { branch: 'x', base: 'main' }, targetOf())).rejects.toMatchObject({
    code: 'pull_request_refused',
    message: expect.stringContaining('(302)'),
  });
  expect(seen).toHaveLength(1);
  expect(other).toEqual([]);
  await new Promise((resolve) => elsewhere.close(resolve));
});

it('reaches no private address unless it is allowed', async () => {
  const guarded = targetOf({ rule: { allowed: parseNetworks([]) } });
  await expect(openPullRequest(output, { branch: 'phaseline/x', base: 'main' }, guarded)).rejects.toMatchObject({
    code: 'private_address',
  });
  expect(seen).toEqual([]);
});
