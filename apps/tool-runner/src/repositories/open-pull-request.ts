import { clip } from '@phaseline/basics';
import type { RepositoryOutput } from '@phaseline/domain';
import { sendGuardedRequest, type AddressRule } from '@phaseline/sandbox';
import { z } from 'zod';
import { RepositoryProblem } from './repository-problem.js';

const pullRequestSchema = z.object({ html_url: z.url() });

export interface PullRequestTarget {
  /** Base URL of a GitHub-compatible API. */
  readonly api: string;
  /** URL of the repository; its last two parts are the owner and the name. */
  readonly url: string;
  readonly token: string;
  readonly rule: AddressRule;
  readonly signal: AbortSignal;
}

/**
 * Opens a pull request for a branch that was pushed, or finds the one that is open for it, so that a repetition after a crash opens no
 * second one. Returns its address. Throws RepositoryProblem `pull_request_refused`.
 */
export async function openPullRequest(
  { request }: RepositoryOutput,
  branch: string,
  base: string,
  target: PullRequestTarget,
): Promise<string> {
  const { owner, name } = parseRepository(target.url);
  const path = `/repos/${owner}/${name}/pulls`;
  const query = new URLSearchParams({ head: `${owner}:${branch}`, base, state: 'open' });
  const open = z.array(pullRequestSchema).safeParse(await send(target, 'GET', `${path}?${query}`));
  if (open.success && open.data[0]) return open.data[0].html_url;
  const created = pullRequestSchema.safeParse(
    await send(target, 'POST', path, { title: request.title ?? branch, body: request.body ?? '', head: branch, base }),
  );
  if (!created.success)
    throw new RepositoryProblem('pull_request_refused', 'the server answered without the address of a pull request');
  return created.data.html_url;
}

/** Returns the owner and the name of the repository of a URL. */
function parseRepository(url: string): { readonly owner: string; readonly name: string } {
  const parts = new URL(url).pathname
    .replace(/\/$/, '')
    .replace(/\.git$/, '')
    .split('/')
    .filter(Boolean);
  const [owner, name] = parts.slice(-2);
  if (owner === undefined || name === undefined)
    throw new RepositoryProblem(
      'pull_request_refused',
      'the URL of the repository does not end with an owner and a name',
    );
  return { owner, name };
}

/** Maximum size in bytes of an answer that is read. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

async function send(target: PullRequestTarget, method: string, path: string, body?: object): Promise<unknown> {
  const answer = await sendGuardedRequest(new URL(`${target.api.replace(/\/$/, '')}${path}`), target.rule, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${target.token}`,
      'user-agent': 'phaseline',
      'x-github-api-version': '2022-11-28',
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: target.signal,
  });
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) {
    text += chunk as string;
    if (text.length > MAX_ANSWER_BYTES) throw new RepositoryProblem('pull_request_refused', 'the answer is too large');
  }
  const parsed = parseJson(text);
  const status = answer.statusCode ?? 0;
  if (status >= 200 && status < 300) return parsed;
  const { message } = z.object({ message: z.string() }).catch({ message: text }).parse(parsed);
  const problem = `the server refused the pull request (${status}): ${clip(message.replace(/[\u0000-\u001f\u007f]/g, ' '), 300)}`;
  if (status === 429 || status >= 500) throw new Error(problem);
  throw new RepositoryProblem('pull_request_refused', problem);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
